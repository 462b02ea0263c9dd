"""What the commands ask of the engine's workers: a piece of a corpus in, a result out."""

from __future__ import annotations

import heapq
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from divproj.divergence.analysis import Analysis, analyze_batches
from divproj.errors import Faults
from divproj.io import conllu, pharaoh
from divproj.io.corpus import Piece
from divproj.types import Sentence, TreePair

if TYPE_CHECKING:
    from divproj.parsing.language import Language
    from divproj.phrases.aligner import PhraseAligner
    from divproj.phrases.results import PhraseAlignment
    from divproj.projection.s1 import Projection, Projector
    from proj_cli import bitexts

Worst = list[tuple[float, int, TreePair]]
"""Divergent pairs: the share of E edges that match, the place in the piece, the pair."""


def analysed(extended: bool, tags: str, most: int, piece: Piece, faults: Faults) -> tuple[Analysis, Worst]:
    """The analysis of a piece and its most divergent pairs, so many of them, in order."""
    seen: Worst = []
    keep = (lambda pair, share: seen.append((share, len(seen), pair))) if most else None
    result = analyze_batches(piece.batches(faults), extended=extended, tags=tags, each=keep)
    return result, sorted(heapq.nsmallest(most, seen, key=lambda item: item[:2]), key=lambda item: item[1])


def edges_of(as_json: bool, extended: bool, piece: Piece, faults: Faults) -> tuple[int, str]:
    """How many pairs a piece has, and their edges as lines of text."""
    from divproj.divergence.operations import alter
    from divproj.draw.text import pair_text

    lines: list[str] = []
    for batch in piece.batches(faults):
        for k in range(len(batch)):
            pair = batch.pair(k)
            altered = alter(pair, extended=extended, compiled=piece.fast or len(lines) > 300)
            lines.append(json.dumps(altered.as_json(), ensure_ascii=False) if as_json else pair_text(pair, altered) + "\n")
    return len(lines), "".join(f"{line}\n" for line in lines)


@dataclass(frozen=True)
class System:
    """A projection system by its files, and their stamp: a worker loads it once."""

    name: str
    model: Path | None = None
    rules: str | None = None
    stamp: str = ""


@lru_cache(maxsize=2)
def projector(system: System) -> Projector:
    if system.model is not None:
        from divproj.projection import parsedfile

        return parsedfile.load(system.model).project
    from divproj.projection import systems

    return systems.projector(system.name, corrections(system.rules))


def corrections(path: str | None) -> Any:
    """A rule file by path, or a shipped one by name (`deu`)."""
    if path is None:
        return None
    from divproj.io.files import reading
    from divproj.projection import rulefile
    from divproj.resources import folder

    shipped = folder("rules") / f"{path}.json"
    found = str(shipped) if not Path(path).exists() and shipped.exists() else path
    with reading(found) as stream:
        return rulefile.loads(stream.read().decode("utf-8", "replace"), found)


@dataclass(frozen=True)
class Trees:
    """Sentences as CoNLL-U, and what else was asked for."""

    count: int
    text: str
    end: str = "\n\n"
    """Line ends after the last sentence, as they stood in its file."""
    links: str = ""
    e_trees: str = ""
    projections: tuple[Projection, ...] = ()
    forests: str = ""
    shard: Path | None = None
    """Where a worker has written the texts, which are not here then."""


def _trees(sentences: Sequence[Sentence], count: int, **more: Any) -> Trees:
    out = io.StringIO()
    conllu.dump(sentences, out)
    return Trees(count, out.getvalue(), sentences[-1].end if sentences else "\n\n", **more)


def projected(system: System, beside: bool, drawn: bool, piece: bitexts.Piece, faults: Faults) -> Trees:
    """Projected trees of a piece, with links and E trees `beside` them, or all that a page shows."""
    from divproj.projection.output import annotated
    from proj_cli.bitexts import read

    run = projector(system)
    sentences, made = [], []
    for sentence, bitext in read(piece, faults):
        found = run(bitext)
        sentences.append(annotated(sentence, found, system.name))
        if beside or drawn:
            made.append(found)
    links, e_trees = projected_from(made) if beside else ("", "")
    return _trees(sentences, len(sentences), links=links, e_trees=e_trees, projections=tuple(made) if drawn else ())


def projected_from(found: Sequence[Projection]) -> tuple[str, str]:
    """Links in Pharaoh form and E trees as CoNLL-U, a place for every sentence."""
    from divproj.pipeline.reading import as_sentence

    links, e_trees = io.StringIO(), io.StringIO()
    pharaoh.dump((each.bitext.alignment for each in found), links)
    conllu.dump((as_sentence(each.bitext.e, each.bitext.sent_id) for each in found), e_trees)
    return links.getvalue(), e_trees.getvalue()


@dataclass(frozen=True)
class Parsing:
    """How plain sentences are parsed."""

    lang: str | None
    model: Path | None
    stamp: str
    keep_tags: bool = False
    manner: str = "ud"
    nbest: int = 1
    forest: bool = False
    confidence: bool = True


@lru_cache(maxsize=2)
def _model(path: Path, stamp: str) -> Language:
    from divproj.parsing.language import Language

    return Language.load(path)


def language(how: Parsing) -> Language:
    from divproj.parsing.language import shipped

    return _model(how.model, how.stamp) if how.model is not None else shipped(how.lang or "en")


def parsed(how: Parsing, sentences: list[Sentence], faults: Faults) -> Trees:
    """Parsed sentences, with their forests where those are wanted."""
    from divproj.io import forest as forests
    from divproj.parsing.alternatives import forest_of, several

    model, made, packed = language(how), [], io.StringIO()
    for sentence in model.annotate(sentences, confidence=how.confidence, keep_tags=how.keep_tags):
        if how.forest:
            forests.dump([forest_of(model, sentence)], packed)
        for found in several(model, sentence, how.nbest) if how.nbest > 1 else (sentence,):
            made.append(_in_manner(found, how.manner))
    return _trees(made, len(sentences), forests=packed.getvalue())


def _in_manner(sentence: Sentence, manner: str) -> Sentence:
    from divproj.manners import in_manner

    if manner in ("ud", "as-is"):
        return sentence
    tree = in_manner(sentence.tree, manner)
    return sentence.with_columns({6: tuple(map(str, tree.heads)), 7: tree.rels})


@dataclass(frozen=True)
class Phrases:
    """How phrases are aligned: what is known of words, the model, and its parameters by name."""

    languages: tuple[str, str]
    wordnet: Path | None
    table: Path | None
    vectors: str | None
    threshold: float
    model: Path | None
    params: tuple[tuple[str, Any], ...]
    stamps: tuple[str, ...] = ()


phrase_aligners: dict[Phrases, PhraseAligner] = {}
"""The one that this process has made, or was given."""


def _phrase_aligner(how: Phrases) -> PhraseAligner:
    if how not in phrase_aligners:
        from divproj.phrases.aligner import PhraseAligner
        from proj_cli.align_input import lexicon
        from proj_cli.common import talk

        talk.quiet = True  # what there is to say of the lexicon was said before
        known = lexicon(how.languages, how.wordnet, how.table, how.vectors, how.threshold, Faults(strict=False))
        made = PhraseAligner.load(how.model, known.relation) if how.model else PhraseAligner(relation=known.relation)
        phrase_aligners.clear()
        phrase_aligners[how] = made.set_params(**dict(how.params))
    return phrase_aligners[how]


def aligned(how: Phrases, rows: list[Any], faults: Faults) -> list[PhraseAlignment]:
    """Phrase pairs of forests with their word candidates."""
    return _phrase_aligner(how).predict([(src, tgt) for src, tgt, _ in rows], [links for _, _, links in rows])
