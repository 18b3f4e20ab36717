"""Agents: how a model that can only write text gets at the legal world.

frame         what all published methods share: table filter, loop, two closing texts
react         think, act, look, at most ten times
plan_solve    a plan, carried out step by step
plan_execute  the same, with a new plan after every step
native        our own method: function calling, parallel calls, repair, a checked answer
plug_in       a user's own agent
"""
