"""Fits the linear classifier; the only place that needs scikit-learn (extra `retrieval`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hengfa.errors import MissingExtra
from hengfa.retrieval.counting import Counts, Floats

_SEED = 0  # of the solver's order of coordinates


def fit_linear(
    counts: Counts, weights: Floats, bears: NDArray[np.bool_], strength: float
) -> tuple[Floats, Floats]:
    """Coefficients (terms by labels) and intercepts of one logistic regression for each label.

    A label that every example bears has nothing to be told apart from: its coefficients are 0 and
    its intercept is the log-odds of its frequency, smoothed by one example either way.
    """
    try:
        from scipy.sparse import csr_matrix  # noqa: PLC0415 - an extra
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra("retrieval", "the linear classifier") from error
    shape = (counts.texts, len(counts.codes))
    texts: Any = csr_matrix((weights, (counts.text, counts.term)), shape=shape)
    coefficients = np.zeros((shape[1], bears.shape[1]))
    intercepts = np.zeros(bears.shape[1])
    for label in range(bears.shape[1]):
        borne = int(bears[:, label].sum())
        if borne == counts.texts or not shape[1]:
            intercepts[label] = np.log((borne + 1) / (counts.texts - borne + 1))
            continue
        model = LogisticRegression(C=strength, solver="liblinear", random_state=_SEED)
        model.fit(texts, bears[:, label])
        coefficients[:, label], intercepts[label] = model.coef_[0], model.intercept_[0]
    return coefficients, intercepts
