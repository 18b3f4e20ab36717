"""The grammar of law: how Chinese legal text writes numbers, and what will stand on that."""
