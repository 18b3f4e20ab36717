"""What `benchmarks/retrieval.py` measures: the published table, facts, questions, speed."""
