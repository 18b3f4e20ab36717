"""Says what is wrong with a recited provision, letter by letter, from the law itself (claw.md 5).

recitations  files of answers: what was asked for, what was said
classes      the class of the error, and changes of wording that change the law
cover        where each letter of an answer stands in the law, as pieces that can be shown
corpus       the texts that an answer can have come from, and from which of them its pieces did
"""
