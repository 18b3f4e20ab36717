"""The report as JSON: as `--json` prints it, and what is said of each document and citation."""

from __future__ import annotations

import json

import msgspec

from hengfa.base.data.jsonfile import builtins_of
from hengfa.law.desk.filing import Filing


def content_of(filing: Filing) -> bytes:
    """One document, in UTF-8; halves of characters, which that does not have, become ?."""
    plain = {
        "library": filing.library,
        "lang": filing.lang,
        "made": filing.made,
        "documents": [
            {
                "name": document.name,
                "day": document.report.day,
                "notes": document.report.notes,
                "counts": document.counts,
                "explained": {"day": document.day, "notes": document.notes},
                "citations": [
                    msgspec.structs.asdict(finding.checked) | {"explained": finding.explained}
                    for finding in document.findings
                ],
            }
            for document in filing.documents
        ],
        "counts": filing.counts,
        "not_read": filing.not_read,
    }
    text = json.dumps(builtins_of(plain), ensure_ascii=False, indent=2)
    return f"{text}\n".encode(errors="replace")
