"""Gold trees for some sentences of the text: found by id or by words, split into what is learned from and what is held out."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from divproj.data.errors import AlignmentError, Faults
from divproj.data.links import Links
from divproj.data.pair import Pair
from divproj.data.sentence import Sentence
from divproj.data.tree import DepTree
from divproj.io import conllu, pharaoh
from divproj.io.files import writing
from divproj.io.trees import as_sentence

GOLD, HELD = "gold", "held"


def bare(forms: Iterable[str]) -> tuple[str, ...]:
    """Words without morpheme boundaries and capitals: interlinear lines are often segmented.

    >>> bare(("Hund-e", "bell=en"))
    ('hunde', 'bellen')
    """
    return tuple("".join(c for c in form if c not in "-=~").lower() or form for form in forms)


def places(text: Sequence[Pair], gold: Iterable[Sentence], faults: Faults) -> dict[int, Sentence]:
    """Gold sentences by the place of the same sentence in the text: by sent_id, else by words; the others are faults."""
    words = [bare(pair.f.forms) for pair in text]
    by_id = {pair.sent_id: n for n, pair in enumerate(text)}
    by_words: dict[tuple[str, ...], list[int]] = {}
    for n, own in enumerate(words):
        by_words.setdefault(own, []).append(n)
    found: dict[int, Sentence] = {}
    for sentence in gold:
        own = bare(sentence.forms)
        named = by_id.get(sentence.sent_id, -1) if sentence.sent_id else -1
        if named >= 0 and named not in found and words[named] == own:
            found[named] = sentence
            continue
        free = next((n for n in by_words.get(own, ()) if n not in found), -1)
        if free >= 0:
            found[free] = sentence
        else:
            faults.sentence(_stranger(sentence, text[named] if named >= 0 else None, own in by_words))
    return dict(sorted(found.items()))


def _stranger(sentence: Sentence, named: Pair | None, again: bool) -> AlignmentError:
    shown = f"{' '.join(sentence.forms[:8])}{' …' if len(sentence.forms) > 8 else ''}"
    if again:
        return AlignmentError(f"gold tree of '{shown}', which has one already", sentence.where, "the first counts")
    if named is not None:
        what = f"the gold tree's words '{shown}' are not those of the text ({' '.join(named.f.forms[:8])})"
        return AlignmentError(what, sentence.where, "tokens must be the same on both sides")
    return AlignmentError(f"gold tree of '{shown}', which is not in the text", sentence.where, "it was left out")


def split(found: Sequence[int], share: float, seed: int) -> set[int]:
    """The places to hold out: a share of them (rounded, but one at least stays on each side), by the seed."""
    if not share or len(found) < 2:
        return set()
    count = min(len(found) - 1, max(1, round(share * len(found))))
    return set(random.Random(f"held out {seed}").sample(sorted(found), count))


@dataclass
class Pairs:
    """Sentences with gold trees, written as corpus folders that every command reads."""

    rows: list[Sentence]
    trees: list[DepTree]
    links: list[Links]

    @classmethod
    def of(
        cls,
        found: dict[int, Sentence],
        places: Iterable[int],
        text: Sequence[Pair],
        trees: Sequence[DepTree | None],
        links: Sequence[Links],
    ) -> Pairs:
        """The gold sentences at these places, with the text's ids, words and glosses; those without a translation are left out."""
        made = cls([], [], [])
        for n in sorted(places):
            tree = trees[n]
            if tree is not None:
                own = text[n].sentence
                assert own is not None
                columns = {k: found[n].column(k) for k in (3, 4, 6, 7)}
                made.rows.append(replace(own.with_columns(columns), end="\n\n"))
                made.trees.append(tree)
                made.links.append(links[n])
        return made

    def __len__(self) -> int:
        return len(self.rows)

    def write(self, folder: Path) -> None:
        folder.mkdir()
        with writing(folder / "f.conllu") as out:
            conllu.dump(self.rows, out)
        with writing(folder / "e.conllu") as out:
            ids = (row.sent_id for row in self.rows)
            conllu.dump((as_sentence(tree, i) for tree, i in zip(self.trees, ids, strict=True)), out)
        with writing(folder / "align.txt") as out:
            pharaoh.dump(self.links, out)


def read_pairs(folder: Path) -> list[Pair]:
    """The pairs of such a folder; none where it is not there."""
    from divproj.io.corpus import Corpus

    return list(Corpus.at(folder, faults=Faults(strict=False))) if folder.is_dir() else []
