"""Evidence of phrases for a text, gathered before it is projected: phrase pairs, forests of F, links of paraphrases.

Phrase pairs come from a file, or from `PhraseFinder`, which runs the phrase aligner on the trees or forests of F and the trees of E.

Where F and E are the same language (paraphrases), F is parsed (`parse_same_language`): by the language's own parser if it
agrees with the trees of E, else by a small parser learned from these, with the tags of the language's tagger if there is one.
So the forests of F and the trees of E have heads of the same style.

`tree_pair` and `write_corpus` turn aligned phrases into pairs of trees, as `proj analyze`, `proj learn` and `proj project`
read them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from divproj.core.errors import PARSED_WHOLE, AlignmentError, Faults, ProjError, Where
from divproj.core.links import Links
from divproj.core.pair import Pair
from divproj.core.sentence import Rows
from divproj.core.tree import DepTree
from divproj.forest.build import from_tree
from divproj.forest.dependencies import Packer, phrase_tree
from divproj.forest.hypergraph import Forest, Node
from divproj.io.files import E_FILE, F_FILE, LINKS_FILE, flush_together, writing
from divproj.io.trees import conllu, pharaoh
from divproj.parsing.features import ParserInput
from divproj.parsing.language import pack_forest
from divproj.parsing.parser import EdgeParser, MstParser
from divproj.phrases.aligner import PhraseAligner
from divproj.phrases.lexicon import TWO_LANGUAGES, Lexicon
from divproj.phrases.reading import candidates
from divproj.phrases.results import PhraseAlignment
from divproj.projection.candidates import TagLexicon
from divproj.projection.direct import ProjectionInput
from divproj.projection.phrasal.phrase_pairs import AUTO, PhraseBook, PhraseSources, SentencePairs, load
from divproj.text import language_id
from divproj.ud.tagsets import universal

if TYPE_CHECKING:
    from divproj.parsing.language import Language


LEAST_TREES = 20
"""Trees from which a parser is worth learning."""
F_PARSER_EPOCHS = 5
"""Passes over the trees in learning that parser."""
SAME_STYLE = 0.7
"""Share of heads from which the language's parser has the style of E's trees; two parsers of one style agree in 0.85 and more."""
COMMON_WORDS = 0.7
"""Share of F's words that E must have, too: the language of a text that no table knows is sometimes taken for another.
Edinburgh's paraphrases have 0.82 to 0.92, Naija beside English 0.65, other languages less than 0.12."""


def dependencies(forest: Forest, nodes: Iterable[int]) -> DepTree:
    """Return the dependency tree of the phrase tree with these nodes: the head of a phrase depends on the head of its parent.

    A phrase that does not know its head has that of its last part.
    """
    chosen = set(nodes)
    heads = [0] * len(forest.forms)
    known: dict[int, int] = {}
    for k in sorted(chosen):  # children before parents
        node = forest.nodes[k]
        parts = next(
            ((e.left, e.right) for i in forest.edges_of[k] for e in [forest.edges[i]] if {e.left, e.right} <= chosen), ()
        )
        ends = [known[part] for part in parts]
        known[k] = node.head if node.head >= 0 and (not ends or node.head in ends) else ends[-1] if ends else node.start
        for end in ends:
            if end != known[k]:
                heads[end] = known[k] + 1
    tags = forest.tags or tuple(_tag(forest, word, chosen) for word in range(len(forest.forms)))
    return DepTree(forest.forms, tuple(heads), ("_",) * len(heads), xpos=tags)


def _tag(forest: Forest, word: int, chosen: set[int]) -> str:
    return next((forest.nodes[k].label for k in sorted(chosen) if forest.nodes[k].span == (word, word + 1)), "_")


def tree_pair(alignment: PhraseAlignment) -> Pair:
    """The two trees that the alignment chose, source as F and target as E, linked where words are paired.

    A word paired with a phrase is linked to the phrase's head.
    """
    links = set()
    for pair in alignment.pairs:
        if 1 in (pair.src[1] - pair.src[0], pair.tgt[1] - pair.tgt[0]):
            ends = (alignment.src.nodes[pair.src_node], alignment.tgt.nodes[pair.tgt_node])
            i, j = (node.sem_head if node.sem_head >= 0 else node.end - 1 for node in ends)
            links.add((i + 1, j + 1))
    f, e = dependencies(alignment.src, alignment.src_tree), dependencies(alignment.tgt, alignment.tgt_tree)
    return Pair(f, e, Links(frozenset(links), (len(f), len(e))), alignment.sent_id)


CORPUS_FILES = (F_FILE, E_FILE, LINKS_FILE)


def write_corpus(pairs: Iterable[Pair], folder: Path) -> int:
    """Write tree pairs as a corpus folder (f.conllu, e.conllu, align.txt), all three or none; return their number."""
    check_new_corpus(folder)
    tree_pairs = list(pairs)
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        f, e, links = (stack.enter_context(writing(folder / name)) for name in CORPUS_FILES)
        for side, out in (("f", f), ("e", e)):
            conllu.dump((_sentence(getattr(pair, side), pair.sent_id or str(k)) for k, pair in enumerate(tree_pairs, 1)), out)
        pharaoh.dump((pair.links for pair in tree_pairs), links)
        flush_together(f, e, links)
    return len(tree_pairs)


def check_new_corpus(folder: Path) -> None:
    """Raise an error where a folder has files of a corpus already: they may be gold."""
    if there := next((name for name in CORPUS_FILES if (folder / name).exists()), None):
        raise ProjError("this file exists already", Where(str(folder / there)), "name a new folder for the corpus")


def _sentence(tree: DepTree, sent_id: str) -> Rows:
    n = len(tree)
    blank = ("_",) * n
    columns = (
        tuple(str(k) for k in range(1, n + 1)), tree.forms, blank, tree.upos or blank, tree.xpos or blank, blank,
        tuple(map(str, tree.heads)), tuple("root" if not h else r if r != "_" else "dep" for h, r in zip(tree.heads, tree.deprels or blank, strict=True)),
        blank, blank,
    )  # fmt: skip
    return Rows((f"# sent_id = {sent_id}", f"# text = {' '.join(tree.forms)}"), columns, Where(sent_id=sent_id))


@dataclass
class PhraseFinder:
    """Runs `PhraseAligner` on the sentences of a text of which F has trees or forests, `forests`, by their words.

    Their partners are the constituents of E's trees, as `proj align` reads them. Without a tree of F there is nothing to align: phrases of all
    bracketings of F gain nothing (bench/notes/2026-11-18-forests.md).
    """

    forests: Mapping[tuple[str, ...], Forest] = field(default_factory=dict)
    aligner: PhraseAligner = field(default_factory=PhraseAligner)

    def find(self, text: Sequence[ProjectionInput]) -> PhraseBook:
        """Phrase pairs of the sentences that have a forest and links."""
        ready = [sentence for sentence in text if sentence.forms in self.forests and len(sentence.e) and sentence.links.links]
        pairs = [(self.forests[b.forms], from_tree(phrase_tree(b.e), binarise="all")) for b in ready]
        links = [sorted((i - 1, j - 1) for i, j in sentence.links.links) for sentence in ready]
        return PhraseBook.of(map(SentencePairs.of, self.aligner.align(pairs, links)))


def phrase_book(source: str, text: Sequence[ProjectionInput], finder: PhraseFinder, faults: Faults | None = None) -> PhraseBook:
    """Phrase pairs of a text: of the file `source`, or by the aligner (`finder`) where it is "auto".

    Sentences of which a file has no pairs are named to `faults`.
    """
    if source == AUTO:
        return finder.find(text)
    book = PhraseBook.of(load(source, faults))
    for k, sentence in enumerate(text, 1):
        if faults and book.find(sentence) is None:
            message = f"no phrase pairs have the words of sentence {k}, '{' '.join(sentence.forms[:6])} …'"
            faults.word(AlignmentError(message, Where(source, 0, sentence.sent_id), "it is projected without"))
    return book


ALL_UP_TO = 40
"""Words up to which all bracketings of a paraphrase without a forest are aligned, to link it; a longer one has no links."""


def linked_paraphrases(
    text: Sequence[ProjectionInput], lexicon: Lexicon, forests: Mapping[tuple[str, ...], Forest]
) -> tuple[list[ProjectionInput], PhraseBook]:
    """Paraphrases linked by aligning phrases: candidates by form, lemma and WordNet, of which the best set of phrase pairs keeps
    some. Sentences that have links keep them. Those without a forest have links alone, by all their bracketings."""
    sentences = [sentence if sentence.links.links else _with_candidates(sentence, lexicon) for sentence in text]
    bare = {b.forms: all_bracketings(b) for b in sentences if 0 < len(b) <= ALL_UP_TO and b.forms not in forests}
    book = PhraseFinder({**bare, **forests}, PhraseAligner(relation=lexicon.relation)).find(sentences)
    for k, sentence in enumerate(text):
        pairs = book.find(sentences[k])
        if not sentence.links.links:
            links = frozenset(pairs.links) if pairs else frozenset()
            sentences[k] = replace(sentences[k], links=Links(links, sentences[k].links.shape))
    return sentences, PhraseBook({words: pairs for words, pairs in book.sentences.items() if words[0] in forests})


def all_bracketings(sentence: ProjectionInput) -> Forest:
    """All binary trees over the words of F, each as likely; a phrase's semantic head is its word linked highest in E's tree.

    Phrases are virtual: no parser vouches for any of them.

    >>> from divproj.core.links import Links
    >>> e = DepTree(("a", "b", "c"), (2, 0, 2), upos=("X", "X", "X"))
    >>> forest = all_bracketings(ProjectionInput(("x", "y", "z"), e, Links(frozenset({(1, 2)}), (3, 3))))
    >>> len(forest), len(forest.edges)
    (6, 4)
    """
    n, packer = len(sentence), Packer()
    depth = [sentence.e_depths[anchor] if anchor else n + len(sentence.e) for anchor in sentence.anchors[1:]]
    number: dict[tuple[int, int], int] = {}
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            j = i + width
            head = i + int(np.argmin(depth[i:j]))
            tag = sentence.upos[head]
            number[i, j] = packer.node(Node(i, j, tag if tag != "_" else "X", -1, head, width > 1), (i, j))
            for k in range(i + 1, j):
                packer.edge(number[i, j], number[i, k], number[k, j])
    return packer.forest(sentence.forms, number[0, n], tags=sentence.upos, sent_id=sentence.sent_id)


def _with_candidates(sentence: ProjectionInput, lexicon: Lexicon) -> ProjectionInput:
    sides = (_leaves(sentence.forms, ()), _leaves(sentence.e.forms, sentence.e.tags()))
    links = candidates(sides[0], sides[1], lexicon).links
    return replace(
        sentence, links=Links(frozenset((int(i) + 1, int(j) + 1) for i, j in links), (len(sentence), len(sentence.e)))
    )


def _leaves(forms: tuple[str, ...], tags: tuple[str, ...]) -> Forest:
    """Return a forest of the words alone, which is all that a lexicon uses."""
    return Forest(forms, tuple(Node(k, k + 1, tag) for k, tag in enumerate(tags or ("X",) * len(forms))), (), 0, tags=tags)


def forests_by_words(forests: Iterable[Forest]) -> dict[tuple[str, ...], Forest]:
    """Forests found by their words; of several the first."""
    by_words: dict[tuple[str, ...], Forest] = {}
    for forest in forests:
        by_words.setdefault(forest.forms, forest)
    return by_words


LOOKED_AT = 200
"""Number of sentences from which languages are identified and styles compared."""


def shared_language(text: Sequence[ProjectionInput]) -> str:
    """The code of the language that both sides are in; '' for two languages, and where nobody can tell.

    >>> from divproj.core.links import Links
    >>> words = tuple("the old man went home with his dog".split())
    >>> shared_language([ProjectionInput(words, DepTree(words, (0,) * 8), Links(frozenset(), (8, 8)))])
    'en'
    """
    some = text[:LOOKED_AT]
    sides = [sentence.forms for sentence in some], [sentence.e.forms for sentence in some]
    f, e = (language_id.of_lines(map(" ".join, side)).code for side in sides)
    words, known = (Counter(form.lower() for forms in side for form in forms if form.isalpha()) for side in sides)
    both = sum(times for word, times in words.items() if word in known)
    return f if f == e and both >= COMMON_WORDS * words.total() else ""


def parse_same_language(text: Sequence[ProjectionInput], language: Language | None, *, parsed: bool = False) -> list[Forest]:
    """Forests of the sentences of F, none where no parser can be had; `parsed`: E's trees are the language's own parses."""
    usable = [sentence for sentence in text if 0 < len(sentence) <= PARSED_WHOLE]
    if language is not None and (parsed or _agreement(language, text) >= SAME_STYLE):
        tags = language.tag([sentence.forms for sentence in usable])
        seen = [language.seen(sentence.forms, word_tags) for sentence, word_tags in zip(usable, tags, strict=True)]
        return _pack_forests(language.parser, usable, seen)
    trees = [sentence.e for sentence in text if 0 < len(sentence.e) <= PARSED_WHOLE]
    f_tags, e_tags = _tags(text, usable, trees, language)
    parser = parser_of(trees, e_tags)
    return (
        []
        if parser is None
        else _pack_forests(parser, usable, [ParserInput(b.forms, t) for b, t in zip(usable, f_tags, strict=True)])
    )


def parser_of(trees: Sequence[DepTree], tags: Sequence[tuple[str, ...]]) -> MstParser | None:
    """A parser of single edges, learned from nine tenths of the trees and calibrated on the others; None for too few trees."""
    if len(trees) < LEAST_TREES:
        return None
    seen = [ParserInput(tree.forms, word_tags) for tree, word_tags in zip(trees, tags, strict=True)]
    learned = [k for k in range(len(trees)) if k % 10]
    parser = MstParser(order=1, labels=False, epochs=F_PARSER_EPOCHS).fit(
        [seen[k] for k in learned], [trees[k] for k in learned]
    )
    return parser.calibrate(seen[::10], trees[::10])


def _pack_forests(parser: EdgeParser, text: Sequence[ProjectionInput], seen: Sequence[ParserInput]) -> list[Forest]:
    forests = (pack_forest(parser, sentence_input) for sentence_input in seen)
    return [replace(forest, forms=b.forms, sent_id=b.sent_id) for forest, b in zip(forests, text, strict=True)]


def _agreement(language: Language, text: Sequence[ProjectionInput]) -> float:
    """Share of E's heads that the language's parser finds too."""
    trees = [sentence.e for sentence in text if len(sentence.e)][:LOOKED_AT]
    parses = language.parse([tree.forms for tree in trees])
    same = sum(a == b for tree, parse in zip(trees, parses, strict=True) for a, b in zip(tree.heads, parse.heads, strict=True))
    return same / max(1, sum(map(len, trees)))


Tags = list[tuple[str, ...]]


def _tags(
    text: Sequence[ProjectionInput], usable: Sequence[ProjectionInput], trees: Sequence[DepTree], language: Language | None
) -> tuple[Tags, Tags]:
    """Tags of both sides: by the language's tagger, else those of E's trees, which F's words have from their links."""
    if language is not None:
        f, e = (language.tag([words.forms for words in side]) for side in (usable, trees))
        return [tuple(u for u, _ in tag_pairs) for tag_pairs in f], [tuple(u for u, _ in tag_pairs) for tag_pairs in e]
    lexicon = TagLexicon.of((sentence, ()) for sentence in text)
    projected = [
        tuple(tag if tag != "_" else universal(lexicon.tag(form, form)) for form, tag in zip(b.forms, b.upos, strict=True))
        for b in usable
    ]
    return projected, [tuple(universal(tag) for tag in tree.tags()) for tree in trees]


@dataclass(frozen=True)
class PhraseEvidence:
    """The sentences, some with other links or another tree of E than they came with, and what is known of their phrases."""

    text: list[ProjectionInput]
    forests: Sequence[Forest] = ()
    book: PhraseBook = field(default_factory=PhraseBook)
    note: str = ""
    """What the user should know of it."""


NO_TREES = "no trees or forests of F, so no phrases were aligned"


def collect_evidence(
    text: Sequence[ProjectionInput],
    sources: PhraseSources,
    *,
    parser: str | None = None,
    linked: bool = True,
    forests: Sequence[Forest] = (),
    faults: Faults | None = None,
) -> PhraseEvidence:
    """Phrase pairs and forests of a text.

    `parser` is the language or model that parsed E here, None where E's trees were given. `linked` says whether the links are the user's; where they are not,
    paraphrases are linked by their phrases. `forests` of F may be given here instead of in a file.
    """
    from divproj.parsing.translations import find_language
    from divproj.phrases import wordnet

    forests = forests_from_file(sources.f_forests, text, faults) if sources.f_forests else forests
    aligned = forests
    if not sources.has_phrases:
        return PhraseEvidence(list(text), forests)
    parsed_by = find_language(parser) if parser else None
    code = shared_language(text) if sources.paraphrases or sources.phrases == AUTO else ""
    one = sources.paraphrases or bool(code)
    note = "" if sources.paraphrases or not one else f"F and E are both in the language '{code}', so F has parses too"
    if sources.f_forests and sources.phrases in (None, AUTO):
        aligned = forests_from_file(sources.f_forests, constituents=True)
    elif one and not forests:
        aligned = forests = parse_same_language(text, parsed_by or _installed_language(code), parsed=parsed_by is not None)
    if not aligned and sources.phrases in (None, AUTO):
        note = NO_TREES
    finder = PhraseFinder(forests_by_words(aligned))
    if not one:
        lexicon = Lexicon(TWO_LANGUAGES)
        finder.aligner = PhraseAligner(relation=lexicon.relation)
        finder.forests = {forms: lexicon.with_lemmas(forest, 0) for forms, forest in finder.forests.items()}
    if one and sources.phrases in (None, AUTO) and not (linked and any(sentence.links.links for sentence in text)):
        bare = [replace(sentence, links=Links(frozenset(), sentence.links.shape)) for sentence in text]
        sentences, book = linked_paraphrases(bare, Lexicon(wordnet=wordnet.find()), finder.forests)
    else:
        sentences, book = list(text), phrase_book(sources.phrases or AUTO, text, finder, faults)
    return PhraseEvidence(sentences, forests, book, note)


def forests_from_file(
    path: str, text: Sequence[ProjectionInput] = (), faults: Faults | None = None, *, constituents: bool = False
) -> list[Forest]:
    """Trees or forests of F sentences; sentences that have none, by their words, are named to `faults`.

    The chart of s5 asks for phrases with heads, alignment for `constituents` of dependency trees.
    """
    from divproj.io.trees.forests import ForestOptions, forests_from

    faults = faults or Faults(strict=False)
    options = ForestOptions("all", constituents=constituents)
    forests = [forest for forest in forests_from(path, None, faults, options) if forest is not None]
    known = {forest.forms for forest in forests}
    for k, sentence in enumerate(text, 1):
        if sentence.forms not in known:
            message = f"no forest has the words of sentence {k}, '{' '.join(sentence.forms[:6])} …'"
            faults.word(AlignmentError(message, Where(path, 0, sentence.sent_id), "any bracketing of it is taken as possible"))
    return forests


def _installed_language(code: str) -> Language | None:
    """Return the installed language with this code, if there is one."""
    from divproj.parsing.language import available, load_pack

    return load_pack(code) if code in available() else None
