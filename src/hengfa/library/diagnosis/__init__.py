"""Says what is wrong with a recited provision, letter by letter, from the law itself (CLaw spec 5).

recitations  files of answers: what was asked for, what was said
corpus       the texts of a law, or of all laws, that an answer can have come from
cover        where each letter of an answer stands in the law
spans        the same, as pieces that can be shown
changes      changes of wording that change the law
classes      the class of the error
"""
