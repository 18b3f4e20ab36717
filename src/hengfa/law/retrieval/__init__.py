"""Finding the text that answers a question.

corpus, terms, methods     what is searched, how it is cut, and the ways to find in it
index, dense, opening      an index of words, one of vectors, and either with a reranker behind
folder, neural             how an index lies on disk; models in local folders
measures, evaluating       how good a ranking is; runs on judged queries, with intervals
leakage                    texts that give away what is to be found
"""
