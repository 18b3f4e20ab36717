"""Other people's engines: Inspect AI as a source of models, a runner of our suites, a viewer."""
