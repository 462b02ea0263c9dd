"""Learning by correction, simulated with gold trees: a person corrects sentences, the review learns from them and checks itself.

Three questions, as `proj review` does it (`AdaptingLearner` over the trees in use, `check` before anything is taken):
`learning`: heads right in the rest with 1, 5, 10 and 20 corrected sentences, chosen by chance; what a check refuses stays.
`choosing`: heads right in sentences never shown, by heads that the person had to change, for three ways to choose: by chance, the least
confident, and the most to gain as `proj review` goes by it (`choosing.ranked`). Between two rounds of learning the line is straight;
where all rounds are through before so many heads were changed, the last value stands.
`words`: LAS of the whole text, as the linguist has it then, by the number of edits: word types tagged first, sentences corrected first, or mixed by
the rule of “Next to correct”. An edit is a tag for a type, or a word whose head or relation is corrected. Types come in the order of `proj types`, ten
at a time, sentences most to gain first, five at a time; a corrected sentence is right from then on. What sentences teach counts where the check lets it.

python bench/accuracy/review_simulation.py learning|choosing|words [--seeds 3] [--most 300] [--work MODELS] [CORPUS ...]
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import ne
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.accuracy.glossbanks import WORK, answers_of, banks, fold, with_answers, without_family
from bench.common import DATA, Table, need

from divproj.core.errors import Faults, ProjError
from divproj.core.pair import WordAnswer
from divproj.core.tree import DepTree
from divproj.io.corpus import Corpus
from divproj.io.trees import conllu
from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.glossed.model import GlossModel
from divproj.projection.glossed.s6 import S6
from divproj.projection.glossed.training import GlossedTreebank
from divproj.projection.glossed.word_types import list_types
from divproj.projection.pipeline import corrections
from divproj.projection.prepare import Preparation, prepare_text
from divproj.projection.systems import AdaptedSystem
from divproj.review.learning import AdaptingLearner, PriorTree, ReviewedSentence, check
from divproj.review.server import LEARNED_SHARE, TAG_WORTH, DoubtfulWord, rank
from divproj.runtime.vectors import shipped_vectors

Edges = tuple[Sequence[int], Sequence[str]]

CORPORA = {
    "odin-ger": ("odin/ger/igt.txt", "deu"),
    "hausa": ("ud-igt-hausa/ha_northernautogramm-ud-test.conllu", ""),
    "arh": ("glossbanks/arh", ""),
    "sab": ("glossbanks/sab", ""),
    "nhi": ("glossbanks/nhi", ""),
    "odin-ger-s6": ("odin/ger/igt.txt", ""),
}
"""Texts as a linguist has them (glosses and translation alone), and what makes the trees in use: shipped rules, else s6."""
SIZES = (1, 5, 10, 20)
POLICIES = ("random", "least confident", "most to gain")
ROUNDS = (5, 10, 20, 30, 40, 60)
"""Corrected sentences after which the review learns."""
CHANGED = (25, 50, 100)
"""Heads changed by the person, after which the ways to choose are compared."""


def load(name: str, most: int) -> list[ReviewedSentence]:
    """Sentences with a whole gold tree, and the tree in use."""
    place, rules = CORPORA[name]
    path = need(DATA / place)
    path = next(path.glob("*.conllu")) if path.is_dir() else path
    gold = _gold(path)
    found: list[tuple[DepTree, ProjectionInput]] = []
    for pair in prepare_text(Corpus(path), Preparation("en"), Faults(strict=False)):
        sentence, bitext = pair.f_rows, ProjectionInput.of(pair)
        assert sentence is not None
        waiting = gold.get(_bare(sentence.forms))
        if waiting and len(bitext.e) and len(found) < most:
            found.append((waiting.pop(0), bitext))
    if rules:
        project = corrections(rules).model.project
    else:
        s6 = S6() if name.startswith("odin") else without_family(name)  # no bank is of German's family
        project = AdaptedSystem.to(s6, [b for _, b in found]).project
    return [_example(n, tree, project(bitext)) for n, (tree, bitext) in enumerate(found)]


def _gold(path: Path) -> dict[tuple[str, ...], list[DepTree]]:
    made: dict[tuple[str, ...], list[DepTree]] = {}
    for row in conllu.load(path if path.suffix == ".conllu" else path.with_name("f.conllu"), Faults(strict=False)):
        tree, faults = row.usable_tree() if row else (DepTree((), ()), ())
        if row and not faults and len(tree):
            made.setdefault(_bare(row.forms), []).append(tree)
    return made


def _bare(forms: Sequence[str]) -> tuple[str, ...]:
    return tuple("".join(c for c in form if c not in "-=~").lower() for form in forms)


def _example(n: int, gold: DepTree, found: Projection) -> ReviewedSentence:
    tree = found.tree
    prior = PriorTree(found.heads, tree.deprels, found.reasons, found.confidence, tree.upos)
    return ReviewedSentence(n, found.sentence, DepTree(tree.forms, gold.heads, gold.deprels, tree.upos), prior)


def quiet(what: str, done: int, total: int) -> None:
    """Nothing is told of the progress."""


def share(examples: Sequence[ReviewedSentence], heads: dict[int, Sequence[int]]) -> float:
    """Percent of right heads."""
    pairs = [pair for x in examples for pair in zip(x.tree.heads, heads[x.n], strict=True)]
    return 100 * fmean(a == b for a, b in pairs)


def learning(data: list[ReviewedSentence], seed: int) -> Iterator[tuple[int, float, float, int, bool]]:
    """(corrected, right before, right after, trees that are worse, whether it was taken) of the rest."""
    order = random.Random(seed).sample(data, len(data))
    for size in SIZES:
        gold, rest = order[:size], order[size : size + 150]
        verdict = check(AdaptingLearner(), gold, quiet)
        heads: dict[int, Sequence[int]] = {x.n: x.prior.heads for x in rest}
        before = share(rest, heads)
        if verdict.better:
            heads |= {n: tree.heads for n, tree in verdict.learner(gold, rest, quiet)}
        worse = sum(_right(x, heads[x.n]) < _right(x, x.prior.heads) for x in rest)
        yield size, before, share(rest, heads), worse, verdict.better


def _right(example: ReviewedSentence, heads: Sequence[int]) -> int:
    return sum(a == b for a, b in zip(example.tree.heads, heads, strict=True))


def choosing(data: list[ReviewedSentence], policy: str, seed: int) -> Iterator[tuple[int, int, float]]:
    """(corrected, heads changed by the person, right heads of unseen sentences) before the first round and after each."""
    order = random.Random(seed).sample(data, len(data))
    cut = min(100, len(data) // 3)
    unseen, pool = order[:cut], order[cut:]
    now = {x.n: (x.prior.heads, x.prior.confidence) for x in pool}
    done: list[ReviewedSentence] = []
    changed = 0
    yield 0, 0, share(unseen, {x.n: x.prior.heads for x in unseen})
    for size in ROUNDS:
        left = [x for x in pool if x not in done]
        if len(left) < size - len(done):
            return
        new = _chosen(policy, left, done, now, size - len(done))
        changed += sum(len(x.tree) - _right(x, now[x.n][0]) for x in new)
        done += new
        verdict = check(AdaptingLearner(), done, quiet)
        heads: dict[int, Sequence[int]] = {x.n: x.prior.heads for x in unseen}
        if verdict.better:
            made = dict(verdict.learner(done, [*unseen, *(x for x in pool if x not in done)], quiet))
            heads |= {x.n: made[x.n].heads for x in unseen}
            now |= {x.n: (made[x.n].heads, made[x.n].confidence) for x in pool if x.n in made}
        yield size, changed, share(unseen, heads)


def by_heads(rounds: Sequence[tuple[int, int, float]], changed: int) -> float:
    """Right heads when so many heads were changed.

    >>> by_heads([(0, 0, 60.0), (5, 20, 62.0), (10, 30, 64.0)], 25), by_heads([(0, 0, 60.0), (5, 20, 62.0)], 25)
    (63.0, 62.0)
    """
    for (_, a, before), (_, b, after) in pairwise(rounds):
        if a <= changed < b:
            return before + (after - before) * (changed - a) / (b - a)
    return rounds[-1][2]


def _chosen(
    policy: str, left: list[ReviewedSentence], done: list[ReviewedSentence], now: dict[int, tuple], count: int
) -> list[ReviewedSentence]:
    if policy == "random":
        return left[:count]
    if policy == "least confident":
        return sorted(left, key=lambda x: fmean(now[x.n][1]))[:count]
    new: list[ReviewedSentence] = []
    while len(new) < count:  # five at a time: each choice changes little in the next
        free = {x.n: _words(x, now[x.n][1]) for x in left if x not in new}
        best = [choice.n for choice in rank(free, [_words(x, x.prior.confidence) for x in (*done, *new)])]
        named = {x.n: x for x in left}
        new += [named[n] for n in best[: min(5, count - len(new))]]
    return new


def _words(example: ReviewedSentence, sure: Sequence[float | None]) -> list[DoubtfulWord]:
    p = example.prior
    rows = zip(example.tree.forms, p.tags, p.deprels, p.reasons, sure, strict=True)
    return [DoubtfulWord(form.lower(), tag, rel, reason, c or 0.0) for form, tag, rel, reason, c in rows]


BUDGETS = (20, 50, 100, 200)
"""Edits after which the orders of work are compared."""
WAYS = ("words first", "sentences first", "mixed")
TYPES_AT_ONCE, SENTENCES_AT_ONCE, MOST_TYPES = 10, 5, 100
BANKS = ("nhi", "arh", "kir")


def correcting(bank: GlossedTreebank, system: S6, way: str) -> Iterator[tuple[int, float]]:
    """(edits, LAS of the text) before the first edit and after each batch, up to the largest budget."""
    right = answers_of(bank)
    open_types = [row for row in list_types(bank.sentences, system) if row.key in right][:MOST_TYPES]
    answers: dict[str, WordAnswer] = {}
    corrected: dict[int, ReviewedSentence] = {}
    trees = _project(bank, system, answers)
    edits = 0
    yield 0, _las(bank, {n: (x.prior.heads, x.prior.deprels) for n, x in trees.items()})
    while edits < BUDGETS[-1] and (open_types or len(corrected) < len(trees)):
        free = {n: _words(x, x.prior.confidence) for n, x in trees.items() if n not in corrected}
        choices = rank(free, [_words(x, x.prior.confidence) for x in corrected.values()])
        words = way == "words first"
        if way == "mixed" and open_types:
            words = TAG_WORTH * open_types[0].gain > 1 + LEARNED_SHARE * (choices[0].gain if choices else 0)
        if (words and open_types) or not choices:
            batch, open_types = open_types[:TYPES_AT_ONCE], open_types[TYPES_AT_ONCE:]
            answers |= {row.key: right[row.key] for row in batch}
            edits += len(batch)
            trees = _project(bank, system, answers) | corrected
        else:
            for choice in choices[:SENTENCES_AT_ONCE]:
                x = corrected[choice.n] = trees[choice.n]
                edits += sum(map(ne, _edges(x.prior.heads, x.prior.deprels), _edges(x.tree.heads, x.tree.deprels)))
        yield edits, _las(bank, _after_learning(trees, corrected))


def _project(bank: GlossedTreebank, system: S6, answers: dict[str, WordAnswer]) -> dict[int, ReviewedSentence]:
    sentences = with_answers(bank, answers).sentences
    project = AdaptedSystem.to(system, sentences).project
    rows = zip(sentences, bank.gold, strict=True)
    return {
        n: _example(n, gold, project(sentence))
        for n, (sentence, gold) in enumerate(rows)
        if 0 in gold.heads and min(gold.heads) >= 0
    }


def _after_learning(trees: dict[int, ReviewedSentence], corrected: dict[int, ReviewedSentence]) -> dict[int, Edges]:
    """Heads and relations of all sentences: corrected ones are right, others as learning leaves them."""
    now = {n: (x.prior.heads, x.prior.deprels) for n, x in trees.items()}
    if corrected:
        rest = [x for n, x in trees.items() if n not in corrected]
        with contextlib.suppress(ProjError):
            verdict = check(AdaptingLearner(), [*corrected.values()], quiet, curve=False)
            if verdict.better:
                now |= {n: (tree.heads, tree.deprels) for n, tree in verdict.learner([*corrected.values()], rest, quiet)}
    return now | {n: (x.tree.heads, x.tree.deprels) for n, x in corrected.items()}


def _edges(heads: Sequence[int], deprels: Sequence[str]) -> list[tuple[int, str]]:
    return [(head, rel.partition(":")[0]) for head, rel in zip(heads, deprels, strict=True)]


def _las(bank: GlossedTreebank, trees: dict[int, Edges]) -> float:
    same = [
        a == b
        for n, edges in trees.items()
        for a, b, tag in zip(_edges(*edges), _edges(bank.gold[n].heads, bank.gold[n].deprels), bank.gold[n].upos, strict=True)
        if tag != "PUNCT"
    ]
    return 100 * fmean(same)


def compare_ways(names: Sequence[str], most: int, work: Path) -> None:
    caption = f"LAS of the whole text by the number of edits; at most {most} sentences, families held out"
    columns = ("bank", "what comes first", "no edit", *(f"{n} edits" for n in BUDGETS))
    with Table("review_simulation-words", caption, *columns) as table:
        sums: dict[str, list[list[float]]] = {way: [] for way in WAYS}
        for bank in banks(DATA, most, shipped_vectors(), set(names)):
            system = S6(GlossModel.load(need(work / fold(bank.family))))
            for way in WAYS:
                rounds = [(0, edits, las) for edits, las in correcting(bank, system, way)]
                row = [rounds[0][2], *(by_heads(rounds, n) for n in BUDGETS)]
                sums[way].append(row)
                table.add(bank.name, way, *(f"{x:.1f}" for x in row))
        for way, rows in sums.items():
            table.add("mean", way, *(f"{fmean(x):.1f}" for x in zip(*rows, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("question", choices=("learning", "choosing", "words"))
    parser.add_argument("corpora", nargs="*", default=[])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--most", type=int, default=300, help="sentences of a corpus")
    parser.add_argument("--work", type=Path, default=WORK, help="models without families, for `words`")
    options = parser.parse_intermixed_args()
    if options.question == "words":
        compare_ways(options.corpora or BANKS, options.most, options.work)
        return
    names = options.corpora or [name for name in CORPORA if options.question == "learning" or "odin" not in name]
    data = {name: load(name, options.most) for name in names}
    for name, some in data.items():
        print(f"{name}: {len(some)} sentences", file=sys.stderr, flush=True)
    caption = f"{options.seeds} seeds, at most {options.most} sentences, families held out"
    if options.question == "learning":
        compare_sizes(data, options.seeds, f"Right heads of the rest after learning from corrected sentences; {caption}")
    else:
        compare_policies(data, options.seeds, f"Right heads in sentences never shown, by heads changed; {caption}")


def compare_sizes(data: dict[str, list[ReviewedSentence]], seeds: int, caption: str) -> None:
    columns = ("corpus", "heads right in use", "corrected", "change, mean", "worst seed", "trees worse, of 150", "taken")
    with Table("review_simulation-learning", caption, *columns, seed=f"0 to {seeds - 1}") as table:
        for name, some in data.items():
            for rows in zip(*(learning(some, seed) for seed in range(seeds)), strict=True):
                gains = [after - before for _, before, after, _, _ in rows]
                used = f"{fmean(row[1] for row in rows):.1f}"
                worse, taken = f"{fmean(row[3] for row in rows):.1f}", f"{sum(row[4] for row in rows)} of {len(rows)}"
                table.add(name, used, rows[0][0], f"{fmean(gains):+.2f}", f"{min(gains):+.2f}", worse, taken)


def compare_policies(data: dict[str, list[ReviewedSentence]], seeds: int, caption: str) -> None:
    at = [f"{n} heads changed" for n in CHANGED]
    columns = ("corpus", "chosen by", "in use", *at, "after all rounds (heads changed)", "by seed, 50 heads")
    sums: dict[str, list[list[float]]] = {policy: [] for policy in POLICIES}
    with Table("review_simulation-choosing", caption, *columns, seed=f"0 to {seeds - 1}") as table:
        for name, some in data.items():
            for policy in POLICIES:
                runs = [list(choosing(some, policy, seed)) for seed in range(seeds)]
                sums[policy].append([fmean(by_heads(rounds, n) for rounds in runs) for n in CHANGED])
                last = f"{fmean(r[-1][2] for r in runs):.1f} ({fmean(r[-1][1] for r in runs):.0f})"
                each = " ".join(f"{by_heads(rounds, 50):.1f}" for rounds in runs)
                used = f"{fmean(r[0][2] for r in runs):.1f}"
                table.add(name, policy, used, *(f"{x:.1f}" for x in sums[policy][-1]), last, each)
        for policy, rows in sums.items():
            table.add("mean", policy, "", *(f"{fmean(x):.1f}" for x in zip(*rows, strict=True)), "", "")


if __name__ == "__main__":
    main()
