"""Training of encoders, retrievers and rerankers, and fine-tuning of causal models.

Transformers, sentence-transformers and TRL are an optional part (`hengfa[train]`), imported when
first used, by `trainers` alone; `files` is apart, since a machine for training has no msgspec.
Models are folders on this machine and never downloaded. What is trained here searches in
`hengfa.law.retrieval`.
"""
