"""Which disagreements in published figures are known, and what is known of them.

By table, row and figure; a row or figure of "" stands for all. `docs/published.md` tells more.
"""

from __future__ import annotations

KNOWN: dict[tuple[str, str, str], str] = {
    ("lawbench", "Fuzi-Mingcha", "2-4"): "the text means 2-5, where 97.59 stands",
    ("claw", "", "case_ratings@DeepSeek-R1"): "few ratings were read from the grader's comments",
    ("claw", "GPT-4o", "bleu"): "in figure 4 this is the BLEU of o1",
    ("claw", "DeepSeek-R1", "edit_distance"): "worst in figure 4, in the text one of the best",
    ("claw", "Claude-3.7-Sonnet", "edit_distance"): "in figure 4 DeepSeek-R1 is worse",
    ("plawbench", "Qwen-4b-instruct-2507", "overall"): "not explained",
    ("plawbench", "Qwen-4b-thinking-2507", "overall"): "not explained",
    ("plawbench", "Qwen-8b", "overall"): "not explained",
    ("plawbench", "GPT-5.2-1211-global", "ldg"): "its overall follows from the printed mean",
    ("plawbench", "Qwen-4b-thinking-2507", "pca"): "not explained",
    ("plawbench-data", "Task 1 PLC", ""): "appendix C.1 has 8.7 items per question, table 2 has 21",
    ("plawbench-graders", "Gemini-3.0-Pro-Preview", ""): "GPT-5.1 is higher",
    ("legalagentbench", "GPT-3.5", "tokens"): "about half of the released run; not explained",
    ("legalagentbench", "LLaMa3.1-8B", "tokens"): "tasks 176-280 of the run are left out",
    ("legalagentbench-corpora", "", "keys"): "the column is shifted by a row for tables 11-14",
    ("judgment", "QW-7B-Base RAG", "statute_f1"): "probably a slip",
    ("judgment", "QW-7B-Chat ICL", ""): "probably of an earlier output",
}


def known(table: str, title: str, figure: str) -> str | None:
    """What is known of a disagreement, or None if it is new."""
    for key in ((table, title, figure), (table, title, ""), (table, "", figure)):
        if key in KNOWN:
            return KNOWN[key]
    return None
