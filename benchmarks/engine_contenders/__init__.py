"""The programs that `benchmarks/engine.py` compares: one small script each, one common interface.

Every script takes the same three arguments: the address of an OpenAI-compatible server, a file of
samples (JSON lines with `id`, `question`, `answer`) and an empty folder of its own. It asks every
question, 50 requests in flight, compares the answer with the reference, and leaves the answers in
the folder.
"""
