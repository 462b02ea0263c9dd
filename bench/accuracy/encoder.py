"""What the contextual encoder gains and costs: word candidates of paraphrases, links from glosses to translations, megabytes and seconds.

    python bench/accuracy/encoder.py

Edinburgh paraphrases by the parts of `phrases_data`: the encoder's logistic regression and its threshold saw the train part alone, and EM learns
from its trees; dev and test are scored as they are. Links: ODIN's gold, all that has a choice to make.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.accuracy.gloss_alignment import ODIN, cases
from bench.accuracy.phrases_data import Row, edinburgh, part_of
from bench.accuracy.phrases_edinburgh import scored
from bench.common import DATA, Table, need

from divproj.core.errors import Faults, Where
from divproj.core.options import AlignOptions
from divproj.core.sentence import Rows
from divproj.evaluation.phrases import PhraseScore, significance
from divproj.forest.build import from_tree
from divproj.forest.dependencies import phrase_tree
from divproj.forest.hypergraph import Forest
from divproj.io.trees import brackets
from divproj.links import glosses
from divproj.parsing.language import load_pack
from divproj.phrases.aligner import PhraseAligner
from divproj.phrases.lexicon import Lexicon
from divproj.phrases.reading import candidates, load_lexicon
from divproj.phrases.results import PhraseAlignment
from divproj.text.encoder import ContextEncoder, cosines, encoder_folder, load_encoder

WAYS = (False, True)
"""Without the encoder and with it."""
BONUS = 1.0
"""What a cosine of 1 adds to how well a gloss fits one of several equal words."""
SIMILAR = 0.4
"""Cosine from which words are linked that nothing else links; the best of 0.4 to 0.7 on every other sentence."""
Pairs = list[tuple[Forest, Forest]]


def words_score(rows: Sequence[Row], alignments: Sequence[PhraseAlignment]) -> PhraseScore:
    """Pairs of one word with one word: recall of sure links, precision against sure and possible ones."""
    score = PhraseScore()
    for row, alignment in zip(rows, alignments, strict=True):
        links = {(p.src[0], p.tgt[0]) for p in alignment.visible if p.src[1] - p.src[0] == 1 == p.tgt[1] - p.tgt[0]}
        sure = {tuple(link) for link in row["sure"]}
        possible = sure | {tuple(link) for link in row["poss"]}
        score.add((len(links & sure), len(sure), len(links & possible), len(links)))
    return score


def penn_trees(rows: Sequence[Row], lexicon: Lexicon) -> Pairs:
    sides = [[from_tree(brackets.loads(row[key])[0].trees[0], binarise="all") for row in rows] for key in ("stree", "ttree")]
    return [(lexicon.with_lemmas(s, 0), lexicon.with_lemmas(t, 1)) for s, t in zip(*sides, strict=True)]


def parsed_trees(rows: Sequence[Row], lexicon: Lexicon) -> Pairs:
    """The best trees of our English parser."""
    sentences = [tuple(row[key]) for row in rows for key in ("source", "target")]
    blank = [
        Rows(("# sent_id = s",), (tuple(map(str, range(1, len(x) + 1))), x, *((("_",) * len(x),) * 8)), Where())
        for x in sentences
    ]
    trees = [
        from_tree(phrase_tree(x.usable_tree()[0], lemmas=x.column(2)), binarise="all")
        for x in load_pack("en").annotate(blank, confidence=False)
    ]
    return [(lexicon.with_lemmas(s, 0), lexicon.with_lemmas(t, 1)) for s, t in zip(trees[::2], trees[1::2], strict=True)]


def align(pairs: Pairs, aligner: PhraseAligner, lexicon: Lexicon) -> list[PhraseAlignment]:
    return aligner.predict(pairs, [candidates(s, t, lexicon) for s, t in pairs])


def paraphrases(table: Table, lexicons: dict[bool, Lexicon]) -> None:
    parts: dict[str, list[Row]] = {"train": [], "dev": [], "test": []}
    for row in edinburgh(DATA):
        parts[part_of(row)].append(row)
    blank = PhraseAligner(max_seconds=0)
    train = penn_trees(parts["train"], lexicons[False])
    learned = {
        way: replace(blank, relation=lexicons[way].relation).fit(train, [candidates(s, t, lexicons[way]) for s, t in train])
        for way in WAYS
    }
    systems: dict[str, tuple[Callable[[bool], PhraseAligner], Callable[[Sequence[Row], Lexicon], Pairs]]] = {
        "default": (lambda way: replace(blank, relation=lexicons[way].relation), penn_trees),
        "monotonic": (lambda way: replace(blank, relation=lexicons[way].relation, noncomp="off"), penn_trees),
        "EM on the train part": (learned.__getitem__, penn_trees),
        "default, trees of our parser": (lambda way: replace(blank, relation=lexicons[way].relation), parsed_trees),
    }
    for part in ("dev", "test"):
        rows = parts[part]
        for name, (aligner, trees) in systems.items():
            pairs = trees(rows, lexicons[False])
            answers = [align(pairs, aligner(way), lexicons[way]) for way in WAYS]
            for measure, score in (("words", words_score), ("multiword phrases", partial(scored, multiword="both"))):
                add(
                    table,
                    f"proj align, {name}",
                    f"Edinburgh {part}, {len(rows)} pairs",
                    measure,
                    *(score(rows, x) for x in answers),
                )


def add(table: Table, use: str, data: str, measure: str, without: PhraseScore, with_it: PhraseScore) -> None:
    figures = [f"{getattr(score, name):.2f}" for name in ("recall", "precision", "f1") for score in (without, with_it)]
    table.add(use, data, measure, *figures, f"{with_it.f1 - without.f1:+.2f}", f"{significance(without, with_it):.4f}")


class ContextPasses(glosses.GlossPasses):
    """The passes with the encoder's say: which of several equal words, and which words that nothing else links."""

    encoder: ContextEncoder

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        texts = [" ".join(t.part.text for t in row if t.part.plain) or "-" for row in self.rows]
        self.likeness = cosines(self.encoder, texts, self.e.words)

    def near(self, i: int, j: int) -> float:
        return super().near(i, j) + BONUS * float(self.likeness[i, j])

    def meanings(self) -> None:
        super().meanings()
        free = [j for j in range(self.m) if self.e.content[j] and not self.f_of[j]]
        waiting = {t.word for _, t in self.waiting() if not t.function and not self.e_of[t.word] and not self.is_label(t.word)}
        for fit, i, j in sorted((-float(self.likeness[i, j]), i, j) for i in waiting for j in free if self.same_class(i, j)):
            if -fit >= SIMILAR and not self.e_of[i] and not self.f_of[j]:
                self.link(i, j, "meaning")


def gloss_links(table: Table, encoder: ContextEncoder) -> None:
    ContextPasses.encoder = encoder
    plain, aligner = glosses.GlossPasses, glosses.GlossAligner()
    for code in ODIN:
        scores = []
        instances = [*cases(need(DATA / "odin" / code))]
        for passes in (plain, ContextPasses):
            glosses.GlossPasses = passes  # type: ignore[misc]
            score = PhraseScore()
            for case in instances:
                links, gold = aligner.align(case.igt, case.e_words, case.e_tags).links.links, case.gold.links
                score.add((len(links & gold), len(gold), len(links & gold), len(links)))
            scores.append(score)
        glosses.GlossPasses = plain  # type: ignore[misc]
        add(table, "gloss links (tried)", f"ODIN {code}, {len(instances)} sentences", "links", *scores)


def costs(lexicons: dict[bool, Lexicon], encoder: ContextEncoder, repeat: int = 3) -> None:
    """Each time is the smallest of some runs, of one thread."""

    def seconds(work: Callable[[], Any]) -> float:
        def runs() -> Iterator[float]:
            for _ in range(repeat):
                start = time.perf_counter()
                work()
                yield time.perf_counter() - start

        return min(runs())

    place = encoder_folder()
    assert place is not None
    rows = [row for row in edinburgh(DATA) if part_of(row) == "dev"]
    pairs = penn_trees(rows, lexicons[False])
    sentences = [row[key] for row in rows for key in ("source", "target")]
    aligner = PhraseAligner(max_seconds=0)
    aligner.predict(pairs[:1], [candidates(*pairs[0], lexicons[False])])
    with Table("encoder-costs", "The encoder's costs, one core", "cost", "without", "with") as table:
        table.add("package, MB", "0", f"{sum(x.stat().st_size for x in place.iterdir()) / 1e6:.1f}")
        table.add("loading, s", "0", f"{seconds(lambda: ContextEncoder.load(place)):.2f}")
        table.add("sentences/s encoded", "", f"{len(sentences) / seconds(lambda: [encoder.vectors(x) for x in sentences]):.0f}")
        fresh = {way: partial(replace, lexicons[way]) for way in WAYS}
        find = [seconds(lambda way=way: [candidates(s, t, fresh[way]()) for s, t in pairs]) for way in WAYS]  # type: ignore[misc]
        table.add("candidates, pairs/s", *(f"{len(pairs) / x:.0f}" for x in find))
        both = [seconds(lambda way=way: align(pairs, replace(aligner, relation=lexicons[way].relation), lexicons[way])) for way in WAYS]  # type: ignore[misc]  # fmt: skip
        table.add("proj align, pairs/s", *(f"{len(pairs) / x:.0f}" for x in both))


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    encoder = load_encoder()
    if encoder is None:
        sys.exit("no encoder is installed; train/encoder/build.py makes it")
    plain = load_lexicon(("en", "en"), None, None, None, AlignOptions.threshold, Faults())
    lexicons = {False: plain, True: replace(plain, encoder=encoder)}
    columns = [f"{name} {way}" for name in ("R", "P", "F1") for way in ("without", "with")]
    caption = "The contextual encoder, with and without"
    with Table("encoder", caption, "use", "data", "measure", *columns, "gain", "p", seed=1) as table:
        paraphrases(table, lexicons)
        gloss_links(table, encoder)
        wordnet = "no WordNet" if plain.wordnet is None else "with WordNet"
        table.note(f"{wordnet}; the links with the encoder were tried and are not in divproj, see the note.")
    costs(lexicons, encoder)


if __name__ == "__main__":
    main()
