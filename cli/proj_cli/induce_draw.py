"""`proj draw --induced`: a training pair with its induced trees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer


def draw_induced(corpus: list[str] | None, model: Path, sent: str | None, output: Path, text: bool) -> None:
    """The pair `sent` (id, or number among the pairs learned from) as SVG or as lines."""
    from divproj.data.errors import ModelError, ProjError, Where
    from divproj.drawing.induced import induced_svg, induced_text
    from divproj.induction.gold import kept_words
    from divproj.induction.reading import tree_pairs
    from divproj.io.files import reading, writing
    from proj_cli import common

    if not corpus or len(corpus) > 1:
        raise typer.BadParameter("give the corpus that the model was learned from")
    path = model / "pairs.jsonl"
    row: dict[str, Any] | None = None
    with reading(path) as stream:
        for k, line in enumerate(stream, 1):
            try:
                found = json.loads(line)
                if sent in (None, found["sent_id"]) or (sent == str(k) and row is None):
                    row = found
                    if sent != str(k):
                        break
            except (ValueError, KeyError, TypeError, RecursionError):
                raise ModelError("not a list of induced pairs", Where(str(path), k), "train the model again") from None
    if row is None:
        raise ProjError(f"the model was not learned from a pair with id or number {sent}", Where(str(path)))
    faults = common.faults_for(False)
    linked = any((Path(corpus[0]) / name).exists() for name in ("align.txt", "align.txt.gz")) or not Path(corpus[0]).exists()
    pair = next((p for p in tree_pairs(corpus[0], faults, linked) if p.sent_id == row["sent_id"]), None)
    if pair is None:
        raise ProjError(
            f"no pair with sent_id {row['sent_id']}", Where(corpus[0]), "give the corpus the model was learned from"
        )
    kept = kept_words(pair.f), kept_words(pair.e)
    sides = (pair.f, pair.e)
    forms = tuple(tuple(tree.forms[k - 1] for k in words) for tree, words in zip(sides, kept, strict=True))
    tags = tuple(tuple(tree.tags()[k - 1] for k in words) for tree, words in zip(sides, kept, strict=True))
    trees = tuple(tuple((int(i), int(j)) for i, j in row[side]) for side in "fe")
    if any((0, len(words)) not in tree and len(words) > 1 for words, tree in zip(forms, trees, strict=True)):
        raise ModelError(
            f"the trees of {row['sent_id']} do not fit its words",
            Where(str(path)),
            "give the corpus the model was learned from",
        )
    aligned = [((f[0], f[1]), (e[0], e[1])) for f, e in row["aligned"]]
    place = [{word: k for k, word in enumerate(words, 1)} for words in kept]
    links = [(place[0][i], place[1][j]) for i, j in pair.links.links if i in place[0] and j in place[1]]
    with writing(output) as out:
        if text:
            out.write(induced_text(forms, trees, aligned, pair.sent_id) + "\n")  # type: ignore[arg-type]
        else:
            out.write(induced_svg(forms, tags, trees, aligned, links, pair.sent_id) + "\n")  # type: ignore[arg-type]
