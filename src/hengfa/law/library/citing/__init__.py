"""Checks what a document says of the law: does it exist, was it in force, is it quoted right.

checking     the whole check, citation by citation, and what to make of each
standing     the day the document speaks of, the version that counts then, the cited position in it
quoting      whose words the quoted words are
aligning     how a quotation lies over the words of an article
telling      whether another article is nearer to what is told, and which details contradict it
faithfulness whether what is told is what the provision says, by words and roles (rule_words)
second_reader  what a model is asked that reads what is open, and what its answers may change
minimal_pairs  tellings of provisions whose key is known, to measure that
findings     what is said in the end
corpus       the same for many documents, as a table
"""
