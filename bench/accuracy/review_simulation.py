"""Learning by correction, simulated with gold trees: a person corrects sentences, the review learns from them and checks itself.

Two questions, as `proj review` does it (`AdaptingLearner` over the trees in use, `check` before anything is taken):
`learning`: heads right in the rest with 1, 5, 10 and 20 corrected sentences, chosen by chance; what a check refuses stays.
`choosing`: heads right in sentences never shown, by heads that the person had to change, for three ways to choose: by chance, the least
confident, and the most to gain as `proj review` goes by it (`choosing.ranked`). Between two rounds of learning the line is straight;
where all rounds are through before so many heads were changed, the last value stands.

python bench/accuracy/review_simulation.py learning|choosing [--seeds 3] [--most 300] [CORPUS ...]
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.accuracy.glossbanks import without_family
from bench.common import DATA, Table, need

from divproj.core.errors import Faults
from divproj.core.tree import DepTree
from divproj.io.corpus import Corpus
from divproj.io.trees import conllu
from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.glossed.s6 import S6
from divproj.projection.pipeline import corrections
from divproj.projection.prepare import Preparation, prepare_text
from divproj.projection.systems import AdaptedSystem
from divproj.review.learning import AdaptingLearner, PriorTree, ReviewedSentence, check
from divproj.review.server import DoubtfulWord, rank

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("question", choices=("learning", "choosing"))
    parser.add_argument("corpora", nargs="*", default=[])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--most", type=int, default=300, help="sentences of a corpus")
    options = parser.parse_intermixed_args()
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
