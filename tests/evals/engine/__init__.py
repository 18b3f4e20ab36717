"""Tests of the engine, with helpers that they share."""
