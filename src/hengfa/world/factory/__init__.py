"""The task factory: fresh tasks with gold paths and exact answers over any legal world.

task               a task with its plan
graph              what tools take and give: the type graph
paths              paths that a world can execute, what a question can name and ask
follow             a plan, step by step, to the exact answer, and how that is written
recomputed         the answer a second time, by plain SQL
judging            what a lazy solver would get; how answers are spread
question, words    a plan as a question in Chinese
writing            complaints to be answered by a defence
rewriting          questions in other words, checked
make               all of it -> tasks and a report
oracle             solving by gold path
harbor             tasks as folders of Harbor; harbor_verifier scores there
"""
