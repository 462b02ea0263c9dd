"""Do confidences mean what they say? Maps of every system, families held out, and on ODIN, which no map has seen.

    python bench/accuracy/calibration.py [--systems s5,s2+] [--work WORK] [--cap 150] [--write languages/glossed] [--odin | --not-english] [--plot FILE]

Without `--odin` the maps are fitted on the glossbanks, each family judged by a map fitted on the others, and with `--write` the maps fitted
on all banks take their place in the pack; maps of systems that are not named stay. So run it after the pack was built (WORK is that of
`train/glossed/build.py`, for s5, s6, s6+, s4+ and s5+: models that have not seen the family). Systems that learn get 10 and 30 gold trees of
each bank, by chance, and are judged on others; s4+ and s5+ once as they start from s6 and once as they are without it, with one map for both.
s5 and s6 are run once more with the tags of the first 20 word types given (`TYPES`); their maps are fitted on both runs, and each is judged.
`s5 without glosses` has a map of its own, for text with translations alone: it is fitted on ../shared/data/ud-parallel (English translations; without the
languages of ../shared/data/working-languages) and needs no WORK; `working_languages.py` judges it on texts that it has not seen, in French and Spanish.
`--not-english` moves the maps of s6 and of s5 without glosses to fit text that is glossed or translated in other languages
(../shared/data/working-languages, with its translations and with them deleted), each bank judged by a map fitted on the others; with `--write` a moved map that
is better on average takes its place in the pack. Run it after the maps that it moves were made.
`--odin` judges the maps of the pack on ODIN: gold links and English trees, and links by glosses with parsed English, as users have them.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import numpy as np
from bench.accuracy.glossbanks import WORK, answers_of, learned, with_answers
from bench.accuracy.working_languages import FOLDER, hide
from bench.common import DATA, Table, need

from divproj import Corpus, DepTree, Faults, Pair, Projector, read
from divproj.core.links import Links
from divproj.core.sentence import Rows, Sentence
from divproj.evaluation.experiment import cross_validate
from divproj.io.interlinear.rows import from_sentence
from divproj.io.trees import conllu
from divproj.links.glosses import GlossAligner
from divproj.parsing.language import load_pack
from divproj.projection import confidence, systems
from divproj.projection.confidence import FILE, CalibrationSample, calibration_error
from divproj.projection.direct import ProjectFunction, Projection, ProjectionInput, s1
from divproj.projection.glossed.attachments import S5WithPriors
from divproj.projection.glossed.model import GlossModel
from divproj.projection.glossed.s6 import S6
from divproj.projection.glossed.training import GlossedTreebank
from divproj.projection.glossed.word_types import list_types
from divproj.projection.systems import AdaptedSystem, train
from divproj.runtime.vectors import shipped_vectors
from divproj.text.tokens import tokenize

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "train" / "glossed"))
from banks import banks, fold

BARE = f"s5{confidence.WITHOUT_GLOSSES}"
SYSTEMS = ",".join([*systems.SYSTEMS, BARE])
PARALLEL, BRETON = "ud-parallel", "br"
PIECES, PIECE = 8, 10
"""Short texts made of each such treebank, and their sentences; they are projected besides the whole."""
OWN = (10, 30)
"""Gold trees that systems learn from; parsers learn from the second number alone."""
TESTED = 70
TYPES, FIRST = ":types", 20
"""Ending of a system that is given the tags of so many types."""
COLUMNS = (
    "heads",
    "right",
    "error of raw confidences",
    "calibration error",
    "mean of banks (by chance alone)",
    "worst bank",
    "banks within 5 points",
)
ODIN = ("ger", "gli", "hua", "kkn")


def parallel(cap: int) -> list[GlossedTreebank]:
    """Return treebanks with English translations, without glosses and links; Breton is one of the texts that the map is judged on."""
    read = []
    index = (need(DATA / PARALLEL) / "INDEX.tsv").read_text(encoding="utf-8").splitlines()[1:]
    for name, _, family, *_ in (line.split("\t") for line in index):
        if name == BRETON:
            continue
        rows = [s for s in conllu.load(DATA / PARALLEL / f"{name}.conllu.gz", Faults(strict=False)) if s is not None]
        texts = [from_sentence(s).translation for s in rows]
        kept = [k for k, text in enumerate(texts) if text.strip()][:: -(-len(rows) // cap)]
        trees = load_pack("en").parse([tokenize(" ".join(texts[k].split())) for k in kept], confidence=True)
        pairs = [
            ProjectionInput(
                rows[k].forms, e, Links(frozenset(), (len(rows[k].forms), len(e))), (), f"{name}:{k}", e_language="en"
            )
            for k, e in zip(kept, trees, strict=True)
        ]
        gold = [rows[k].usable_tree()[0] for k in kept]
        read.append(GlossedTreebank(name, family.partition(" ")[0], pairs, gold, rows=[rows[k] for k in kept]))
    return read


def doubted(bank: Any) -> Any:
    """The bank with what the English parser thinks of its trees."""
    trees = load_pack("en").parse([b.e.forms for b in bank.sentences], confidence=True)
    bank.sentences = [
        replace(b, e=replace(b.e, confidence=tree.confidence)) for b, tree in zip(bank.sentences, trees, strict=True)
    ]
    return bank


def runs(bank: Any, system: str, work: Path, seed: int) -> Iterator[tuple[ProjectFunction, Sequence[int]]]:
    """The system as it is without the bank's family, and the sentences it is judged on."""
    every = range(len(bank.gold))
    if system.endswith(TYPES):
        model = GlossModel.load(need(work / fold(bank.family)))
        kind = S6(model) if system.startswith("s6") else S5WithPriors.with_model(model)
        answers = answers_of(bank)
        first = [row.key for row in list_types(bank.sentences, S6(model)) if row.key in answers][:FIRST]
        given = with_answers(bank, {key: answers[key] for key in first})
        adapted, answered = AdaptedSystem.to(kind, given.sentences), dict(zip(bank.sentences, given.sentences, strict=True))
        yield (lambda b: adapted.project(answered[b])), every
        return
    if system == BARE:
        yield AdaptedSystem.to(S5WithPriors(), bank.sentences).project, every
        for first in range(0, min(len(every), PIECES * PIECE), PIECE):  # short texts, whose words are linked badly
            piece = [*every[first : first + PIECE]]
            yield AdaptedSystem.to(S5WithPriors(), [bank.sentences[k] for k in piece]).project, piece
    elif system in ("s1-r", "s1-l"):
        yield (lambda b: s1(b, "right" if system == "s1-r" else "left")), every
    elif system == "s5":
        system = S5WithPriors.with_model(GlossModel.load(need(work / fold(bank.family))))
        yield AdaptedSystem.to(system, bank.sentences).project, every
    elif system in ("s6", "s6+", "s4+", "s5+"):
        base = AdaptedSystem.to(S6(GlossModel.load(need(work / fold(bank.family)))), bank.sentences)
        if system == "s6":
            yield base.project, every
            return
        for pairs, tested in _drawn(bank, OWN if system == "s6+" else OWN[1:], seed):
            for name in [system] if system == "s6+" else [system, f"{system}:alone"]:
                yield learned(name, pairs, bank.sentences, base), tested
    else:
        for pairs, tested in _drawn(bank, OWN if system.startswith("s2") else OWN[1:], seed):
            yield train(system, pairs, seed=seed, text=bank.sentences), tested


def _drawn(bank: Any, sizes: Sequence[int], seed: int) -> Iterator[tuple[list[Pair], list[int]]]:
    order = [*range(len(bank.gold))]
    random.Random(seed).shuffle(order)
    for size in sizes:
        size = min(size, len(order) // 2)
        pairs = [
            Pair(bank.gold[k], b.e, b.links, b.sent_id, glosses=b.glosses)
            for k, b in ((k, bank.sentences[k]) for k in order[:size])
        ]
        yield pairs, order[size : size + TESTED]


def gathered(found: Sequence[Any], system: str, work: Path, seed: int) -> list[CalibrationSample]:
    samples = []
    for bank in found:
        pairs: list[tuple[DepTree, Projection]] = []
        for run, tested in runs(bank, system, work, seed):
            pairs += [(bank.gold[k], run(bank.sentences[k])) for k in tested]
        samples.append(CalibrationSample.of(bank.name, bank.family, pairs))
    return samples


def both(one: CalibrationSample, other: CalibrationSample) -> CalibrationSample:
    """Return the sample of two runs on one bank."""
    table, right = np.concatenate([one.table, other.table]), np.concatenate([one.right, other.right])
    return CalibrationSample(one.name, one.family, table, right)


def row_of(
    samples: Sequence[CalibrationSample], fitted: Sequence[CalibrationSample] = ()
) -> tuple[list[str], list[tuple[float, float, int]]]:
    """A row of the table, and the reliability of ten bins, families held out; maps are fitted on `fitted`, by default the samples."""
    rng, held = np.random.default_rng(1), {}
    for family in sorted({s.family for s in samples}):
        weights = confidence.fit([s for s in fitted or samples if s.family != family])
        calibration = confidence.Calibration(tuple(weights.tolist()), 0.0, "")
        held |= {s.name: calibration.probabilities(s.table) for s in samples if s.family == family}
    chances = np.concatenate([held[s.name] for s in samples])
    right = np.concatenate([s.right for s in samples])
    raw = 1 / (1 + np.exp(-np.concatenate([s.table[:, 1] for s in samples])))
    each = [100 * calibration_error(held[s.name], s.right) for s in samples]
    floor = [100 * calibration_error(held[s.name], rng.random(len(s.right)) < held[s.name]) for s in samples]
    misses = [100 * float(held[s.name].mean() - s.right.mean()) for s in samples]
    cells = [
        str(len(right)), f"{100 * right.mean():.1f}", f"{100 * calibration_error(raw, right):.1f}",
        f"{100 * calibration_error(chances, right):.1f}", f"{fmean(each):.1f} ({fmean(floor):.1f})", f"{max(each):.1f}",
        f"{sum(abs(x) <= 5 for x in misses)} of {len(misses)}",
    ]  # fmt: skip
    at = np.minimum((chances * 10).astype(int), 9)
    bins = [
        (float(chances[at == k].mean()), float(right[at == k].mean()), int((at == k).sum()))
        for k in range(10)
        if (at == k).any()
    ]
    return cells, bins


def glossed(pairs: Sequence[Pair]) -> list[Pair]:
    """English parsed and linked by glosses, as users have it."""
    aligner = GlossAligner()
    trees = load_pack("en").parse([pair.e.forms for pair in pairs], confidence=True)
    return [
        replace(
            p, e=e, links=aligner.align(Sentence(p.f.forms, glosses=p.f.glosses, sent_id=p.sent_id), e.forms, e.tags()).links
        )
        for p, e in zip(pairs, trees, strict=True)
    ]


def odin(systems: Sequence[str], folds: int) -> None:
    corpora = [list(Corpus.at(need(DATA / "odin" / name), faults=Faults(strict=False))) for name in ODIN]
    columns = ("system", "links and English", "heads", "right", "calibration error", "by language")
    with Table("calibration-odin", f"ODIN, {folds} folds, punctuation counted", *columns) as table:
        for how, some in (("gold", corpora), ("glosses, parsed", [*map(glossed, corpora)])):
            for system in systems:
                scores = [cross_validate(pairs, [system], folds=folds)[system].scores for pairs in some]
                total = sum(s.overall.total for s in scores)
                gaps = [
                    sum(s.by_confidence[k].heads for s in scores) - sum(s.confidence[k] for s in scores)
                    for k in range(len(scores[0].confidence))
                ]
                uas = 100 * sum(s.overall.heads for s in scores) / total
                errors = (100 * (s.calibration_error() or 0) for s in scores)
                each = ", ".join(f"{name} {error:.1f}" for name, error in zip(ODIN, errors, strict=True))
                table.add(system, how, total, f"{uas:.1f}", f"{100 * sum(map(abs, gaps)) / total:.1f}", each)


def not_english(cap: int) -> dict[str, dict[bool, list[CalibrationSample]]]:
    """Return samples by the map that is used, and by whether translations were there, of text in other languages than English."""
    samples: dict[str, dict[bool, list[CalibrationSample]]] = {}
    for name in sorted(path.name for path in need(FOLDER).iterdir() if path.is_dir()):
        bank = [rows for rows in conllu.load(FOLDER / name / f"{name}.conllu", Faults(strict=False)) if rows is not None][:cap]
        for translated in (True, False):
            projections = raw_projections(bank, translated=translated)
            by_map: dict[str, list[tuple[DepTree, Projection]]] = {}
            for rows, (system, projection) in zip(bank, projections, strict=True):
                code = confidence.shipped_map(projection, system).removesuffix(confidence.NOT_ENGLISH)
                by_map.setdefault(code, []).append((rows.usable_tree()[0], projection))
            code, pairs = max(by_map.items(), key=lambda row: len(row[1]))  # a sentence may lack its translation
            if code in (BARE, "s6"):
                samples.setdefault(code, {}).setdefault(translated, []).append(CalibrationSample.of(name, name, pairs))
    return samples


def raw_projections(bank: Sequence[Rows], *, translated: bool) -> Iterator[tuple[str, Projection]]:
    """Yield the system that is chosen and what it makes of each sentence of a text, with its own confidences."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.conllu"
        path.write_text("".join(map(conllu.dumps, (hide(rows, translated=translated) for rows in bank))), encoding="utf-8")
        projector = Projector()
        pairs = [*projector.prepare(read(path))]
        state = projector.adapt(pairs)
        for pair in pairs:
            yield projector.system_, projector.raw_projection(pair, state)


def move_maps(cap: int, write: Path | None) -> None:
    """Judge maps that are moved to fit text in other languages than English, and write those that are better."""
    maps = confidence.load(write / FILE) if write else dict(confidence.shipped_calibrations())
    columns = ("map", "bank", "translation", "words", "right", "said before", "error before", "said", "error")
    better = {}
    with Table(
        "calibration-not-english", "Text in other languages than English, banks held out, punctuation counted", *columns
    ) as table:
        for code, by_translation in not_english(cap).items():
            every = [sample for samples in by_translation.values() for sample in samples]
            errors, misses = [], []
            for translated, samples in by_translation.items():
                for sample in samples:
                    held = confidence.move(maps[code], [s for s in every if s.name != sample.name])
                    both_maps = (maps[code], replace(maps[code], weights=tuple(held.tolist())))
                    before, after = (m.probabilities(sample.table) for m in both_maps)
                    errors.append([100 * calibration_error(p, sample.right) for p in (before, after)])
                    misses.append(float(after.mean() - sample.right.mean()))
                    shares = (f"{100 * p.mean():.1f}" for p in (sample.right, before, after))
                    right, said, now = shares
                    given = "given" if translated else "deleted"
                    table.add(
                        code,
                        sample.name,
                        given,
                        len(sample.right),
                        right,
                        said,
                        f"{errors[-1][0]:.1f}",
                        now,
                        f"{errors[-1][1]:.1f}",
                    )
            mean_before, mean_after = (fmean(row[k] for row in errors) for k in (0, 1))
            table.add(code, "mean", "", "", "", "", f"{mean_before:.1f}", "", f"{mean_after:.1f}")
            if mean_after < mean_before:
                error = max(maps[code].error, float(np.sqrt(np.mean(np.square(misses)))))  # banks are few
                source = f"{maps[code].source}, and on {len({s.name for s in every})} not in English"
                weights = tuple(confidence.move(maps[code], every).tolist())
                better[f"{code}{confidence.NOT_ENGLISH}"] = confidence.Calibration(weights, error, source)
    if write:
        about = json.loads((write / FILE).read_text(encoding="utf-8"))["about"]
        confidence.save(maps | better, write / FILE, about)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", default=SYSTEMS)
    parser.add_argument("--work", type=Path, default=WORK)
    parser.add_argument("--cap", type=int, default=150)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--odin", action="store_true")
    parser.add_argument("--not-english", action="store_true")
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    systems = options.systems.split(",")
    if options.not_english:
        move_maps(options.cap if "--cap" in sys.argv else sys.maxsize, options.write)
        return
    if options.odin:
        odin(systems, options.folds)
        return
    glossed = {*systems} - {BARE}
    every = [*map(doubted, banks(need(DATA), options.cap, shipped_vectors("en"), set()))] if glossed else []
    caption = f"Families held out, punctuation counted, up to {options.cap} sentences a bank"
    maps, drawn = {}, {}
    with Table("calibration", caption, "system", *COLUMNS, seed=options.seed) as table:
        for system in systems:
            tested = parallel(options.cap) if system == BARE else every
            samples = gathered(tested, system, options.work, options.seed)
            runs_of = {system: samples}
            if system in ("s5", "s6"):
                runs_of[f"{system}, {FIRST} types"] = gathered(tested, system + TYPES, options.work, options.seed)
                samples = [both(*each) for each in zip(*runs_of.values(), strict=True)]
            maps[system] = confidence.learn(samples)
            for name, some in runs_of.items():
                cells, drawn[name] = row_of(some, samples)
                table.add(name, *cells)
            if options.write:  # at once: what is stopped has kept what it had
                place = options.write / FILE
                kept = confidence.load(place) if place.is_file() else {}
                sizes = {b.name: len(b.gold) for b in every} or _banks(place)
                notes = {"made by": "bench/accuracy/calibration.py", "licence": "CC BY-SA 4.0", "banks": sizes}
                confidence.save(kept | maps, place, notes)
    if options.plot:
        _plot(drawn, options.plot)


def _banks(place: Path) -> dict[str, int]:
    """Return the glossbanks that the maps of a file were fitted on."""
    return json.loads(place.read_text(encoding="utf-8"))["about"]["banks"] if place.is_file() else {}


def _plot(drawn: dict[str, list[tuple[float, float, int]]], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 5))
    panel = figure.subplots()
    panel.plot([0, 1], [0, 1], "--", color="grey")
    for system, bins in drawn.items():
        panel.plot([said for said, _, _ in bins], [true for _, true, _ in bins], marker=".", label=system)
    panel.set_xlabel("ProjConf")
    panel.set_ylabel("share of right heads")
    panel.legend()
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
