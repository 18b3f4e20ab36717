"""Results: the two tables of a run, statistics, published figures, hints of contamination."""
