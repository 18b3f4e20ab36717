"""Criminal judgments: what a court decided, read out of the document.

`parse` reads a judgment as a person would. The modules `official_*` and `legacy` read it as the
published evaluator of JuDGE does, mistakes included, and are there for comparable scores only.
"""
