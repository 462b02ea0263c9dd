"""Where F and E are one language (paraphrases): F has forests of the parser that fits E's trees.

That is the language's own parser where it agrees with the trees of E, else a small one learned from them, with the tags of the
language's tagger where there is one. So F's forest and E's trees have their heads in one style.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from divproj.data.limits import PARSED_WHOLE
from divproj.data.tagsets import universal
from divproj.data.tree import DepTree
from divproj.forest.hypergraph import Forest
from divproj.parsing.alternatives import packed
from divproj.parsing.atoms import ParserInput
from divproj.parsing.parser import EdgeParser, MstParser
from divproj.projection.candidates import Lexicon
from divproj.projection.direct import ProjectionInput
from divproj.projection.settings import COMMON_WORDS, F_PARSER_EPOCHS, LEAST_TREES, SAME_STYLE
from divproj.text import language_id

if TYPE_CHECKING:
    from divproj.parsing.language import Language

LOOKED_AT = 200
"""Sentences by which languages are told apart, and styles compared."""


def shared_language(text: Sequence[ProjectionInput]) -> str:
    """The code of the language that both sides are in; '' for two languages, and where nobody can tell.

    >>> from divproj.data.links import Links
    >>> words = tuple("the old man went home with his dog".split())
    >>> shared_language([ProjectionInput(words, DepTree(words, (0,) * 8), Links(frozenset(), (8, 8)))])
    'en'
    """
    some = text[:LOOKED_AT]
    sides = [bitext.forms for bitext in some], [bitext.e.forms for bitext in some]
    f, e = (language_id.of_lines(map(" ".join, side)).code for side in sides)
    words, known = (Counter(form.lower() for forms in side for form in forms if form.isalpha()) for side in sides)
    both = sum(times for word, times in words.items() if word in known)
    return f if f == e and both >= COMMON_WORDS * words.total() else ""


def forests(text: Sequence[ProjectionInput], language: Language | None, *, parsed: bool = False) -> list[Forest]:
    """Forests of the sentences of F, none where no parser can be had; `parsed`: E's trees are the language's own parses."""
    usable = [bitext for bitext in text if 0 < len(bitext) <= PARSED_WHOLE]
    if language is not None and (parsed or _agreement(language, text) >= SAME_STYLE):
        tags = language.tag([bitext.forms for bitext in usable])
        seen = [language.seen(bitext.forms, own) for bitext, own in zip(usable, tags, strict=True)]
        return _packed(language.parser, usable, seen)
    trees = [bitext.e for bitext in text if 0 < len(bitext.e) <= PARSED_WHOLE]
    f_tags, e_tags = _tags(text, usable, trees, language)
    parser = parser_of(trees, e_tags)
    return (
        []
        if parser is None
        else _packed(parser, usable, [ParserInput(b.forms, t) for b, t in zip(usable, f_tags, strict=True)])
    )


def parser_of(trees: Sequence[DepTree], tags: Sequence[tuple[str, ...]]) -> MstParser | None:
    """A parser of single edges, learned from nine tenths of the trees and calibrated on the others; None for too few trees."""
    if len(trees) < LEAST_TREES:
        return None
    seen = [ParserInput(tree.forms, own) for tree, own in zip(trees, tags, strict=True)]
    learned = [k for k in range(len(trees)) if k % 10]
    parser = MstParser(order=1, labels=False, epochs=F_PARSER_EPOCHS).fit(
        [seen[k] for k in learned], [trees[k] for k in learned]
    )
    return parser.calibrate(seen[::10], trees[::10])


def _packed(parser: EdgeParser, text: Sequence[ProjectionInput], seen: Sequence[ParserInput]) -> list[Forest]:
    made = (packed(parser, own) for own in seen)
    return [replace(forest, forms=b.forms, sent_id=b.sent_id) for forest, b in zip(made, text, strict=True)]


def _agreement(language: Language, text: Sequence[ProjectionInput]) -> float:
    """Share of E's heads that the language's parser finds too."""
    trees = [bitext.e for bitext in text if len(bitext.e)][:LOOKED_AT]
    found = language.parse([tree.forms for tree in trees])
    same = sum(a == b for tree, own in zip(trees, found, strict=True) for a, b in zip(tree.heads, own.heads, strict=True))
    return same / max(1, sum(map(len, trees)))


Tags = list[tuple[str, ...]]


def _tags(
    text: Sequence[ProjectionInput], usable: Sequence[ProjectionInput], trees: Sequence[DepTree], language: Language | None
) -> tuple[Tags, Tags]:
    """Tags of both sides: by the language's tagger, else those of E's trees, which F's words have from their links."""
    if language is not None:
        f, e = (language.tag([words.forms for words in side]) for side in (usable, trees))
        return [tuple(u for u, _ in own) for own in f], [tuple(u for u, _ in own) for own in e]
    lexicon = Lexicon.of((bitext, ()) for bitext in text)
    projected = [
        tuple(tag if tag != "_" else universal(lexicon.tag(form, form)) for form, tag in zip(b.forms, b.upos, strict=True))
        for b in usable
    ]
    return projected, [tuple(universal(tag) for tag in tree.tags()) for tree in trees]
