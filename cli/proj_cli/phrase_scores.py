"""`proj evaluate --phrases`: phrase pairs against gold pairs, or against annotators (SPADE, ESPADA)."""

from __future__ import annotations

import json
from pathlib import Path

from proj_cli import common


def evaluate_phrases(gold: str, system: str, other: str | None, seed: int, as_json: bool) -> None:
    """Scores of what `proj align` wrote; GOLD is JSON lines, or a folder with s-*.xml and t-*.xml."""
    from divproj.evaluation.phrase_files import against_annotators, against_constituents
    from divproj.evaluation.phrases import significance

    score = against_annotators if Path(gold).is_dir() else against_constituents
    scores = {path: score(gold, path) for path in (system, *([other] if other else []))}
    sign = common.signature(cmd="evaluate-phrases", seed=seed)
    p = {}
    if other:
        p = {name: significance(scores[system][name], scores[other][name], seed=seed) for name in scores[system]}
    if as_json:
        found = {path: {name: part.as_json() for name, part in parts.items()} for path, parts in scores.items()}
        print(json.dumps({"signature": sign, **found, **({"p": p} if other else {})}, ensure_ascii=False))  # noqa: T201
        return
    console = common.stdout()
    shown = common.table("Phrase pairs, percent", "", "pairs", "recall", "precision", "F1", "found", "wanted", left=2)
    for path, parts in scores.items():
        for name, part in parts.items():
            numbers = part.as_json()
            shown.add_row(common.harmless(path), name, *(f"{numbers[k]:.2f}" for k in ("recall", "precision", "f1")), str(numbers["given"]), str(numbers["wanted"]))  # fmt: skip
    console.print(shown)
    for name, value in p.items():
        console.print(f"{name}: p = {value:.4f}", highlight=False)
    console.print(sign, highlight=False, soft_wrap=True)
