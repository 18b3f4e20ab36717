"""Any rubric as a file that people could have written."""

from __future__ import annotations

from pathlib import Path

import msgspec
import yaml

from hengfa.evals.grading.rubric import Rubric


def write_rubric(rubric: Rubric, file: Path) -> None:
    """All that a rubric says, by the names of the fields of docs/grading.md."""
    fields = msgspec.to_builtins(rubric)
    for given, section in zip(fields["sections"], rubric.sections, strict=True):
        order = section.order
        given["order"] = {"kind": str(order.kind), "pairs": list(map(list, order.pairs))}
        given["order"] |= {"text": order.text} if order.text else {}
        for item in given["items"]:
            item["points"] = item.pop("maximum")
    file.write_text(yaml.safe_dump(fields), encoding="utf-8")
