"""The tools over a legal world: `strict` as published, `helpful` as they should be.

catalogue    the 37 tools and the extra ones: names, sentences, schemas
toolbox      all tools over one world, called by name
lookups      the 28 look-ups in the tables; filter, order, count, sum, group
texts        search in the three collections of texts; a provision by name and number
arithmetic   arithmetic and conversions, without eval
parsing      case numbers and addresses taken apart
observation  what a call gives back
"""
