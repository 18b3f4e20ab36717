"""Criminal judgments: what a court decided, read out of the document as a person would read it."""
