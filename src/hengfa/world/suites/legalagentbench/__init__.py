"""LegalAgentBench: questions that are answered by looking things up in a legal world."""
