"""The tools as they should be: typed values, JSON, paging, and errors that say what to do.

answering    JSON texts for the agent
cells        what a cell means: amount, date
lookup       the 28 look-ups
spelling     other spellings of an identifier, and near ones
query        filter, order, count, sum, group
numbers      arithmetic and conversion
case_number  a case number taken apart
region       the province, city and county of an address
statute      a provision by name and number
"""
