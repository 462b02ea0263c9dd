"""`proj evaluate --brackets`: unlabelled bracketing, with baselines."""

from __future__ import annotations

import json
from typing import Any

from divproj.data.wording import plural
from proj_cli import common


def evaluate_brackets(gold: str, system: str, other: str | None, seed: int, as_json: bool) -> None:
    from divproj.evaluation.bracket_files import rows as rows_of
    from divproj.evaluation.brackets import baselines, f1_randomisation, score_brackets

    rows = [list(rows_of(gold, path, common.faults_for(False))) for path in (system, *([other] if other else []))]
    scores = {path: score_brackets(of) for path, of in zip((system, other), rows, strict=False) if path}
    scores |= baselines(rows[0], seed=seed)
    sign = common.signature(cmd="evaluate-brackets", seed=seed)
    p = f1_randomisation(scores[system].sentences, scores[other].sentences, seed=seed) if other else None
    if as_json:
        found: dict[str, Any] = {"signature": sign, **{name: score.as_json() for name, score in scores.items()}}
        print(json.dumps(found | ({"p": p} if other else {}), ensure_ascii=False))  # noqa: T201
        return
    limits = [k for k, score in scores[system].up_to.items() if score.gold]
    shown = common.table("Unlabelled brackets, percent", "", "precision", "recall", "F1", *(f"F1 ≤ {k}" for k in limits))
    for name, score in scores.items():
        numbers = (score.overall.precision, score.overall.recall, score.overall.f1, *(score.up_to[k].f1 for k in limits))
        shown.add_row(common.harmless(name), *(f"{x:.2f}" for x in numbers))
    console = common.stdout()
    console.print(shown)
    if other:
        a, b = scores[system].overall.f1, scores[other].overall.f1
        told = f"{system} {a:.2f}, {other} {b:.2f}: difference {a - b:+.2f}, p = {p:.4f}"
        console.print(common.harmless(told), soft_wrap=True)
    console.print(
        f"{plural(sum(n > 1 for n in scores[system].lengths), 'sentence')} of two words or more; {sign}", highlight=False
    )
