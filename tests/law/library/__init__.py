"""Tests of the law library, on laws of our own and on the shared texts."""
