"""How sure figures are: draws, intervals, comparisons, ranks, correlations."""
