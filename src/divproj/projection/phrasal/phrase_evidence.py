"""All that phrases tell of a text, gathered before it is projected: phrase pairs, forests of F, links of paraphrases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from divproj.data.errors import AlignmentError, Faults, Where
from divproj.data.links import Links
from divproj.forest.hypergraph import Forest
from divproj.projection.direct import ProjectionInput
from divproj.projection.phrasal import same_language
from divproj.projection.phrasal.aligned_phrases import (
    PhraseFinder,
    e_forests_of,
    forests_by_words,
    linked_paraphrases,
    phrase_book,
)
from divproj.projection.phrasal.phrase_pairs import PhraseBook
from divproj.projection.phrasal.phrase_sources import AUTO, PhraseSources

if TYPE_CHECKING:
    from divproj.parsing.language import Language


@dataclass(frozen=True)
class PhraseEvidence:
    """The sentences, some with other links or another tree of E than they came with, and what is known of their phrases."""

    text: list[ProjectionInput]
    forests: Sequence[Forest] = ()
    book: PhraseBook = field(default_factory=PhraseBook)
    note: str = ""
    """What the user should know of it."""


def gathered(
    text: Sequence[ProjectionInput],
    sources: PhraseSources,
    *,
    parser: str | None = None,
    linked: bool = True,
    forests: Sequence[Forest] = (),
    faults: Faults | None = None,
) -> PhraseEvidence:
    """Phrase pairs and forests of a text.

    `parser` is the language or model that parsed E here, None where E's trees were given: a parser's forest stays alive, a given
    tree stands. `linked` says whether the links are the user's; where they are not, paraphrases are linked by their phrases. `forests` of F
    may be given here instead of in a file.
    """
    from divproj.parsing.translations import language_named
    from divproj.phrases import wordnet
    from divproj.phrases.lexicon import Lexicon

    forests = forests_from_file(sources.f_forests, text, faults) if sources.f_forests else forests
    if not sources.aligned:
        return PhraseEvidence(list(text), forests)
    parsed_by = language_named(parser) if parser else None
    code = same_language.shared_language(text) if sources.paraphrases or sources.phrases == AUTO else ""
    one = sources.paraphrases or bool(code)
    if one and not forests:
        forests = same_language.forests(text, parsed_by or _shipped(code), parsed=parsed_by is not None)
    note = "" if sources.paraphrases or not one else f"F and E are both in the language '{code}', so F has parses too"
    finder = PhraseFinder(forests_by_words(forests), e_forests_of(parsed_by) if parsed_by else None)
    if one and sources.phrases in (None, AUTO) and not (linked and any(bitext.links.links for bitext in text)):
        bare = [replace(bitext, links=Links(frozenset(), bitext.links.shape)) for bitext in text]
        made, book = linked_paraphrases(bare, Lexicon(wordnet=wordnet.find()), finder)
    else:
        made, book = phrase_book(sources.phrases or AUTO, text, finder, faults)
    return PhraseEvidence(made, forests, book, note)


def forests_from_file(path: str, text: Sequence[ProjectionInput], faults: Faults | None = None) -> list[Forest]:
    """Trees or forests of F sentences; sentences that have none, by their words, are named to `faults`."""
    from divproj.io.forests import Options, forests_from

    faults = faults or Faults()
    found = [forest for forest in forests_from(path, None, faults, Options("all")) if forest is not None]
    known = {forest.forms for forest in found}
    for k, bitext in enumerate(text, 1):
        if bitext.forms not in known:
            what = f"no forest has the words of sentence {k}, '{' '.join(bitext.forms[:6])} …'"
            faults.word(AlignmentError(what, Where(path, 0, bitext.sent_id), "any bracketing of it is taken as possible"))
    return found


def _shipped(code: str) -> Language | None:
    """Return the installed language with this code, if there is one."""
    from divproj.parsing.language import available, shipped

    return shipped(code) if code in available() else None
