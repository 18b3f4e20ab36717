"""Training of encoders, retrievers and rerankers, and fine-tuning of causal models.

    pretraining        an encoder that starts from nothing learns the language of the law
    retrievers         labelled queries, and which passages a batch has beside theirs
    fine_tuning        what is learnt of a prompt with its target; tuned models
    files              what the trainings read; apart, since a machine for training has no msgspec
    schedule           how long and how fast; progress, report, and the folder of a training
    trainers           the trainings themselves, by transformers, sentence-transformers and TRL

These libraries are an optional part (`hengfa[train]`), imported when first used, by `trainers`
alone; models are folders on this machine and never downloaded. What is trained here searches in
`hengfa.law.retrieval`.
"""
