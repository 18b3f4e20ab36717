"""What the five papers say of their figures: facts about their texts, in our words, by place."""

from __future__ import annotations

from hengfa.results.published.claims import Best, Claim, Correlated, Falling, Places, Quoted

_CONTENT = ("bertscore", "bleu", "edit_distance", "rouge_1", "rouge_2", "rouge_l")
_DISTANCE = ("edit_distance",)
_OVERALL = ("case_overall@Gemini-2.5-Pro", "case_overall@DeepSeek-R1")
_CONVICTING = ("charge_recall", "charge_precision", "charge_f1")
_METHODS = ("react", "plan-solve", "plan-execute")

CLAIMS: tuple[Claim, ...] = (
    Quoted("lawbench", "section 4.3", "Fuzi-Mingcha", "2-4", "97.59", "zero_shot"),
    Quoted("lawbench", "section 4.3", "GPT-4", "overall", "52.35", "zero_shot"),
    Quoted("lawbench", "section 4.3", "GPT-4", "overall", "53.85", "one_shot"),
    Correlated("claw", "section 5.1", *_OVERALL, "0.98"),
    Correlated("claw", "section 5.1, identical rankings", *_OVERALL, "1.00", ranks=True),
    Correlated("claw", "section 5.2", "article_accuracy", _OVERALL[0], "0.61"),
    Correlated("claw", "appendix D", "article_accuracy", "bertscore", "0.83", ranks=True),
    Quoted("claw", "appendix D", "Doubao-1.5-Pro", "bertscore", "0.808"),
    Quoted("claw", "appendix D", "Doubao-1.5-Pro", "edit_distance", "47.8"),
    Quoted("claw", "appendix D", "Doubao-1.5-Pro", "bleu", "0.451"),
    Quoted("claw", "appendix D", "Doubao-1.5-Pro", "rouge_l", "0.555"),
    Quoted("claw", "appendix D", "DeepSeek-V3", "bleu", "0.253"),
    Quoted("claw", "appendix D", "GPT-4o", "bleu", "0.018"),
    Quoted("claw", "appendix D", "GPT-4o", "rouge_2", "0.033"),
    Quoted("claw", "appendix D", "GPT-4o", "bertscore", "0.592"),
    Places("claw", "appendix D", ("Doubao-1.5-Pro",), _CONTENT, 1, _DISTANCE),
    Places(
        "claw", "appendix D", ("DeepSeek-V3", "Qwen-2.5-Max", "DeepSeek-R1"), _CONTENT, 2, _DISTANCE
    ),
    Places(
        "claw", "appendix D", ("GPT-4.1", "GPT-4o", "o1"),
        tuple(name for name in _CONTENT if name not in _DISTANCE), 8,
    ),
    Places("claw", "appendix D", ("Claude-3.7-Sonnet",), _DISTANCE, 10, _DISTANCE),
    Best("plawbench", "table 3, in bold", "GPT-5.2-1211-global", ("overall", "plc", "ldg")),
    Best(
        "plawbench", "table 3, in bold", "Claude-opus-4-5-20251101",
        ("pca", "reasoning_rate", "statutes_rate"),
    ),
    Best(
        "plawbench", "table 3, in bold", "Gemini-3.0-pro-preview",
        ("conclusion_rate", "plaintiff"),
    ),
    Best("plawbench", "table 3, in bold", "Qwen3-235b-a22b-instruct-2507", ("facts_rate",)),
    Best("plawbench", "table 3, in bold", "GPT-5-0807-global", ("defendant",)),
    Best(
        "plawbench-graders", "table 4, in bold", "Gemini-3.0-Pro-Preview",
        ("pearson/case", "spearman/case", "pearson/consultation", "spearman/consultation"),
    ),
    Best(
        "plawbench-graders", "table 4, in bold", "Qwen3-Max",
        ("pearson/documents", "spearman/documents"),
    ),
    Quoted("plawbench-data", "appendix C.1", "Task 1 PLC", "items_per_question", "8.7"),
    Quoted("legalagentbench", "section 4.2", "GPT-4o", "success/all", "0.7908", "react"),
    Quoted("legalagentbench", "section 4.2", "GPT-4o-mini", "success/1-hop", "0.93", "react"),
    Quoted("legalagentbench", "section 4.2", "GPT-4o", "success/5-hop", "0.61", "react"),
    Best("legalagentbench", "section 4.2", "GPT-4o", ("success/all",), "react"),
    Best("legalagentbench", "section 4.2", "Claude-sonnet", ("success/all",), "plan-solve"),
    Best("legalagentbench", "section 4.2", "Claude-sonnet", ("success/all",), "plan-execute"),
    Falling(
        "legalagentbench", "section 4.2",
        tuple(f"success/{hops}-hop" for hops in range(1, 6)), _METHODS,
    ),
    *(
        Best(
            "judgment", "section 6 (4)", f"{model} RAG", _CONVICTING,
            of=tuple(f"{model} {method}" for method in ("Direct", "ICL", "SFT", "RAG")),
        )
        for model in ("QW-3B-Base", "QW-7B-Base", "QW-3B-Chat", "QW-7B-Chat")
    ),
    Quoted("judgment-data", "section 3.4", "the data set", "fact_length", "652"),
)  # fmt: skip
