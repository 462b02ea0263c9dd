"""Whether learning makes trees better: tried on the gold sentences themselves, each by a learner that did not see it."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from divproj.data.errors import ProjError
from divproj.data.sentence import PROJECTED
from divproj.data.wording import plural
from divproj.projection.expected import Expected, combined, counted, expected_accuracy, recalibrated
from divproj.review.settings import CHECK_FOLDS, CURVE_SHARES, FEW_GOLD, MOST_ASKED

if TYPE_CHECKING:
    from divproj.review.examples import Example, Learner, Tell
    from divproj.review.session import Learned, Session


class Point(NamedTuple):
    """A point of the learning curve: gold sentences learned from, and heads right in others."""

    gold: int
    known: Expected


@dataclass(frozen=True)
class Verdict:
    """Whether to take what a learner offers, and why; the gold sentences' trees by learners that did not see them."""

    learner: Any
    better: bool
    told: str
    gained: int = 0
    lost: int = 0
    needed: int = 0
    """More gold sentences that it will take, as far as that can be told."""
    held: Mapping[int, Learned] = field(default_factory=dict)
    curve: tuple[Point, ...] = ()


def check(learner: Learner, gold: Sequence[Example], tell: Tell, *, curve: bool = True) -> Verdict:
    """Choose among the learner's variants the one that the gold sentences speak for; none, when none does.

    A variant is better when it gains more heads than it loses, by more than their chance difference: gained − lost >
    √(gained + lost). Where nothing tells, the cautious variants change only what the odds are for, and must lose nothing. The learning
    `curve` takes three more rounds of folds.
    """
    known = [example for example in gold if example.prior.heads]
    variants = list(getattr(learner, "variants", lambda: [learner])())
    if len(known) < FEW_GOLD:
        return _few(variants, gold, known, tell)
    tried = [(variant, *_tried(variant, gold, known, tell)) for variant in variants]
    size, shares = len(known), CURVE_SHARES if curve else ()
    for variant, held, gained, lost in tried:
        if gained - lost > math.sqrt(gained + lost):
            told = f"checked on {_sentences(size)} that it had not seen, learning puts {plural(gained, 'head')} right and {lost} wrong"
            return Verdict(variant, True, told, gained, lost, 0, held, _curve(variant, gold, known, held, shares, tell))
    for variant, held, gained, lost in tried[1:2]:
        if lost == 0:
            told = f"{_sentences(size)} are too few to see a difference, so only what the odds are strongly for is changed"
            return Verdict(variant, True, told, gained, lost, 0, held, _curve(variant, gold, known, held, shares, tell))
    variant, held, gained, lost = tried[0]
    more = needed(size, gained, lost)
    told = (
        f"checked on {_sentences(size)} that it had not seen, learning puts {plural(gained, 'head')} right and {lost} wrong, "
        f"which is no clear gain; about {more} more gold sentences are needed"
    )
    return Verdict(variant, False, told, gained, lost, more, held, _curve(variant, gold, known, held, shares, tell))


def _few(variants: Sequence[Any], gold: Sequence[Example], known: Sequence[Example], tell: Tell) -> Verdict:
    """Too few to check: the most cautious variant, if there are several; its own odds are the estimate."""
    more = FEW_GOLD - len(known)
    if len(variants) > 1 and known:
        told = f"{_sentences(len(known))} cannot be checked ({more} more {'is' if more == 1 else 'are'} needed), so only what the odds are strongly for is changed"
        return Verdict(variants[-1], True, told, needed=more)
    strange = len(gold) - len(known)
    told = f"learning can be checked from {FEW_GOLD} gold sentences on: {more} more {'is' if more == 1 else 'are'} needed"
    if strange:
        told += f" ({_sentences(strange)} came with a person's tree, so what it was corrected from is not known)"
    return Verdict(variants[0], False, told, needed=more)


def needed(size: int, gained: int, lost: int) -> int:
    """Gold sentences until a gain of this rate stands out of chance; as many again where there is no gain yet.

    >>> needed(20, 6, 3), needed(20, 3, 3), needed(5, 0, 0)
    (1, 20, 5)
    """
    rate, spread = (gained - lost) / size, (gained + lost) / size
    if rate <= 0:
        return min(MOST_ASKED, size)
    return min(MOST_ASKED, max(1, math.ceil(spread / rate**2) - size + 1))


def _tried(learner: Any, gold: Sequence[Example], known: Sequence[Example], tell: Tell) -> tuple[dict[int, Learned], int, int]:
    held = checked(learner, gold, tell)
    gained = lost = 0
    for example in known:
        if example.n in held:
            rows = zip(example.tree.heads, held[example.n].heads, example.prior.heads, strict=True)
            for right, new, old in rows:
                gained += new == right != old
                lost += new != right == old
    return held, gained, lost


def checked(learner: Any, gold: Sequence[Example], tell: Tell, share: float = 1.0) -> dict[int, Learned]:
    """Trees for the gold sentences by folds: each by a learner that did not see it (and saw this share of the others)."""
    found: dict[int, Learned] = {}
    folds = min(CHECK_FOLDS, len(gold))
    for k in range(folds):

        def told(what: str, done: int, total: int, k: int = k) -> None:
            tell(f"check {k + 1} of {folds} on the gold sentences", done, total)

        held = gold[k::folds]
        seen = [example for place, example in enumerate(gold) if place % folds != k]
        with contextlib.suppress(ProjError):  # a fold may leave nothing to learn from
            found.update(learner(seen[: max(1, round(share * len(seen)))], held, told))
    return found


def _curve(
    learner: Any,
    gold: Sequence[Example],
    known: Sequence[Example],
    held: Mapping[int, Learned],
    shares: Sequence[float],
    tell: Tell,
) -> tuple[Point, ...]:
    """Heads right against gold sentences learned from, on gold sentences that were not."""
    made = [_point(0, known, {x.n: x.prior.heads for x in known})]
    for share in shares if len(gold) >= 2 * FEW_GOLD else ():
        trees = checked(learner, gold, tell, share)
        made.append(_point(round(share * len(gold)), known, {n: tree.heads for n, tree in trees.items()}))
    made.append(_point(len(gold), known, {n: tree.heads for n, tree in held.items()}))
    return tuple(point for point in made if point)


def _point(size: int, gold: Sequence[Example], heads: Mapping[int, Sequence[int]]) -> Any:
    pairs = [(sum(a == b for a, b in zip(x.tree.heads, heads[x.n], strict=True)), len(x.tree)) for x in gold if x.n in heads]
    known = counted(pairs, _sentences(size))
    return Point(size, known) if known else None


def accuracy(session: Session, held: Mapping[int, Learned]) -> Expected | None:
    """Heads expected to be right in sentences that nobody has corrected, by the gold ones and the calibration of the system.

    `held` are trees of gold sentences by learners that did not see them; of the others it is the tree that was corrected.
    Without a gold sentence the calibration speaks alone; None where the system has none either.
    """
    checked, counts, rest = [], [], []
    for n in session.gold:
        if session.document.blocks[n].initial.gold:
            continue
        was = session.machine[n]
        heads, sure = (held[n].heads, held[n].confidence) if n in held else (was.heads, was.sure)
        right = [a == b for a, b in zip(session.states[n].heads, heads, strict=True)]
        counts.append((sum(right), len(right)))
        if sure and None not in sure:
            checked.append([(c or 0.0, r) for c, r in zip(sure, right, strict=True)])
    for n in session.free:
        rest += [c for c in session.states[n].sure if c is not None]
    prior, source = _calibration(session, rest), _sentences(len(counts))
    if not counts:
        return prior
    whole = len(checked) == len(counts) and rest
    return combined(prior, recalibrated(checked, rest, source) if whole else counted(counts, source))


def _calibration(session: Session, rest: Sequence[float]) -> Expected | None:
    """What the calibration says of the free sentences' words; None unless one system has made all their trees."""
    notes = {session.states[n].note for n in session.free if session.states[n].sure}
    systems = {note.removeprefix(PROJECTED).partition(" ")[0] if note else "" for note in notes}
    return expected_accuracy([rest], systems.pop()) if len(systems) == 1 else None


def _sentences(count: int) -> str:
    return f"{count} gold sentence{'s' * (count != 1)}"
