"""What comes before projection: trees for translations that have none, links for words that have none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path

from divproj.data.errors import AlignmentError, Faults, Where
from divproj.data.head_style import in_style
from divproj.data.igt import Igt
from divproj.data.links import Links
from divproj.data.pair import Pair
from divproj.data.tree import DepTree
from divproj.io.corpus import SIZE, Chunk, Corpus, Parse, pairs_of
from divproj.io.files import name_of
from divproj.io.translation_language import mismatch
from divproj.links.gloss.aligner import GlossAligner
from divproj.links.gloss.grams import Grams
from divproj.parsing.translations import by_language, language_named, parse_translations
from divproj.runtime.engine import HERE, Place, Say, run, stamp

PARSER = "en"
"""What parses translations when nobody says otherwise and the source has no trees of them."""
NO_TRANSLATION = "there is no tree of a translation, so nothing is projected here"


@dataclass(frozen=True)
class Preparation:
    """Parses translations, then links words through the glosses; what a pair has already is left as it is."""

    e_parser: str | None = None
    """A language in the box, a model's folder, a command, or `corenlp:URL`; None: `en`."""
    grams: tuple[Path, ...] = ()
    style: str = "as-is"
    stamps: tuple[str, ...] = ()
    """Of the files above, so that a worker notices when they change."""

    def __call__(self, pairs: Iterable[Pair], faults: Faults) -> Iterator[Pair]:
        """Pairs that can be projected, some parsed at a time."""
        source = iter(pairs)
        while batch := list(islice(source, SIZE)):
            yield from self.linked(self.parsed(batch), faults)

    def parsed(self, pairs: list[Pair]) -> list[Pair]:
        """The pairs, each with a tree of its translation where there is one to parse."""
        wanted = [k for k, pair in enumerate(pairs) if pair.e.tree is None and (len(pair.e) or pair.translation.strip())]
        trees = self.parse([pairs[k].translation or " ".join(pairs[k].e.forms) for k in wanted])
        made = list(pairs)
        for k, tree in zip(wanted, trees, strict=True):
            if tree is not None:
                made[k] = replace(pairs[k], e=tree, links=_fitting(pairs[k], tree))
        return made

    def linked(self, pairs: Iterable[Pair], faults: Faults) -> Iterator[Pair]:
        """The pairs with links, and heads of E in the chosen style; a sentence without a translation is said."""
        for pair in pairs:
            if pair.e.tree is None:
                faults.kept(AlignmentError(NO_TRANSLATION, pair.where))
                yield replace(pair, e=DepTree((), ()), links=Links(frozenset(), (len(pair.f), 0)))
                continue
            links = pair.links
            if not links.known:
                links = Links(frozenset(), links.shape)
                if pair.igt is not None:
                    try:
                        links = self.aligner.align(pair.igt, pair.e.forms, pair.e.tags()).links
                    except AlignmentError as error:
                        faults.sentence(error)
                        continue
            e = in_style(pair.e, self.style)
            yield pair if links is pair.links and e is pair.e else replace(pair, links=links, e=e)

    @property
    def parse(self) -> Parse:
        """What parses translations."""
        return _parser(self.e_parser or PARSER, self.stamps)

    def stamped(self) -> Preparation:
        """The same with stamps of its files, for workers."""
        files = [*map(str, self.grams), *([self.e_parser] if self.e_parser and Path(self.e_parser).is_dir() else [])]
        return replace(self, stamps=tuple(map(stamp, files)))

    def chunks(self, corpus: Corpus, faults: Faults) -> Iterator[Chunk]:
        """The chunks of a corpus; translations in another language than their parser's are said."""
        for k, chunk in enumerate(corpus.chunks(faults)):
            if not k and chunk.e is None and isinstance(chunk.f, tuple) and (self.e_parser or chunk.f[0].e_tree is None):
                where = Where(chunk.f[0].where.path or name_of(corpus.path))
                wrong = mismatch(chunk.language, self.e_parser or PARSER, where)
                if wrong:
                    faults.file(wrong)
            yield chunk

    @property
    def aligner(self) -> GlossAligner:
        return _aligner(self.grams, self.stamps)

    @property
    def table(self) -> Grams | None:
        """The table of grams with the user's own; None where it is the shipped one."""
        return gram_table(self.grams, self.stamps)


def _fitting(pair: Pair, tree: DepTree) -> Links:
    """The links of a pair whose translation was parsed into these words."""
    if len(tree) == len(pair.e):
        return pair.links
    if len(pair.links):
        what = f"links to a translation of {len(pair.e)} words, but its parser made {len(tree)}"
        raise AlignmentError(what, pair.where, "give trees of the translations with the links")
    return Links(frozenset(), (len(pair.f), len(tree)), known=pair.links.known)


def prepared(how: Preparation, chunk: Chunk, faults: Faults) -> Iterator[Pair]:
    """The pairs of a chunk, ready to be projected."""
    yield from how.linked(pairs_of(chunk, faults, how.parse, parse_all=how.e_parser is not None), faults)


def prepared_text(
    corpus: Corpus, how: Preparation, faults: Faults, place: Place = HERE, say: Say | None = None
) -> Iterator[Pair]:
    """All pairs of a corpus, ready to be projected; parsed and linked where `place` says."""
    how = how.stamped()
    for some in run(partial(_prepared_chunk, how), partial(how.chunks, corpus), faults, place, say):
        yield from some


def _prepared_chunk(how: Preparation, chunk: Chunk, faults: Faults) -> list[Pair]:
    return [*prepared(how, chunk, faults)]


Unlinked = tuple[int, Where, Igt | None, DepTree | None]
"""Words of a sentence, where it stands, its glosses, and the tree of its translation."""


def parse_some(how: Preparation, texts: list[str], faults: Faults) -> list[DepTree | None]:
    """Trees of translations: what a worker of the engine is asked to do."""
    return how.parse(texts)


def link_some(how: Preparation, rows: Sequence[Unlinked], faults: Faults) -> list[Links]:
    """Links through glosses, none where there are no glosses or no tree: what a worker of the engine is asked to do."""
    made = []
    for words, where, igt, tree in rows:
        links = Links(frozenset(), (words, len(tree) if tree else 0))
        if igt is not None and tree is not None:
            try:
                links = how.aligner.align(igt, tree.forms, tree.tags()).links
            except AlignmentError as error:
                faults.word(AlignmentError(error.what, where, error.remedy))
        made.append(links)
    return made


@lru_cache(maxsize=2)
def _parser(name: str, stamps: tuple[str, ...]) -> Parse:
    """What parses translations; a model is loaded once."""
    language = None if name.startswith("corenlp:") else language_named(name)
    return partial(by_language, language) if language else partial(parse_translations, name)


@lru_cache(maxsize=2)
def _aligner(tables: tuple[Path, ...], stamps: tuple[str, ...]) -> GlossAligner:
    return GlossAligner(gram_table(tables, stamps) or Grams.shipped("en"))


@lru_cache(maxsize=2)
def gram_table(tables: tuple[Path, ...], stamps: tuple[str, ...]) -> Grams | None:
    """Return the shipped gloss abbreviations with the user's; None where the user has none."""
    return Grams.shipped("en").merged(*(Grams.load(table) for table in tables)) if tables else None
