"""The built-in models: floor, ceiling and retrieval. They need no network and no weights.

They give every report its scale: what knowing nothing earns, what knowing everything earns, and
what looking things up earns.
"""
