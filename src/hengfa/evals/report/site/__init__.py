"""The static site: data files made from runs (Python), and pages that show them (assets/)."""
