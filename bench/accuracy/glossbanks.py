"""Glossed text without gold trees: models learned from other languages, whole families held out.

    python bench/accuracy/glossbanks.py [--work WORK] [--cap 250] [--banks hau_s,pcm] [--types 20,50] [--own 5,10,20,50 [--systems s2+,s6+] [--seeds 1,5,6]]

WORK is that of `train/glossed/build.py`, which makes the models: one for each group of families that has seen none of them. Reads
../shared/data/glossbanks and ud-igt-hausa. `--own` gives the curve with gold trees of the language itself instead, of `--systems` that learn: s2+, s6+,
s4+ and s5+ (`s4+:alone` does not start from s6). `--types` simulates a linguist who gives the commonest gold tag of each of the first types of
`proj types`; alone it gives the table of types and oracles, with `--own` everything is tried without types and with the last number of them.
`--wrong 0.1` makes a tenth of the answers wrong. The shipped model has seen all banks; other benchmarks take s6 without a language's family from
here (`without_family`).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import numpy as np
from bench.accuracy.ud_drafts import Columns
from bench.common import DATA, OUT, Table, need

from divproj.core.pair import Pair, WordAnswer
from divproj.evaluation.trees import is_punctuation, score_trees
from divproj.projection import parsers
from divproj.projection.correction import HeadModel
from divproj.projection.direct import ProjectFunction, Projection, ProjectionInput, s1
from divproj.projection.glossed.attachments import S5WithPriors
from divproj.projection.glossed.corrected import S6Plus
from divproj.projection.glossed.model import GlossModel
from divproj.projection.glossed.s6 import CLOSED, S6, is_read
from divproj.projection.glossed.training import GlossedTreebank
from divproj.projection.glossed.word_types import LAS_OF_TAG, Answer, WordTypes, expected_gain, list_types, type_key
from divproj.projection.phrasal.s5 import S5
from divproj.projection.systems import AdaptedSystem
from divproj.runtime.vectors import shipped_vectors
from divproj.ud.rows import lemmas_and_features, shipped_grams
from divproj.ud.tagsets import LABELS, UPOS

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "train" / "glossed"))
from banks import FAMILIES, banks, fold

WORK = OUT / "held-out-s6"
"""The work folder where none is given: `python train/glossed/build.py DATA --work bench/out/held-out-s6 -o languages/glossed` fills it."""


COLUMNS = ("bank", "FEATS P / R / F1", "the same, words with gold features", "LEMMA right of given")
MANY = 100
"""Gold trees from which on a table of their own is kept: only large banks have so many."""


def model_without(bank: str) -> Path:
    """Return the folder of the model that has not seen the family of a bank."""
    return need(WORK / fold(FAMILIES["hau" if bank == "hausa" else bank]))


def without_family(bank: str) -> S6:
    """Return s6 as it is for a language whose family it has never seen."""
    return S6(GlossModel.load(model_without(bank)))


def judge(bank: GlossedTreebank, projections: list[Projection]) -> list[float]:
    """UAS, LAS, LAS without gold `dep`, UPOS, in percent, without punctuation."""
    pairs = [(gold, p.tree, (), p.confidence) for gold, p in zip(bank.gold, projections, strict=True)]
    scores = score_trees(pairs, punctuation=False, subtypes=False)
    tags = words = labelled = named = 0
    for gold, tree, _, _ in pairs:
        for k, (head, rel, tag) in enumerate(zip(gold.heads, gold.deprels, gold.upos, strict=True)):
            if head < 0 or is_punctuation(gold.forms[k], tag):
                continue
            words += 1
            tags += tree.upos[k] == tag
            if rel.partition(":")[0] != "dep":
                named += 1
                labelled += tree.heads[k] == head and tree.deprels[k] == rel.partition(":")[0]
    return [scores.overall.uas, scores.overall.las, 100 * labelled / max(named, 1), 100 * tags / max(words, 1)]


def columns(bank: GlossedTreebank, projections: list[Projection]) -> list[str]:
    """FEATS and LEMMA of whole rows, by the glosses and the tags that were found."""
    counts, grams = Columns(), shipped_grams()
    for gold, projection in zip(bank.rows, projections, strict=True):
        none = ("_",) * len(gold.forms)
        bare = gold.with_columns({2: none, 5: none})
        lemmas, feats = lemmas_and_features(bare, projection.upos, grams)
        counts.add([bare.with_columns({2: lemmas, 3: projection.upos, 5: feats})], [gold])
    return counts.cells()[1:]


def answers_of(bank: GlossedTreebank, relations: bool = False) -> dict[str, WordAnswer]:
    """What a linguist would say of each type: its commonest gold tag, and with `relations` the commonest relation of closed classes."""
    tags: dict[str, Counter[str]] = {}
    deprels: dict[str, Counter[str]] = {}
    for sentence, gold in zip(bank.sentences, bank.gold, strict=True):
        glosses = sentence.glosses or ("",) * len(sentence)
        for form, gloss, tag, rel in zip(sentence.forms, glosses, gold.upos, gold.deprels, strict=True):
            if tag in UPOS and tag != "PUNCT":
                tags.setdefault(type_key(form, gloss), Counter())[tag] += 1
                deprels.setdefault(type_key(form, gloss), Counter())[rel.partition(":")[0]] += 1
    answers = {}
    for key, counts in tags.items():
        tag, rel = counts.most_common(1)[0][0], deprels[key].most_common(1)[0][0]
        answers[key] = WordAnswer((tag,), rel if relations and tag in CLOSED and rel in LABELS else "")
    return answers


def with_answers(bank: GlossedTreebank, answers: dict[str, WordAnswer]) -> GlossedTreebank:
    """The bank with these answers for its words."""
    sentences = []
    for sentence in bank.sentences:
        rows = zip(sentence.forms, sentence.glosses or ("",) * len(sentence), strict=True)
        said = tuple(answers.get(type_key(form, gloss)) for form, gloss in rows)
        sentences.append(replace(sentence, answers=said if any(said) else ()))
    return replace(bank, sentences=sentences)


def spoiled(answers: dict[str, WordAnswer], share: float, seed: int = 1) -> dict[str, WordAnswer]:
    """Answers of which a share, drawn by chance, have a wrong tag: that of another type."""
    chance, tags = np.random.default_rng(seed), [answer.tags for answer in answers.values()]
    return {
        key: answer._replace(tags=tags[int(chance.integers(len(tags)))]) if chance.random() < share else answer
        for key, answer in answers.items()
    }


@dataclass(frozen=True)
class TypesTried:
    """A bank with the tags of its first types."""

    rows: list[list[float]]
    """Accuracies of the columns of the table."""
    gains: list[float]
    """Points of LAS that the types are expected to bring."""
    asked: int = 0
    against: int = 0
    """Answers that are asked again, and of these the wrong ones."""


def try_types(bank: GlossedTreebank, work: Path, sizes: list[int], wrong: float) -> TypesTried:
    """Accuracy with the tags of the first types, whole bank; gold tags, heads and both as oracles."""
    model = GlossModel.load(work / fold(bank.family))
    system = S6(model)
    types = list_types(bank.sentences, system)
    answers = answers_of(bank)
    first = [row.key for row in types if row.key in answers]
    common = sorted(first, key={row.key: -row.count for row in types}.__getitem__)
    some = [{key: answers[key] for key in first[:n]} for n in sizes]
    some = [spoiled(each, wrong) for each in some] if wrong else some
    given = [bank, *(with_answers(bank, each) for each in some)]
    rows = []
    for kind, tried in ((S5WithPriors.with_model(model), given[:: len(sizes)]), (system, given)):
        for each in tried:
            adapted = AdaptedSystem.to(kind, each.sentences)
            rows.append(judge(each, [adapted.project(b) for b in each.sentences]))
    related = answers_of(bank, relations=True)
    for said in ({key: answers[key] for key in common[: sizes[0]]}, {key: related[key] for key in first[: sizes[-1]]}):
        each = with_answers(bank, said)
        adapted = AdaptedSystem.to(system, each.sentences)
        rows.append(judge(each, [adapted.project(b) for b in each.sentences]))
    rows += oracles(bank, system)
    asked = against = 0
    if wrong:
        for row in list_types(given[-1].sentences, system, WordTypes({k: Answer(a.tags) for k, a in some[-1].items()})):
            asked += row.against
            against += row.against and row.answer is not None and row.answer.tags != answers[row.key].tags
    return TypesTried(rows, [expected_gain(types, n) for n in sizes], asked, against)


def by_types(tested: list[GlossedTreebank], work: Path, sizes: list[int], wrong: float, jobs: int = 1) -> None:
    """The table of types, and that of what they were expected to bring; each process is a session of its own, with its share of a machine."""
    names = ["s5", f"s5, {sizes[-1]} types", "s6", *(f"{n} types" for n in sizes), f"{sizes[0]} commonest types"]
    names += [f"{sizes[-1]} types, relations too", "gold tags", "gold heads", "gold heads and tags"]
    caption = "UAS / LAS / UPOS, families held out; types tagged by a simulated linguist, in the order of `proj types`"
    caption += f"; {100 * wrong:.0f} % of the answers wrong" if wrong else ""
    tries: list[TypesTried] = []
    with (
        ProcessPoolExecutor(jobs, initializer=os.setsid) as pool,
        Table("glossbanks-types" + "-wrong" * bool(wrong), caption, "bank", *names) as table,
    ):
        task = partial(try_types, work=work, sizes=sizes, wrong=wrong)
        for bank, tried in zip(tested, pool.map(task, tested), strict=True):
            tries.append(tried)
            table.add(bank.name, *map(_brief, tried.rows))
        table.add("mean", *map(_brief, np.mean([tried.rows for tried in tries], 0).tolist()))
        if wrong:
            table.note(
                f"of {sum(t.asked for t in tries)} answers that are asked again {sum(t.against for t in tries)} are wrong"
            )
    if not wrong:
        gains_of_types(tested, tries, sizes)


def gains_of_types(tested: list[GlossedTreebank], tries: list[TypesTried], sizes: list[int]) -> None:
    """What the first types were expected to bring, and what they brought."""
    first = ["s5", "s5, types", "s6"]
    gains = np.array([[tried.rows[k + len(first)][1] - tried.rows[2][1] for k in range(len(sizes))] for tried in tries])
    hopes = np.array([tried.gains for tried in tries])
    caption = "Points of LAS that the first types bring, expected (`word_types.expected_gain`) and true; slope: true for each wrong tag expected, other families"
    names = [f"{n} types: {name}" for n in sizes for name in ("expected", "true", "slope")]
    with Table("glossbanks-gains", caption, "bank", *names) as table:
        for k, bank in enumerate(tested):
            others = [o for o, other in enumerate(tested) if other.family != bank.family] or [k]
            tags = hopes[others] / LAS_OF_TAG
            slopes = (tags * gains[others]).sum(0) / np.maximum((tags * tags).sum(0), 1e-9)
            rows = zip(hopes[k], gains[k], slopes, strict=True)
            table.add(bank.name, *(cell for a, b, slope in rows for cell in (f"{a:.1f}", f"{b:.1f}", f"{slope:.2f}")))
        means = zip(hopes.mean(0), gains.mean(0), strict=True)
        table.add("mean", *(cell for a, b in means for cell in (f"{a:.1f}", f"{b:.1f}", "")))


def oracles(bank: GlossedTreebank, system: S6) -> list[list[float]]:
    """s6 with gold tags of all words; with gold heads, and s6's tags and labels; with gold heads and tags."""
    tagged = replace(bank, sentences=[replace(s, tags=g.upos) for s, g in zip(bank.sentences, bank.gold, strict=True)])
    rows = []
    for each, known in ((tagged, False), (bank, True), (tagged, True)):
        adapted = AdaptedSystem.to(system, each.sentences)
        trees = [adapted.project(b) for b in each.sentences]
        if known:
            trees = [
                system.relabel(b, system.analyze(b, adapted.state), [max(h, 0) for h in gold.heads], tree.upos)
                if is_read(b)
                else tree
                for b, gold, tree in zip(each.sentences, bank.gold, trees, strict=True)
            ]
        rows.append(judge(bank, trees))
    return rows


def own_trees(
    tested: list[GlossedTreebank], work: Path, sizes: list[int], seeds: list[int], systems: list[str], types: int = 0
) -> None:
    """Accuracy on the second half of each bank of 100 sentences or more, with gold trees of the first half by chance.

    Means over the draws of `seeds`; a size that the half does not have in a bank is left out there. With `types` everything is tried once more with
    the tags of so many types.
    """
    names = ["s6", *(f"{n}: {system}" for n in sizes for system in systems)]
    columns = names + [f"{name}, {types} types" for name in names] * bool(types)
    name = "glossbanks-own" if min(sizes) < MANY else "glossbanks-many"
    name += f"-{types}-types" * bool(types)
    caption = "UAS / LAS on half of each bank, families held out: s6, then systems with N gold trees of the language"
    caption += f"; then with the tags of the first {types} types" if types else ""
    sums = []
    with Table(name, caption, "bank", *columns, seed=",".join(map(str, seeds))) as table:
        for bank in tested:
            if len(bank.gold) < max(100, 2 * min(sizes)):
                continue
            system = S6(GlossModel.load(work / fold(bank.family)))
            views = [bank]
            if types:
                answers = answers_of(bank)
                first = [row.key for row in list_types(bank.sentences, system) if row.key in answers]
                views.append(with_answers(bank, {key: answers[key] for key in first[:types]}))
            rows = []
            for view in views:
                base = AdaptedSystem.to(system, view.sentences)
                draws = [_draw(view, base, [n for n in sizes if n <= len(bank.gold) // 2], seed, systems) for seed in seeds]
                some = np.mean(draws, 0)
                rows.append(np.concatenate([some, np.full((len(names) - len(some), some.shape[1]), np.nan)]))
            sums.append(np.concatenate(rows))
            table.add(bank.name, *map(_both, sums[-1]))
        table.add("mean", *map(_both, np.nanmean(sums, 0)))


def _draw(bank: GlossedTreebank, base: AdaptedSystem[S6], sizes: list[int], seed: int, systems: list[str]) -> list[list[float]]:
    """s6, then the systems with each number of own trees."""
    order = np.random.default_rng(seed).permutation(len(bank.gold)).tolist()
    first, rest = order[: len(order) // 2], order[len(order) // 2 :]
    tried = GlossedTreebank(bank.name, bank.family, [bank.sentences[k] for k in rest], [bank.gold[k] for k in rest])
    rows = [judge(tried, [base.project(b) for b in tried.sentences])]
    for size in sizes:
        pairs = [_pair(bank, k) for k in first[:size]]
        rows += [judge(tried, [*map(learned(name, pairs, bank.sentences, base), tried.sentences)]) for name in systems]
    return rows


def learned(system: str, pairs: list[Pair], text: list[ProjectionInput], base: AdaptedSystem[S6]) -> ProjectFunction:
    """A system after learning from pairs; `base` is s6 with its state for the text."""
    if system == "s2+":
        return HeadModel.fit(pairs).project
    if system == "s6+":
        return AdaptedSystem(S6Plus.cross_fit(pairs, base.state, base.system)[0], base.state).project
    name, _, alone = system.partition(":")
    return parsers.fit(name, pairs, text=text, prior=None if alone else base.system).project


def _both(row: list[float]) -> str:
    return "–" if np.isnan(row[0]) else f"{row[0]:.1f} / {row[1]:.1f}"


def _pair(bank: GlossedTreebank, k: int) -> Pair:
    bitext = bank.sentences[k]
    return Pair(bank.gold[k], bitext.e, bitext.links, bitext.sent_id, glosses=bitext.glosses, answers=bitext.answers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, default=WORK)
    parser.add_argument("--cap", type=int, default=250)
    parser.add_argument("--banks", default="")
    parser.add_argument("--own", default="", help="numbers of gold trees of the language itself")
    parser.add_argument("--systems", default="s2+,s6+", help="that learn from them")
    parser.add_argument("--seeds", default="1", help="of the draws of gold trees")
    parser.add_argument("--types", default="", help="numbers of types that are tagged")
    parser.add_argument("--wrong", type=float, default=0.0, help="share of the types whose tag is wrong")
    parser.add_argument("--jobs", type=int, default=1, help="processes, for --types")
    options = parser.parse_args()
    numbers = [int(k) for k in filter(None, options.types.split(","))]
    tested = banks(need(DATA), options.cap, shipped_vectors("en"), set(filter(None, options.banks.split(","))))
    if options.own:
        sizes, seeds = ([int(k) for k in some.split(",")] for some in (options.own, options.seeds))
        own_trees(tested, options.work, sizes, seeds, options.systems.split(","), (numbers or [0])[-1])
        return
    if numbers:
        by_types(tested, options.work, numbers, options.wrong, options.jobs)
        return
    caption = f"UAS / LAS (LAS without gold `dep`) / UPOS, families held out, up to {options.cap} sentences a bank"
    sums, rows, spent = [], [], 0.0
    with Table("glossbanks", caption, "bank", "s1-r", "s5 without the model", "s5", "s6") as table:
        for bank in tested:
            model = GlossModel.load(options.work / fold(bank.family))
            start = time.process_time()
            s6 = AdaptedSystem.to(S6(model), bank.sentences)
            trees = {"s1-r": [s1(b) for b in bank.sentences], "s6": [s6.project(b) for b in bank.sentences]}
            spent += time.process_time() - start
            plain = AdaptedSystem.to(S5(), bank.sentences)
            trees["plain"] = [plain.project(b) for b in bank.sentences]
            attached = AdaptedSystem.to(S5WithPriors.with_model(model), bank.sentences)
            trees["s5"] = [attached.project(b) for b in bank.sentences]
            sums.append([judge(bank, trees[name]) for name in ("s1-r", "plain", "s5", "s6")])
            rows.append((bank.name, *columns(bank, trees["s6"])))
            table.add(bank.name, *map(_cell, sums[-1]))
        table.add("mean", *map(_cell, np.mean(sums, 0).tolist()))
        count = sum(len(bank.gold) for bank in tested)
        table.note(
            f"s6: {count:,} sentences in {spent:.1f} CPU s, {count / spent:.0f} a second, English parse and links not counted"
        )
    with Table("glossbanks-columns", "FEATS and LEMMA of s6 against gold, the same run", *COLUMNS) as table:
        for row in rows:
            table.add(*row)


def _brief(row: list[float]) -> str:
    return f"{row[0]:.1f} / {row[1]:.1f} / {row[3]:.1f}"


def _cell(row: list[float]) -> str:
    return f"{row[0]:.1f} / {row[1]:.1f} ({row[2]:.1f}) / {row[3]:.1f}"


if __name__ == "__main__":
    main()
