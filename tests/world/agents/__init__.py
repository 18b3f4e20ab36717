"""Tests of the legal world, its tools, agents and tasks, on worlds of our own and shared data."""
