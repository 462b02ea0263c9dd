"""The sentences of a run between its stages: kept in files, matched with gold trees, and scored.

Stages pass the text on in files that `divproj.io.corpus` reads, with the same sentences in the same order: `text.conllu`,
`e.conllu` and `links.txt`; `places.jsonl` has the file and line of each sentence. All functions here read and write these files
sentence by sentence, so that memory does not grow with the text. `places` finds the sentences of the text that
have gold trees, by id or by words, and `split` holds some of them out. The functions at the end score systems, trees and links
wherever there is something to compare them with.
"""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from divproj.core.errors import AlignmentError, Faults, Where, plural
from divproj.core.links import Links
from divproj.core.pair import Pair
from divproj.core.sentence import Rows, Sentence, confidence_of, misc_value
from divproj.core.tree import DepTree
from divproj.io.corpus import Corpus
from divproj.io.files import E_FILE, F_FILE, LINKS_FILE, writing
from divproj.io.interlinear.languages import text_language, with_codes
from divproj.io.interlinear.rows import from_sentence, to_sentence
from divproj.io.output import NOTHING, as_sentence, with_sent_id
from divproj.io.trees import conllu, pharaoh
from divproj.parsing.translations import TranslationChoice, choose
from divproj.projection.confidence import Expected, combine, expected_accuracy, expected_from_counts
from divproj.projection.pipeline import ADAPT_LIMIT, chunks
from divproj.ud.head_style import from_written, in_style

if TYPE_CHECKING:
    from divproj.evaluation.experiment import SystemResult
    from divproj.run.stages import StageJob


TEXT, TREES, LINKS, PLACES, OUTPUT = "text.conllu", E_FILE, "links.txt", "places.jsonl", "trees.conllu"


def with_own_ids(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Yield the pairs with unique ids: one that is taken is prefixed with the name of its file."""
    ids: set[str] = set()
    for last, pair in enumerate(pairs, 1):
        sent_id = unique_id = pair.sent_id or str(last)
        number = 1
        while unique_id in ids:
            file = Path(pair.where.path).stem
            unique_id = f"{file}-{sent_id}" if number == 1 else f"{file}-{sent_id}-{number}"
            number += 1
        ids.add(unique_id)
        yield replace(pair, sent_id=unique_id)


def instance(pair: Pair) -> Sentence:
    """The glossed sentence that F is."""
    if pair.sentence is not None:
        return pair.sentence
    assert pair.f_rows is not None
    return from_sentence(pair.f_rows)


def with_language(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Yield the pairs with their translations under the code of the language that they are in."""
    language = ""
    for some in chunks(pairs, ADAPT_LIMIT):
        instances = [*map(instance, some)]
        for pair, igt in zip(some, with_codes(instances, language), strict=True):
            yield replace(pair, sentence=igt)
        language = language or text_language(instances)


def choices_of(pairs: Iterable[Pair], parser: str | None = None) -> Iterator[tuple[Pair, TranslationChoice]]:
    """Yield the pairs with the choice of the translation that is parsed; the first `ADAPT_LIMIT` tell the language of the text."""
    language = ""
    for some in chunks(pairs, ADAPT_LIMIT):
        instances = [*map(instance, some)]
        yield from zip(some, choose(instances, parser, language), strict=True)
        language = language or text_language(instances)


def write_text(pairs: Iterable[Pair], folder: Path, *, links: bool = False) -> None:
    """Write the text, its given trees where there are any, and its links if they came apart, in files that `read_text` reads."""
    trees = 0
    with ExitStack() as files:
        names = (TEXT, PLACES, TREES, *([LINKS] if links else []))
        text, places, e, *align = (files.enter_context(writing(folder / name)) for name in names)
        for pair in pairs:
            conllu.dump([with_sent_id(to_sentence(instance(pair)), pair.sent_id)], text)
            places.write(json.dumps([Path(pair.where.path).name, pair.where.line], ensure_ascii=False) + "\n")
            conllu.dump([as_sentence(pair.e.tree, pair.sent_id)], e)
            trees += pair.e.tree is not None
            for out in align:
                pharaoh.dump([pair.links], out)
    if not trees:
        (folder / TREES).unlink()


def write_trees(rows: Iterable[tuple[DepTree | None, str]], folder: Path) -> None:
    """Write trees of translations, given with the ids of their sentences; a row that says so where there is none."""
    with writing(folder / TREES) as out:
        conllu.dump((as_sentence(tree, sent_id) for tree, sent_id in rows), out)


def write_beside(pairs: Iterable[Pair], folder: Path) -> Iterator[Pair]:
    """Yield the pairs, and write the translations' trees and the links of each."""
    with writing(folder / TREES) as trees, writing(folder / LINKS) as links:
        for pair in pairs:
            conllu.dump([as_sentence(pair.e.tree if len(pair.e.forms) else None, pair.sent_id)], trees)
            pharaoh.dump([pair.links], links)
            yield pair


def read_beside(pairs: Iterable[Pair], folder: Path) -> Iterator[Pair]:
    """Yield the pairs with the translations' trees and links that `write_beside` wrote for them, or as they are."""
    if not (folder / TREES).exists():
        yield from pairs
        return
    for pair, tree, (_, line) in zip(pairs, read_trees(folder / TREES), pharaoh.load(folder / LINKS), strict=True):
        yield replace(pair, e=tree or DepTree((), ()), links=_links(line, pair, tree))


def read_text(folder: Path, e: Path | None = None, links: Path | None = None) -> Iterator[Pair]:
    """Yield the text that a stage wrote, with trees and links that others wrote for it; E is empty where it has no tree."""
    corpus = Corpus(folder / TEXT, e, links, faults=Faults(strict=False))
    with (folder / PLACES).open(encoding="utf-8") as lines:
        places = map(json.loads, lines)
        pairs = (
            _with_place(pair, Where(str(file), int(line), pair.sent_id), e is not None)
            for pair, (file, line) in zip(corpus.pairs(trees=False), places, strict=True)
        )
        if e is None:
            yield from pairs
            return
        for pair, choice in choices_of(pairs):
            yield replace(pair, e_language=choice.language) if pair.e.forms else pair


def _with_place(pair: Pair, where: Where, parsed: bool) -> Pair:
    assert pair.f_rows is not None
    sentence = replace(pair.f_rows, where=where)
    igt = replace(pair.sentence, where=where, rows=sentence) if pair.sentence else None
    pair = replace(pair, where=where, f_rows=sentence, sentence=igt)
    if parsed and pair.e.tree is None:
        return replace(pair, e=DepTree((), ()), links=Links(frozenset(), (len(pair.f), 0)))
    return pair


def read_trees(path: Path) -> Iterator[DepTree | None]:
    """Yield the trees that a stage wrote, None where there is none."""
    for row in conllu.load(path):
        if row is not None:
            yield None if row.lines == (NOTHING,) else row.usable_tree()[0]


def read_links(
    path: Path, rows: Iterable[tuple[Pair, DepTree | None]], faults: Faults | None = None
) -> Iterator[tuple[Pair, DepTree | None, Links]]:
    """Yield sentences and trees with their links; links that cannot be right go to `faults` and are left out."""
    for (pair, tree), (_, line) in zip(rows, pharaoh.load(path), strict=True):
        yield pair, tree, _links(line, pair, tree, faults)


def _links(line: str, pair: Pair, tree: DepTree | None, faults: Faults | None = None) -> Links:
    shape = (len(pair.f), len(tree) if tree else 0)
    return pharaoh.parse(line, shape, pair.where, faults or Faults(strict=False)) if tree else Links(frozenset(), shape)


GOLD, HELD = "gold", "held"


def bare(forms: Iterable[str]) -> tuple[str, ...]:
    """Words without morpheme boundaries and capitals: interlinear lines are often segmented.

    >>> bare(("Hund-e", "bell=en"))
    ('hunde', 'bellen')
    """
    return tuple("".join(c for c in form if c not in "-=~").lower() or form for form in forms)


def places(text: Iterable[Pair], gold: Iterable[Rows], faults: Faults) -> dict[int, Rows]:
    """Return gold sentences by the number of the same sentence in the text (by sent_id, else by words); others are faults."""
    sentences = list(gold)
    ids, forms_of_gold = {row.sent_id for row in sentences} - {""}, {bare(row.forms) for row in sentences}
    known: dict[int, Pair] = {}
    by_id: dict[str, int] = {}
    by_words: dict[tuple[str, ...], list[int]] = {}
    for n, pair in enumerate(text):
        if (forms := bare(pair.f.forms)) in forms_of_gold:
            by_words.setdefault(forms, []).append(n)
        if pair.sent_id in ids:
            by_id[pair.sent_id], known[n] = n, pair
    matches: dict[int, Rows] = {}
    for sentence in sentences:
        forms = bare(sentence.forms)
        named = by_id.get(sentence.sent_id, -1) if sentence.sent_id else -1
        if named >= 0 and named not in matches and bare(known[named].f.forms) == forms:
            matches[named] = sentence
            continue
        free = next((n for n in by_words.get(forms, ()) if n not in matches), -1)
        if free >= 0:
            matches[free] = sentence
        else:
            faults.sentence(_stranger(sentence, known[named] if named >= 0 else None, forms in by_words))
    return dict(sorted(matches.items()))


def _stranger(sentence: Rows, named: Pair | None, again: bool) -> AlignmentError:
    shown = f"{' '.join(sentence.forms[:8])}{' …' if len(sentence.forms) > 8 else ''}"
    if again:
        return AlignmentError(f"gold tree of '{shown}', which has one already", sentence.where, "the first counts")
    if named is not None:
        message = f"the gold tree's words '{shown}' are not those of the text ({' '.join(named.f.forms[:8])})"
        return AlignmentError(message, sentence.where, "tokens must be the same on both sides")
    return AlignmentError(f"gold tree of '{shown}', which is not in the text", sentence.where, "it was left out")


def split(gold_places: Sequence[int], share: float, seed: int) -> set[int]:
    """Return the sentences to hold out: a share of them (rounded, but one at least stays on each side), by the seed."""
    if not share or len(gold_places) < 2:
        return set()
    count = min(len(gold_places) - 1, max(1, round(share * len(gold_places))))
    return set(random.Random(f"held out {seed}").sample(sorted(gold_places), count))


@dataclass
class GoldPairs:
    """Sentences with gold trees, written as corpus folders that every command reads."""

    rows: list[Rows]
    trees: list[DepTree]
    links: list[Links]

    @classmethod
    def of(
        cls, gold: dict[int, Rows], places: Collection[int], text: Iterable[tuple[Pair, DepTree | None, Links]]
    ) -> GoldPairs:
        """The gold sentences at these places, with the text's ids, words and glosses; those without a translation are left out."""
        corpus = cls([], [], [])
        for n, (pair, tree, links) in enumerate(text):
            if n in places and tree is not None:
                assert pair.f_rows is not None
                columns = {k: gold[n].column(k) for k in (3, 4, 6, 7)}
                corpus.rows.append(replace(pair.f_rows.with_columns(columns), end="\n\n"))
                corpus.trees.append(tree)
                corpus.links.append(links)
        return corpus

    def __len__(self) -> int:
        return len(self.rows)

    def write(self, folder: Path) -> None:
        folder.mkdir()
        with writing(folder / F_FILE) as out:
            conllu.dump(self.rows, out)
        with writing(folder / E_FILE) as out:
            ids = (row.sent_id for row in self.rows)
            conllu.dump((as_sentence(tree, i) for tree, i in zip(self.trees, ids, strict=True)), out)
        with writing(folder / LINKS_FILE) as out:
            pharaoh.dump(self.links, out)


def read_pairs(folder: Path) -> list[Pair]:
    """The pairs of such a folder; none where it is not there."""
    from divproj.io.corpus import Corpus

    return list(Corpus.at(folder, faults=Faults(strict=False))) if folder.is_dir() else []


WORTH = 600
"""Sentences × folds × systems from which on it pays to start other processes."""


def cross_validation(job: StageJob, folds: int) -> dict[str, Any]:
    """Cross-validate the systems on the gold sentences, and test the last of them against the first."""
    from divproj.evaluation.experiment import better, cross_validate

    config, pairs = job.config, job.gold_pairs()
    systems = config.systems
    job.tick(f"cross-validating {', '.join(systems)} on", len(pairs), 0)
    counted = {key: config.value("evaluate", key) for key in ("punctuation", "subtypes")}
    jobs = job.workers.jobs if len(pairs) * min(folds, len(pairs)) * len(systems) >= WORTH else 1
    results = cross_validate(pairs, systems, folds=folds, seed=config.seed, jobs=jobs, **counted)
    scores: dict[str, Any] = {
        "folds": min(folds, len(pairs)),
        "pairs": len(pairs),
        "systems": {
            name: {**results[name].as_json(), "sentences_right": results[name].scores.sentences, **_bins(results[name])}
            for name in systems
        },
    }
    if len(systems) > 1:
        scores["p"] = better(results, systems[0], systems[-1], seed=config.seed)
        scores["compared"] = [systems[0], systems[-1]]
    return scores


def _bins(result: SystemResult) -> dict[str, Any]:
    """Confidence against what is right."""
    return {"calibration": result.scores.as_json()["calibration"]}


def held_out(job: StageJob) -> dict[str, Any]:
    """Score the run's trees of the held-out sentences."""
    from divproj.evaluation.trees import score_trees

    pairs = read_pairs(job.before["gold"] / HELD)
    ids = {pair.sent_id for pair in pairs}
    projected = (row for row in conllu.load(job.before["project"] / OUTPUT) if row is not None)
    rows = {row.sent_id: row for row in projected if row.sent_id in ids}
    turned = "ud" if job.config.value("project", "style") == "function" else "as-is"
    triples = []
    for pair in pairs:
        if pair.sent_id not in rows:
            continue  # left out for its coverage
        row = rows[pair.sent_id]
        misc = row.column(9)
        texts = [confidence_of(cell) for cell in misc]
        sure = tuple(map(float, texts)) if all(texts) else ()
        triples.append(
            (
                pair.f,
                in_style(from_written(row.usable_tree()[0], misc), turned),
                tuple(misc_value(cell, "Proj") for cell in misc),
                sure,
            )
        )
    scores = score_trees(triples, **{key: job.config.value("evaluate", key) for key in ("punctuation", "subtypes")})
    return {"sentences": len(triples), "sentences_right": scores.sentences, **scores.as_json()}


def estimate_accuracy(job: StageJob, scores: dict[str, Any]) -> Expected | None:
    """Return the share of right heads to expect in new sentences, from held-out ones, the folds and the calibration."""
    counts: list[tuple[int, int]] = []
    sources = []
    if held := scores.get("held_out"):
        counts += [tuple(pair) for pair in held["sentences_right"]]
        sources.append(plural(held["sentences"], "held-out sentence"))
    folded = scores.get("cross_validation", {})
    if system_scores := folded.get("systems", {}).get(job.config.system):
        counts += [tuple(pair) for pair in system_scores["sentences_right"]]
        sources.append(f"{plural(folded['pairs'], 'gold sentence')} in {plural(folded['folds'], 'fold')}")
    return combine(_calibration(job), expected_from_counts(counts, " and ".join(sources)))


def _calibration(job: StageJob) -> Expected | None:
    """What the calibration says of projected sentences that were not learned from; of those that were, it would say too much."""
    learned = set(job.earlier.get("gold", {}).get(f"{GOLD}_ids", ()))
    summary = job.earlier["project"]["summary"]
    if not learned or not summary["expected"]:
        return Expected.from_json(summary["expected"])
    rows = (row for pair, row in job.with_projections() if len(pair.links) and pair.sent_id not in learned)
    sure = ([float(text) for text in map(confidence_of, row.column(9)) if text] for row in rows)
    return expected_accuracy(sure, summary["system"])


def link_scores(job: StageJob) -> dict[str, Any]:
    """Score predicted links against those that the text came with."""
    from divproj.evaluation.trees import LinkScore

    given: Iterable[Links | None]
    if job.config.links:
        given = (links for _, _, links in read_links(job.before["read"] / LINKS, job.with_trees()))
    else:
        given = (_given_links(instance(pair).links, tree, len(pair.f)) for pair, tree in job.with_trees())
    score, count = LinkScore(), 0
    for gold, (_, tree, links) in zip(given, job.with_links(), strict=True):
        if gold is not None and tree is not None:
            score.add(gold, links)
            count += 1
    return {"sentences": count, **score.as_json()}


def _given_links(links: frozenset[tuple[int, int]] | None, tree: DepTree | None, words: int) -> Links | None:
    if links is None or tree is None or any(i > words or j > len(tree) for i, j in links):
        return None
    return Links(links, (words, len(tree)))
