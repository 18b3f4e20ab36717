"""The grammar of law: numerals now; dates, citations, statutes and judgments as suites need them."""
