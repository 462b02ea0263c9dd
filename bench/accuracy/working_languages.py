"""Texts that are glossed and translated in French, Russian or Spanish: no option given, gold trees hidden.

    python bench/accuracy/working_languages.py [BANK …] [--also]

Each bank of ../shared/data/working-languages is projected twice as `proj project FILE` does it: as it is, and with its translations
deleted. The system sees words, glosses and translations; lemmas, tags and trees are taken out first. Rules and settings
were made with these texts in view, so the figures are too good for other texts; those of even and odd sentences stand side by side.
With `--also` two texts of ../shared/data/glossbanks that are translated into English and another language are projected from each translation,
and from both (`--also`); the model has learned from both texts, so that only the differences count.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import numpy as np
from bench.common import DATA, Table, need

import divproj as dp
from divproj.core.errors import Faults
from divproj.core.pair import Pair
from divproj.core.sentence import Rows
from divproj.core.tree import DepTree
from divproj.evaluation.trees import is_punctuation, score_trees
from divproj.io.interlinear.languages import translation_key
from divproj.io.trees import conllu
from divproj.projection.confidence import calibration_error

FOLDER = DATA / "working-languages"
HIDDEN = (2, 3, 4, 5, 6, 7, 8)
"""Columns of CoNLL-U that the system does not see: all but the words and MISC, which has the glosses."""
COLUMNS = (
    "bank",
    "UAS / LAS / UPOS",
    "even sentences",
    "odd sentences",
    "words linked",
    "expected UAS",
    "calibration error",
    "without translation",
    "systems",
)
TWICE = (("xav", "xav_xdt-ud-test.conllu", "pt"), ("sah", "sah_yktdt-ud-test.conllu", "ru"))
"""Glossbanks with translations in English and in another language."""
Judged = tuple[DepTree, Pair]


def hide(rows: Rows, *, translated: bool) -> Rows:
    """Return the rows without analysis; without translations too if they are not wanted."""
    none = ("_",) * len(rows.forms)
    misc = ("|".join(x for x in cell.split("|") if x.startswith(("Gloss=", "SpaceAfter="))) or "_" for cell in rows.column(9))
    bare = rows.with_columns({**dict.fromkeys(HIDDEN, none), 9: tuple(misc)})
    comments = [c for c in rows.comments if translated or not is_translation(c)]
    return Rows(tuple(comments), bare.columns, rows.where, rows.end)


def is_translation(comment: str) -> bool:
    """
    >>> is_translation("# text_fr = Il dort."), is_translation("# text = mwen dòmi")
    (True, False)
    """
    key, _, value = comment.removeprefix("#").partition("=")
    return translation_key(key.strip(), value.strip()) is not None


def project(bank: Sequence[Rows], *, translated: bool) -> tuple[list[Judged], str]:
    """Return gold trees with the pairs that come out, and the system that was chosen."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.conllu"
        path.write_text("".join(map(conllu.dumps, (hide(rows, translated=translated) for rows in bank))), encoding="utf-8")
        projector = dp.projector()
        pairs = [*projector.pipe(dp.read(path))]
    assert len(pairs) == len(bank), f"{len(pairs)} sentences for {len(bank)}"
    return [(rows.usable_tree()[0], pair) for rows, pair in zip(bank, pairs, strict=True)], projector.system_


def score(trees: Sequence[tuple[DepTree, DepTree]]) -> str:
    """UAS / LAS of (gold, projected) trees in percent, without punctuation and subtypes."""
    scores = score_trees([(gold, tree, (), ()) for gold, tree in trees], punctuation=False, subtypes=False)
    return f"{scores.overall.uas:.1f} / {scores.overall.las:.1f}"


def cell(judged: Sequence[Judged]) -> str:
    """UAS / LAS / UPOS in percent, without punctuation and subtypes."""
    right = [a == b for gold, pair in judged for a, b in zip(gold.upos, pair.f.upos, strict=True) if a != "PUNCT"]
    return f"{score([(gold, pair.f.tree) for gold, pair in judged])} / {100 * sum(right) / len(right):.1f}"


def confidence(judged: Sequence[Judged]) -> tuple[str, str]:
    """Return the mean confidence of heads and the calibration error, in percent; all words, as confidences are fitted."""
    sure = np.array([p for _, pair in judged for p in pair.confidence])
    right = np.array([a == b for gold, pair in judged for a, b in zip(gold.heads, pair.f.heads, strict=True)])
    return f"{100 * sure.mean():.1f} ({100 * right.mean():.1f} right)", f"{100 * calibration_error(sure, right):.1f}"


def linked(judged: Sequence[Judged]) -> float:
    """Percent of the words of F that have a link, without punctuation."""
    words = links = 0
    for gold, pair in judged:
        has_link = {f for f, _ in pair.links}
        places = [k for k, form in enumerate(gold.forms) if not is_punctuation(form, gold.upos[k])]
        words += len(places)
        links += sum(k + 1 in has_link for k in places)
    return 100 * links / words


def project_from(bank: Sequence[Rows], languages: Sequence[str], *also: str) -> list[Judged]:
    """Return gold trees with the pairs that come out of translations into these languages alone; those of `also` vote."""
    kept = []
    for rows in bank:
        hidden = hide(rows, translated=True)
        keys = (c.removeprefix("#").partition("=")[::2] for c in hidden.comments)
        codes = [translation_key(key.strip(), value.strip()) for key, value in keys]
        comments = (c for c, code in zip(hidden.comments, codes, strict=True) if code is None or code in languages)
        kept.append(Rows(tuple(comments), hidden.columns, rows.where, rows.end))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.conllu"
        path.write_text("".join(map(conllu.dumps, kept)), encoding="utf-8")
        pairs = [*dp.projector().pipe(dp.read(path), also=also)]
    return [(rows.usable_tree()[0], pair) for rows, pair in zip(bank, pairs, strict=True)]


def witnesses() -> None:
    """Measure two translations in one file as witnesses."""
    columns = ("bank", "other language", "sentences", "English", "other", "both, as chosen without option", "both vote")
    caption = "UAS / LAS / UPOS of texts with two translations in one file, from each alone and from both"
    with Table("working_languages-also", caption, *columns) as table:
        for name, file, other in TWICE:
            source = need(DATA / "glossbanks" / name / file)
            bank = [rows for rows in conllu.load(source, Faults(strict=False)) if rows is not None]
            ways = ((("en",), ()), ((other,), ()), (("en", other), ()), (("en", other), (other,)))
            cells = [cell(project_from(bank, languages, *also)) for languages, also in ways]
            table.add(name, other, len(bank), *cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("banks", nargs="*")
    parser.add_argument("--also", action="store_true")
    options = parser.parse_args()
    if options.also:
        witnesses()
        return
    names = options.banks or sorted(path.name for path in need(FOLDER).iterdir() if path.is_dir())
    with Table(
        "working_languages", "Texts translated in other languages than English, no gold trees, no options", *COLUMNS
    ) as table:
        for name in names:
            source = need(FOLDER / name / f"{name}.conllu")
            bank = [rows for rows in conllu.load(source, Faults(strict=False)) if rows is not None]
            (judged, system), (alone, system_alone) = (project(bank, translated=flag) for flag in (True, False))
            halves = (cell(judged[k::2]) for k in (0, 1))
            table.add(
                name,
                cell(judged),
                *halves,
                f"{linked(judged):.1f}",
                *confidence(judged),
                cell(alone),
                f"{system}, {system_alone}",
            )


if __name__ == "__main__":
    main()
