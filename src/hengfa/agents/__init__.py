"""The legal world, its tools, agent methods and the task factory.

world        tables and texts in one file: written, opened, recovered, imported
tools        the 37 tools over a world, as they were published and as they should be
methods      agents: the published methods, our own, and a user's
trajectory   what an agent did, and the text in which it hands in its answer
"""
