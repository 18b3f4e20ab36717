"""Training of encoders, retrievers and rerankers, and fine-tuning of causal models.

    pretraining        an encoder that starts from nothing learns the language of the law
    retrievers         dual encoders and rerankers learn from queries with their passages
    fine_tuning        a causal model learns to give the answers it should give
    files              what the trainings read; apart, since a machine for training has no msgspec
    loop               what they share: batches, schedule, seeds, checkpoints, resuming

Torch and transformers are an optional part (`hengfa[train]`), imported when first used; models are
folders on this machine and never downloaded. What is trained here searches in
`hengfa.law.retrieval`.
"""
