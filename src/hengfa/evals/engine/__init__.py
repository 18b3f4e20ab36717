"""Asking models: one interface, typed statuses, a journal that loses nothing, budgets, progress."""
