"""How a model works with tools: the published methods, our own, and a user's.

methods      agents: the published methods, our own, and a user's
trajectory   what an agent did, and the text in which it hands in its answer
"""
