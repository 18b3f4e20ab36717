"""Results: one record shape for all suites, Parquet files, and what can be said about a mean."""
