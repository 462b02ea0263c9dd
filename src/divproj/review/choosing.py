"""Which sentence to correct next: the one that teaches most about the rest for the work it costs.

A sentence teaches by its words: each stands for words of the same form, class and construction in sentences that nobody has
looked at, the more so the less sure those are and the less often gold sentences have them. It costs the heads that will have
to be changed (one minus confidence, summed) and the reading of its words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from divproj.review.session import Session
from divproj.review.settings import READING_COST, UNKNOWN_CONFIDENCE, WORTH_NAMING

SHOWN = 3


@dataclass(frozen=True)
class Word:
    """What choosing sees of a word."""

    form: str
    tag: str
    rel: str
    reason: str
    sure: float

    def keys(self) -> Iterator[tuple[str, ...]]:
        yield "form", self.form.lower()
        yield "construction", self.tag, self.rel, self.reason


@dataclass(frozen=True)
class Choice:
    """A sentence to correct, and why."""

    n: int
    gain: float
    why: str


def words_of(session: Session, n: int) -> list[Word]:
    sentence, state = session.document.blocks[n].sentence, session.states[n]
    rows = zip(sentence.forms, sentence.column(3), state.rels, state.reasons, state.sure, strict=True)
    return [Word(form, tag, rel, reason, UNKNOWN_CONFIDENCE if sure is None else sure) for form, tag, rel, reason, sure in rows]


def ranked(free: dict[int, Sequence[Word]], gold: Iterable[Sequence[Word]]) -> list[Choice]:
    """Sentences that nobody has touched, the most to gain first."""
    seen: Counter[tuple[str, ...]] = Counter()
    for words in gold:
        seen.update(key for word in words for key in word.keys())  # noqa: SIM118
    doubt: Counter[tuple[str, ...]] = Counter()
    for words in free.values():
        for word in words:
            for key in word.keys():  # noqa: SIM118
                doubt[key] += 1 - word.sure  # type: ignore[assignment]
    made = [_choice(n, words, seen, doubt) for n, words in free.items() if words]
    return sorted(made, key=lambda choice: (-choice.gain, choice.n))


def _choice(n: int, words: Sequence[Word], seen: Counter[tuple[str, ...]], doubt: Counter[tuple[str, ...]]) -> Choice:
    keys = {key for word in words for key in word.keys()}  # noqa: SIM118
    own: Counter[tuple[str, ...]] = Counter()
    for word in words:
        for key in word.keys():  # noqa: SIM118
            own[key] += 1 - word.sure  # type: ignore[assignment]
    worth = {key: max(0.0, doubt[key] - own[key]) / (1 + seen[key]) for key in keys}
    cost = sum(1 - word.sure for word in words) + READING_COST * len(words)
    return Choice(n, sum(worth.values()) / (1 + cost), _why(words, worth, seen))


def _why(words: Sequence[Word], worth: dict[tuple[str, ...], float], seen: Counter[tuple[str, ...]]) -> str:
    parts = []
    weak = sum(1 for word in words if word.sure < 0.5)
    if weak:
        parts.append(f"{weak} of {len(words)} heads less than 50 % sure")
    written = {word.form.lower(): word.form for word in words}
    new = [
        written[key[1]]
        for key in sorted(worth, key=lambda key: -worth[key])
        if key[0] == "form" and not seen[key] and worth[key] > WORTH_NAMING
    ]
    if new:
        parts.append(f"no gold sentence has {', '.join(f'‘{form}’' for form in new[:SHOWN])} yet, other sentences do")
    if not parts:
        parts.append("its constructions are frequent in the rest")
    return "; ".join(parts)


def next_to_correct(session: Session) -> list[Choice]:
    """The free sentences of a review, the most to gain first."""
    free: dict[int, Sequence[Word]] = {n: words_of(session, n) for n in session.free}
    return ranked(free, [words_of(session, n) for n in session.gold])
