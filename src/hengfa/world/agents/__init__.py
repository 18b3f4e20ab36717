"""How a model works with tools: the published methods, our own, and a user's.

trajectory    what an agent did, and the text in which it hands in its answer
desk          where every agent works on a task: model, tools, limits, record, closing texts
reading       what a model wrote, read as calls
published     what all published methods share: table filter, actions, parts of prompts
react         think, act, look, at most ten times
plans         a plan carried out step by step, with or without a new plan after every step
native        our own method: function calling, parallel calls, repair, a checked answer
native_words  what it tells the model
answer_check  what nothing that was seen accounts for
plug_in       a user's own agent
seats         tasks for agents of others, with what they did on record
served        tools and seats over HTTP
rehearsal     what a method would ask at the least and at the most
"""
