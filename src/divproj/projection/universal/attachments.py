"""System s5 as users ask for it: the chart of phrases with what treebanks of other languages tell of attachments and relations.

For every word log P(head | word) is added to the chart, by the linear model of edges that sees no translation: tags, grams, word
order and distance. Words with a gloss are tagged by the gloss tagger; those without keep the tag that the user or their links give,
so text without glosses profits as far as tags allow; of these, words that the user has linked take their heads from E alone. Relations
come from the linear model of labels.

The treebanks are UD: where E's trees are not, nothing is added, and relations are those of E.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from divproj.links.gloss.grams import Grams
from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.phrasal.cues import Cues, LinkedPair
from divproj.projection.phrasal.projector import Chances, PhraseProjector
from divproj.projection.phrasal.weights import GIVEN
from divproj.projection.settings import ATTACHMENT_SHARE, NOT_READ, UD_SHARE
from divproj.projection.universal.english import UPOS
from divproj.projection.universal.facts import is_mark
from divproj.projection.universal.given import understood
from divproj.projection.universal.labels import LABELS
from divproj.projection.universal.model import GlossModel, shipped
from divproj.projection.universal.projector import Read, Universal

Floats = NDArray[np.float64]
RELATIONS = frozenset({*LABELS, "root", "punct"} - {"dep"})
WORDS = frozenset(UPOS) - {"PUNCT"}
"""Tags that a link may give a word."""
UNKNOWN = "?"
"""Tag of a word of which nothing is known."""


@dataclass
class Attachments:
    """What other languages tell of the sentences of a text: tags, weights of edges, relations."""

    model: GlossModel | None = None
    """None: the model in the box."""
    grams: Grams = field(default_factory=Grams.shipped)
    weight: float = ATTACHMENT_SHARE
    read_: dict[ProjectionInput, Read] = field(default_factory=dict, repr=False)
    unknown_: dict[ProjectionInput, NDArray[np.bool_]] = field(default_factory=dict, repr=False)
    """Of each sentence the words, place 0 too, of which nothing is known."""
    silent_: dict[ProjectionInput, NDArray[np.bool_]] = field(default_factory=dict, repr=False)
    """Of each sentence the words, place 0 too, of whose heads other languages tell nothing."""

    @cached_property
    def base(self) -> Universal:
        """What reads glosses; its networks are not asked."""
        return Universal(self.model or shipped(), self.grams, share=self.weight, read_=self.read_)

    def read(self, linked: Sequence[LinkedPair], tags: Sequence[Sequence[str]]) -> None:
        """Go through sentences; `tags` are those of their links, or of the words elsewhere."""
        labelled = understood((x.given for x in linked), self.grams)
        allowed = [_allowed(x.given, self.grams if labelled else None) for x in linked]
        seen = [_seen(*row) for row in zip(linked, tags, allowed, strict=True)]
        for x, bitext, classes, read in zip(linked, seen, allowed, self.base.glossed(seen), strict=True):
            self.read_[x.given] = read
            rows = zip(bitext.forms, bitext.tags, bitext.glosses or ("",) * len(bitext), classes, strict=True)
            bare = [tag == "_" and not (_told(gloss) or own or is_mark(form, gloss)) for form, tag, gloss, own in rows]
            self.unknown_[x.given] = np.array([False, *bare])
            self.silent_[x.given] = self.unknown_[x.given] | _settled(x, classes)

    def tags(self, bitext: ProjectionInput) -> tuple[str, ...]:
        rows = zip(self.base.tags(bitext), self.unknown_[bitext][1:], strict=True)
        return tuple(UNKNOWN if unknown else tag for tag, unknown in rows)

    def scores(self, bitext: ProjectionInput) -> Floats:
        """Log weights of edges; a word of which nothing is told may have any head but punctuation."""
        made = self.base.scores(bitext)
        silent = self.silent_[bitext]
        made[:, silent] = np.where(made[:, silent] <= NOT_READ, NOT_READ, 0.0)
        return made

    def named(self, found: Projection, chances: Chances) -> Projection:
        """The tree as UD allows it, with its relations."""
        bitext = found.bitext
        made = self.base.renamed(bitext, found.heads, found.upos)
        why = [r if h == own else "parsed" for r, h, own in zip(found.reasons, made.heads, found.heads, strict=True)]
        real = set(self.read_[bitext].seen.real)
        sure = [
            min(1.0, float(chances.edges[h, c])) if c in real else p
            for c, (h, p) in enumerate(zip(made.heads, made.confidence, strict=True), 1)
        ]
        upos = tuple("_" if tag == UNKNOWN else tag for tag in found.upos)
        return replace(made, reasons=tuple(why), confidence=tuple(sure), upos=upos)

    def part(self, text: Iterable[ProjectionInput]) -> Attachments:
        """What is known of some sentences."""
        some = [bitext for bitext in text if bitext in self.read_]
        kept = ({b: each[b] for b in some} for each in (self.read_, self.unknown_, self.silent_))
        return Attachments(self.model, self.grams, self.weight, *kept)  # type: ignore[arg-type]

    def forget(self) -> None:
        self.read_.clear()
        self.unknown_.clear()
        self.silent_.clear()


def _told(gloss: str) -> bool:
    return gloss not in ("", "_")


def _settled(linked: LinkedPair, allowed: Sequence[tuple[str, ...]]) -> NDArray[np.bool_]:
    """Words, place 0 too, that the user has linked, and of which nothing else is known.

    Their tags come over these very links, so E's tree says more of their heads than other languages do. Links with probabilities are an
    aligner's, and may be wrong.
    """
    given = linked.given
    if given.links.weights:
        return np.zeros(len(given) + 1, bool)
    rows = zip(given.glosses or ("",) * len(given), given.tags or ("_",) * len(given), allowed, strict=True)
    bare = [not (_told(gloss) or tag != "_" or own) for gloss, tag, own in rows]
    return np.array([kind == GIVEN and own for kind, own in zip(linked.kinds, (False, *bare), strict=True)])


def _allowed(bitext: ProjectionInput, grams: Grams | None) -> list[tuple[str, ...]]:
    """Tags that the labels of the words allow, () where they say nothing."""
    if grams is None or not bitext.labels:
        return [()] * len(bitext)
    return [grams.classes(label) for label in bitext.labels]


def _seen(linked: LinkedPair, own: Sequence[str], allowed: Sequence[tuple[str, ...]]) -> ProjectionInput:
    """The sentence with tags for words that have no gloss; without any gloss also with the links that were found."""
    bitext = linked.given
    glosses = bitext.glosses or ("",) * len(bitext)
    if not any(map(_told, glosses)):
        bitext = linked.bitext
    given = bitext.tags or ("_",) * len(bitext)
    rows = zip(given, own, glosses, allowed, strict=True)
    tags = tuple(
        tag if tag in UPOS else mine if mine in (classes or WORDS) and not _told(gloss) else "_"
        for tag, mine, gloss, classes in rows
    )
    return replace(bitext, tags=tags)


def ud_like(text: Iterable[ProjectionInput]) -> bool:
    """Whether the trees of E have the relations of UD."""
    rels = [rel.partition(":")[0] for bitext in text for rel in bitext.e.rels]
    return sum(rel in RELATIONS for rel in rels) >= UD_SHARE * max(len(rels), 1)


@dataclass
class AttachedProjector(PhraseProjector):
    """System s5 with the attachments and relations of other languages."""

    table: Attachments = field(default_factory=Attachments, repr=False)
    late_: ProjectionInput | None = None
    """A sentence that was read after the text was observed; its reading is kept until the next."""

    @property
    def grams(self) -> Grams:
        """Gloss abbreviations."""
        return self.table.grams

    @grams.setter
    def grams(self, grams: Grams) -> None:
        self.table = Attachments(self.table.model, grams, self.table.weight)

    def _read(self, linked: list[LinkedPair]) -> list[LinkedPair]:
        self.table.forget()
        self.late_ = None
        self.knowledge = self.table if linked and ud_like(x.given for x in linked) else None
        if self.knowledge:
            cues = Cues.of(linked)
            self.table.read(linked, [cues.tags_of(x.bitext) for x in linked])
        return super()._read(linked)

    def _tagged(self, linked: LinkedPair) -> LinkedPair:
        if self.knowledge and linked.given not in self.table.read_:
            if self.late_ is not None:
                self.table.read_.pop(self.late_, None)
                self.table.unknown_.pop(self.late_, None)
                self.table.silent_.pop(self.late_, None)
            self.late_ = linked.given
            self.table.read([linked], [self.cues_.tags_of(linked.bitext)])
        return super()._tagged(linked)

    def _projected(self, bitext: ProjectionInput, found: Chances) -> Projection:
        made = super()._projected(bitext, found)
        return self.table.named(made, found) if bitext in self.table.read_ else made

    def part(self, text: Sequence[ProjectionInput]) -> PhraseProjector:
        """What these sentences need to be projected in another process."""
        table = self.table.part(text)
        made = super().part(text)
        return replace(made, table=table, knowledge=table if self.knowledge else None)  # type: ignore[call-arg]


@lru_cache(maxsize=2)
def observed(text: tuple[ProjectionInput, ...]) -> AttachedProjector:
    """s5 that has gone through this text; kept, since folds of one corpus ask for the same."""
    made = AttachedProjector()
    made.observe(text)
    return made
