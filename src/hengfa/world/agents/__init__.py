"""How a model works with tools: the published methods, our own, and a user's.

trajectory    what an agent did, and the text in which it hands in its answer
booth         where every agent works on a task: model, tools, limits, record, closing texts
reading       what a model wrote, read as calls
prompts       what a model is told: the texts of prompts.toml
published     the published methods: ReAct, plan-and-solve, plan-and-execute
native        our own method: function calling, parallel calls, repair, a checked answer
answer_check  what nothing that was seen accounts for
plug_in       a user's own agent
solver        who works on the tasks of a suite: what can be chosen, which world, which method,
              and what it would ask at the least and at the most
seats         tasks for agents of others, with what they did on record; what `hengfa mcp` offers
served        tools and seats over HTTP
"""
