"""The expected accuracy that `proj run` prints, against the true one, on corpora with gold trees.

For each corpus a folder is made as a user has it: the text without trees, a config, and gold trees of some sentences by chance. `proj run
--json` runs there, in a process of its own, with its defaults. `expected.uas` of what it prints is compared with the share of right heads
in the sentences whose gold trees it was not given, punctuation counted as the run counts it.

Interlinear text (ODIN, the glossbanks) has words, glosses and translations alone. Danish and PUD have the trees of E and the links of the
corpus, and no glosses. The model of glossed text is the one without the language's family where a bank of that family is among those that it
learns from (`glossbanks.py`). The maps of confidences are those of the pack, which were fitted on 19 banks, the tested one among them;
*folds alone* is what the gold sentences say without them.

python bench/accuracy/run_accuracy.py [--gold 30] [--most 150] [--seeds 1,2,3] [CORPUS ...]
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.accuracy.glossbanks import model_without
from bench.common import DATA, ROOT, Table, need

from divproj.core.errors import Faults
from divproj.core.sentence import Rows
from divproj.io.trees import conllu
from divproj.projection import confidence
from divproj.run.texts import bare

PAIRS = {"danish": "cdt-da", "pud-fr": "pud/fr", "pud-ru": "pud/ru", "pud-zh": "pud/zh"}
ODIN = {"odin-ger": "", "odin-gli": "", "odin-hua": "hau", "odin-kkn": ""}
"""And a bank of the same family, if there is one."""
BANKS = ("hau", "arh", "sab", "nhi")
"""Measured by default; any other bank can be named."""
NEAR = 5.0
LAUNCH = """
import sys
from pathlib import Path
import divproj.runtime.resources as resources
own, languages = resources.folder, Path(sys.argv.pop(1))
resources.folder = lambda kind: languages if kind == "languages" else own(kind)
from proj_cli import main
sys.argv[0] = "proj"
main()
"""
"""`proj` with other models than those shipped."""


def languages_without(bank: str, place: Path) -> Path:
    """Return a folder of the shipped languages as they are without the family of a bank."""
    made = place / "languages"
    (made / "glossed").mkdir(parents=True)
    for name in ("en", "en-fast"):
        (made / name).symlink_to(ROOT / "languages" / name)
    for path in model_without(bank).iterdir():
        (made / "glossed" / path.name).symlink_to(path.resolve())
    (made / "glossed" / confidence.FILE).unlink(missing_ok=True)
    (made / "glossed" / confidence.FILE).symlink_to(ROOT / "languages" / "glossed" / confidence.FILE)
    return made


def rows(path: Path) -> list[Rows]:
    return [row for row in conllu.load(path, Faults(strict=False)) if row is not None]


def fitting(found: Sequence[Rows], most: int) -> list[int]:
    """Places of every k-th sentence with a whole gold tree."""
    good = [n for n, row in enumerate(found) if not row.usable_tree()[1] and len(row.forms)]
    return good if len(good) <= most else [good[k * len(good) // most] for k in range(most)]


def without_trees(row: Rows, keep_tags: bool) -> Rows:
    empty = ("_",) * len(row.forms)
    return row.with_columns(dict.fromkeys((6, 7) if keep_tags else (2, 3, 4, 5, 6, 7), empty))


def laid_out(name: str, place: Path, most: int) -> tuple[list[Rows], str]:
    """Write what the text is; its gold sentences, and the table `input` of the config."""
    if name in ODIN:
        folder = need(DATA / "odin" / name.removeprefix("odin-"))
        (place / "text.txt").write_bytes((folder / "igt.txt").read_bytes())
        found = rows(folder / "f.conllu")
        return [found[n] for n in fitting(found, most)], 'text = "text.txt"\n'
    if name in PAIRS:
        folder = need(DATA / PAIRS[name])
        found, trees = rows(folder / "f.conllu"), rows(folder / "e.conllu")
        links = (folder / "align.txt").read_text(encoding="utf-8").splitlines()
        chosen = fitting(found, most)
        _write(place / "text.conllu", [without_trees(found[n], True) for n in chosen])
        _write(place / "e.conllu", [trees[n] for n in chosen])
        (place / "links.txt").write_text("".join(f"{links[n]}\n" for n in chosen), encoding="utf-8")
        return [found[n] for n in chosen], 'text = "text.conllu"\ntrees = "e.conllu"\nlinks = "links.txt"\n'
    folder = need(DATA / ("ud-igt-hausa" if name == "hau" else f"glossbanks/{name}"))
    found = [row for path in sorted(folder.glob("*.conllu")) for row in rows(path)]
    found = [found[n] for n in fitting(found, most)]
    _write(place / "text.conllu", [without_trees(row, False) for row in found])
    return found, 'text = "text.conllu"\n'


def _write(path: Path, found: Sequence[Rows]) -> None:
    with path.open("w", encoding="utf-8") as out:
        conllu.dump([replace(row, end="\n\n") for row in found], out)


class Row(NamedTuple):
    """What a run said, and what is so, in percent of the heads."""

    system: str
    said: float
    error: float
    folds: float
    true: float

    @property
    def miss(self) -> float:
        return self.said - self.true


def judged(name: str, most: int, count: int, seed: int) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        gold, said = laid_out(name, place, most)
        order = random.Random(seed).sample(range(len(gold)), len(gold))
        given = set(order[: min(count, len(gold) // 2)])
        _write(place / "gold.conllu", [gold[n] for n in sorted(given)])
        (place / "divproj.toml").write_text(f'seed = {seed}\n[input]\n{said}gold = "gold.conllu"\n', encoding="utf-8")
        bank = ODIN.get(name, "" if name in PAIRS else name)
        languages = languages_without(bank, place) if bank else ROOT / "languages"
        command = [sys.executable, "-c", LAUNCH, str(languages), "run", str(place / "divproj.toml"), "-j", "1", "--json"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{name}: {done.stderr}")
        told = json.loads(done.stdout)
        scores = json.loads((place / "results" / "results.json").read_text(encoding="utf-8"))["scores"]
        made = {bare(row.forms): row.usable_tree()[0].heads for row in rows(place / "results" / "trees.conllu")}
    rest = [gold[n] for n in range(len(gold)) if n not in given and bare(gold[n].forms) in made]
    pairs = [(row.usable_tree()[0].heads, made[bare(row.forms)]) for row in rest]
    right = [x == y for a, b in pairs for x, y in zip(a, b, strict=True) if x >= 0]
    folds, known = scores["cross_validation"]["systems"][told["system"]]["uas"], told["expected"]
    return Row(told["system"], known["uas"], known["standard_error"], folds, 100 * fmean(right))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", nargs="*", default=[])
    parser.add_argument("--gold", type=int, default=30)
    parser.add_argument("--most", type=int, default=150)
    parser.add_argument("--seeds", default="1,2,3", help="of the choice of gold sentences and of the run")
    options = parser.parse_args()
    seeds = [*map(int, options.seeds.split(","))]
    caption = f"`expected.uas` of `proj run --json`, {options.gold} gold sentences, at most {options.most} sentences"
    columns = ("corpus", "system", "printed (± 2 standard errors)", "folds alone", "true of the rest", "miss")
    every: list[list[Row]] = []
    with Table(f"run_accuracy-{options.gold}", caption, *columns, seed=options.seeds) as table:
        for name in options.corpora or (*ODIN, *PAIRS, *BANKS):
            runs = [judged(name, options.most, options.gold, seed) for seed in seeds]
            every.append(runs)
            said = " ".join(f"{row.said:.1f} (± {2 * row.error:.0f})" for row in runs)
            folds, true = (" ".join(f"{x:.1f}" for x in column) for column in ([r.folds for r in runs], [r.true for r in runs]))
            table.add(name, runs[0].system, said, folds, true, " ".join(f"{row.miss:+.1f}" for row in runs))
        for k, seed in enumerate(seeds):
            near = sum(abs(runs[k].miss) <= NEAR for runs in every)
            table.note(f"seed {seed}: within 5 points on {near} of {len(every)} corpora")
        rows = [row for runs in every for row in runs]
        near, inside = sum(abs(row.miss) <= NEAR for row in rows), sum(abs(row.miss) <= 2 * row.error for row in rows)
        alone = sum(abs(row.folds - row.true) <= NEAR for row in rows)
        table.note(f"all: {near} of {len(rows)}; within the printed ±: {inside}; by folds alone within 5 points: {alone}")


if __name__ == "__main__":
    main()
