"""Prepare pairs for projection: parse translations that have no tree, and link words that have no links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path

from divproj.core.errors import AlignmentError, Faults, ModelError, ProjError, Where
from divproj.core.links import Links
from divproj.core.pair import Pair
from divproj.core.sentence import Sentence
from divproj.core.tree import DepTree
from divproj.io.corpus import SIZE, Chunk, Corpus, pairs_of
from divproj.io.files import name_of
from divproj.io.interlinear.languages import gloss_language, language_name, text_language
from divproj.links.glosses import GlossAligner, Lemmas, WordSimilarity
from divproj.links.grams import LANGUAGES, Grams
from divproj.parsing.language import load_pack, pack
from divproj.parsing.tagger import Lemmatizer
from divproj.parsing.translations import (
    TranslationChoice,
    by_language,
    choose,
    find_language,
    note_choice,
    parse_translations,
    report_foreign,
)
from divproj.projection.glossed.word_types import NO_TYPES, WordTypes
from divproj.runtime.engine import HERE, Say, Workers, run, stamp
from divproj.runtime.vectors import WordVectors
from divproj.text.stems import stemmer
from divproj.ud.head_style import in_style

PARSER = "en"
"""The default language pack for translations."""
LEMMATISED = ("NOUN", "VERB", "ADJ", "AUX", "PRON", "DET", "ADV", "NUM")
"""Parts of speech as which a word of a gloss or of a translation is looked up by the lemmatiser."""
LONGEST_ENDING = 3
"""Letters at the end of a word that a rule of the lemmatiser may change; set by hand."""
NO_TRANSLATION = "there is no tree of a translation, so nothing is projected here"


@dataclass(frozen=True)
class Preparation:
    """Parses translations, then links words through the glosses; trees and links that a pair already has are kept."""

    e_parser: str | None = None
    """A language pack, a model's folder, a command, or `corenlp:URL`; None: the pack of each translation's language."""
    grams: tuple[Path, ...] = ()
    style: str = "as-is"
    stamps: tuple[str, ...] = ()
    """Of the files above, so that a worker notices when they change."""
    language: str = ""
    """The language of most translations of the text, assumed for those whose words do not show their language."""
    only: str = ""
    """The language whose translations alone are used, as a witness beside others; '' for all."""
    types: WordTypes = NO_TYPES
    """What the user says of the word types of the text."""

    def __call__(self, pairs: Iterable[Pair], faults: Faults) -> Iterator[Pair]:
        """Yield the pairs with trees of E and links, batch by batch."""
        source, how = iter(pairs), self
        while batch := list(islice(source, SIZE)):
            how = how if how.language else replace(how, language=text_language(map(_instance, batch)))
            yield from how.link_pairs(how.parse_pairs(batch, faults), faults)
        report_foreign(faults)

    def parse_pairs(self, pairs: list[Pair], faults: Faults) -> list[Pair]:
        """Return the pairs, each with a tree of its translation where there is one to parse and a parser for it."""
        wanted = [k for k, pair in enumerate(pairs) if pair.e.tree is None and (len(pair.e) or pair.translation.strip())]
        parsed_pairs = list(pairs)
        for k, (text, language, tree) in zip(wanted, self.parse([_instance(pairs[k]) for k in wanted], faults), strict=True):
            parsed_pairs[k] = replace(pairs[k], e_language=language)
            if tree is not None:
                parsed_pairs[k] = replace(parsed_pairs[k], e=tree, links=_fitting(pairs[k], tree), translation=text)
        return parsed_pairs

    def parse(self, sentences: Sequence[Sentence], faults: Faults) -> list[tuple[str, str, DepTree | None]]:
        """Return text, language and tree of the translation used for each sentence; no tree without a text or a parser.

        Translations in another language than their parser, or than the file says, are counted in `faults` (`report_foreign`).
        """
        choices = choose(sentences, self.e_parser, self.language or text_language(sentences), self.only)
        for choice, igt in zip(choices, sentences, strict=True):
            note_choice(faults, choice, igt.where)
        return [(choice.text, choice.language, tree) for choice, tree in zip(choices, self.trees(choices), strict=True)]

    def trees(self, choices: Sequence[TranslationChoice]) -> list[DepTree | None]:
        """Return trees of translations, each by its own parser; None where there is none."""
        trees: list[DepTree | None] = [None] * len(choices)
        for parser in dict.fromkeys(choice.parser for choice in choices if choice.parser):
            places = [k for k, choice in enumerate(choices) if choice.parser == parser]
            for k, tree in zip(places, _parser(parser, self.stamps)([choices[k].text for k in places]), strict=True):
                trees[k] = tree
        return trees

    def link_pairs(self, pairs: Iterable[Pair], faults: Faults) -> Iterator[Pair]:
        """The pairs with links, heads of E in the chosen style, and answers for types; sentences without a translation go to `faults`."""
        rows = _with_language([self.types.apply(pair) for pair in pairs])
        glosses = gloss_language(pair.sentence for pair in rows if pair.sentence is not None)
        for pair in rows:
            if pair.e.tree is None:
                if not pair.e_language and not self.only:  # else it has a translation, of a language without a parser
                    faults.kept(AlignmentError(NO_TRANSLATION, pair.where))
                yield replace(pair, e=DepTree((), ()), links=Links(frozenset(), (len(pair.f), 0)))
                continue
            links = pair.links
            if not links.known:
                links = Links(frozenset(), links.shape)
                if pair.sentence is not None:
                    try:
                        aligner = self.aligner(pair.e_language, glosses)
                        links = aligner.align(pair.sentence, pair.e.forms, pair.e.tags()).links
                    except AlignmentError as error:
                        faults.sentence(error)
                        continue
            e = in_style(pair.e, self.style)
            yield pair if links is pair.links and e is pair.e else replace(pair, links=links, e=e)

    def witness(self, language: str) -> Preparation:
        """Return the same for the translations in one language, by its pack; ProjError where there is none."""
        load_pack(language)
        return replace(self, e_parser=None, only=language)

    def witness_pairs(self, pairs: Sequence[Pair], faults: Faults) -> list[Pair]:
        """Return the pairs with the translations of `only` in the place of those they have; ProjError where there are none."""
        bare = [replace(pair, e=DepTree((), ()), links=Links(frozenset(), (len(pair.f), 0), known=False)) for pair in pairs]
        return self.check_witness(list(self(bare, faults)))

    def check_witness(self, pairs: list[Pair], where: Where | None = None) -> list[Pair]:
        """Return the pairs; ProjError where none has a translation in the language of `only`."""
        if self.only and not any(len(pair.e) for pair in pairs):
            problem = f"no sentence has a translation in {language_name(self.only)} ({self.only})"
            raise ProjError(problem, where, f"write them as `# text_{self.only} = …`, or leave this language out of `also`")
        return pairs

    def with_stamps(self) -> Preparation:
        """Return the same with stamps of its files, for workers."""
        files = [*map(str, self.grams), *([self.e_parser] if self.e_parser and Path(self.e_parser).is_dir() else [])]
        return replace(self, stamps=tuple(map(stamp, files)))

    def aligner(self, language: str = "", glosses: str = "") -> GlossAligner:
        """Return the aligner for translations in a language; '' where it is not known: English. `glosses`: the language of these."""
        return _aligner(language if language in LANGUAGES else "en", glosses, self.grams, self.stamps)

    @property
    def table(self) -> Grams | None:
        """The table of grams with the user's own; None where it is the shipped one."""
        return gram_table(self.grams, self.stamps)


def _with_language(pairs: list[Pair]) -> list[Pair]:
    """Return the pairs, those whose trees of E were given with the language that most of these are in, where it is not English."""
    places = [k for k, pair in enumerate(pairs) if len(pair.e) and not pair.e_language]
    code = text_language(Sentence((), translation=" ".join(pairs[k].e.forms)) for k in places)
    if code in LANGUAGES and code != PARSER:
        for k in places:
            pairs[k] = replace(pairs[k], e_language=code)
    return pairs


def _fitting(pair: Pair, tree: DepTree) -> Links:
    """The links of a pair whose translation was parsed into these words."""
    if len(tree) == len(pair.e):
        return pair.links
    if len(pair.links):
        message = f"links to a translation of {len(pair.e)} words, but its parser made {len(tree)}"
        raise AlignmentError(message, pair.where, "give trees of the translations with the links")
    return Links(frozenset(), (len(pair.f), len(tree)), known=pair.links.known)


def prepare_pairs(how: Preparation, chunk: Chunk, faults: Faults) -> Iterator[Pair]:
    """The pairs of a chunk, ready to be projected."""
    how = replace(how, language=chunk.language)
    parse = partial(how.parse, faults=faults)
    yield from how.link_pairs(pairs_of(chunk, faults, parse, parse_all=how.e_parser is not None or bool(how.only)), faults)


def prepare_text(
    corpus: Corpus, how: Preparation, faults: Faults, workers: Workers = HERE, on_message: Say | None = None
) -> Iterator[Pair]:
    """All pairs of a corpus, ready to be projected; parsed and linked where `place` says."""
    how = how.with_stamps()
    for some in run(partial(_prepare_chunk, how), corpus.chunks, faults, workers, on_message):
        yield from some
    report_foreign(faults, Where(name_of(corpus.path)))


def parser_of(pairs: Iterable[Pair]) -> str | None:
    """Return the pack that parsed the translations; None where there were several."""
    codes = {pair.e_language for pair in pairs if pair.e.tree is not None} - {""}
    return (codes or {PARSER}).pop() if len(codes) < 2 else None


def _instance(pair: Pair) -> Sentence:
    """Return the sentence of F with its glosses and its translation."""
    if pair.sentence is not None and pair.sentence.translation and pair.sentence.translation == pair.translation:
        return pair.sentence
    translation = pair.translation or " ".join(pair.e.forms)
    return Sentence(pair.f.forms, glosses=pair.glosses, translation=translation, where=pair.where)


def _prepare_chunk(how: Preparation, chunk: Chunk, faults: Faults) -> list[Pair]:
    return [*prepare_pairs(how, chunk, faults)]


Unlinked = tuple[int, Where, Sentence | None, DepTree | None, str]
"""Words of a sentence, where it stands, its glosses, the tree of its translation, and the language of that."""


def parse_some(how: Preparation, choices: Sequence[TranslationChoice], faults: Faults) -> list[DepTree | None]:
    """Return trees of translations (runs in a worker)."""
    return how.trees(choices)


def link_some(how: Preparation, rows: Sequence[Unlinked], faults: Faults) -> list[Links]:
    """Return links through glosses, none where there are no glosses or no tree (runs in a worker)."""
    all_links = []
    glosses = gloss_language(igt for _, _, igt, *_ in rows if igt is not None)
    for words, where, igt, tree, language in rows:
        links = Links(frozenset(), (words, len(tree) if tree else 0))
        if igt is not None and tree is not None:
            try:
                links = how.aligner(language, glosses).align(igt, tree.forms, tree.tags()).links
            except AlignmentError as error:
                faults.word(AlignmentError(error.message, where, error.remedy))
        all_links.append(links)
    return all_links


@lru_cache(maxsize=8)
def _parser(name: str, stamps: tuple[str, ...]) -> Callable[[list[str]], list[DepTree | None]]:
    """Return the function that parses translations; a model is loaded once."""
    language = None if name.startswith("corenlp:") else find_language(name)
    return partial(by_language, language) if language else partial(parse_translations, name)


@lru_cache(maxsize=8)
def _aligner(language: str, glosses: str, tables: tuple[Path, ...], stamps: tuple[str, ...]) -> GlossAligner:
    grams = Grams.for_translations(language).merge(*map(Grams.load, tables))
    place = pack(language)
    if language == "en" or place is None:
        return GlossAligner(grams, gloss_language=glosses)
    return GlossAligner(grams, _meaning(place), _lemmas(load_pack(language).lemmatizer, stemmer(language)), glosses)


def _meaning(place: Path) -> WordSimilarity | None:
    """Return how words of a pack's language are like in meaning; None where the pack has no vectors."""
    try:
        vectors = WordVectors.load(place)
    except ModelError:
        return None
    return WordSimilarity(vectors) if len(vectors) else None


def _lemmas(lemmatizer: Lemmatizer, stems: Lemmas) -> Lemmas:
    """Return the function that gives a word, its stem, and what it is a form of as a noun, a verb and so on.

    A lemma that begins otherwise than the word is believed where the treebank has it (*va*, *aller*), not where it comes from a rule.
    """

    @lru_cache(maxsize=100_000)
    def lemmas(word: str) -> frozenset[str]:
        rows = zip(LEMMATISED, lemmatizer.predict([(word, tag) for tag in LEMMATISED]), strict=True)
        least = min(len(word), max(2, len(word) - LONGEST_ENDING))
        return stems(word).union(
            lemma for tag, lemma in rows if lemma[:least] == word[:least] or lemmatizer.exceptions_.get((tag, word)) == lemma
        )

    return lemmas


@lru_cache(maxsize=2)
def gram_table(tables: tuple[Path, ...], stamps: tuple[str, ...]) -> Grams | None:
    """Return the shipped gloss abbreviations with the user's; None where the user has none."""
    return Grams.load_shipped("en").merge(*(Grams.load(table) for table in tables)) if tables else None
