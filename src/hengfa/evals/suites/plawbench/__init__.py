"""PLawBench: consult, analyse and draft as a practitioner, graded by the rubrics of experts."""
