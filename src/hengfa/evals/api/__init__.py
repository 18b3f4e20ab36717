"""The front door: what `import hengfa` offers, and what the commands are made of.

runs      ask a model, score, grade, compare: `evaluate`, `score`, `grade`, `compare`, `load_run`
scores    what comes of it: `Run`, `Scores`
law       the law itself: `Law`, `check_citations`

Functions here print nothing. They tell `progress` how far they are and `notify` what a person
should know, and raise an error of `hengfa.base.errors` with what to do.
"""
