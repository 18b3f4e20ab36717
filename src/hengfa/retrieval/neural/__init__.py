"""Retrieval with neural models: pre-training, dual encoders, rerankers, dense search.

    tokenizer          a character vocabulary from texts, for an encoder that starts from nothing
    pretraining        such an encoder learns the language of the law by filling in blanks
    encoder            texts to vectors, with any encoder that lies in a local folder
    dual_encoder       trains it: facts near the articles they come under
    reranker           reads query and passage together; slower, and better on a short list
    dense_index        search by vectors, exact or approximate
    loop               what every training shares: schedule, seeds, checkpoints, resuming

Torch and transformers are an optional part (`hengfa[train]`), imported when first used; models are
folders on this machine and never downloaded.
"""

from __future__ import annotations
