"""Charts as plain Vega-Lite specifications: drawn by a page, or into a file."""
