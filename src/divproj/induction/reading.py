"""Tagged text and bitext for induction, and its results as phrase trees and packed forests.

In: CoNLL-U, Penn or TIGER files and corpus folders become tag sequences without punctuation, with links renumbered and
one-to-one (`sentences`, `tag_pairs`). Heads are ignored, so text without trees will do. Out: an induced tree or chart becomes
a tree or forest over all words (`phrase_tree`, `forest_of`). Punctuation, which induction does not see, comes back: a mark
belongs to the word before it, one at the beginning of a sentence to the first word.

Gold constituents of a dependency tree are its maximal projections: the words under each word, itself included, if they are
contiguous and two or more. Words under one head are not grouped further, so such trees are flat, and a binary tree over them
has a precision of less than 100 even at best (`evaluation.brackets` reports that bound).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from divproj.core.errors import AlignmentError, Faults, FormatError, ModelError, Where
from divproj.core.links import Links
from divproj.core.options import InduceOptions
from divproj.core.pair import Pair
from divproj.core.sentence import Rows, Sentence
from divproj.core.tree import DepTree
from divproj.forest.dependencies import Packer
from divproj.forest.heads import PUNCTUATION
from divproj.forest.hypergraph import Forest, Node
from divproj.forest.parses import normalise
from divproj.forest.trees import Constituent, PhraseTree
from divproj.induction.grammar import Span, SpanChart, Tree, best
from divproj.io.corpus import read
from divproj.io.files import head_of
from divproj.io.interlinear.rows import to_sentence
from divproj.io.trees import conllu, pharaoh
from divproj.io.trees.forests import guess, phrase_trees
from divproj.links.word_model import WordAligner

KINDS = ("auto", "upos", "xpos", "projected")
UNLINKED_TAG = "X"
"""Tag of a word without a link where tags are projected."""


@dataclass(frozen=True)
class TagPair:
    """Two tag sequences and links (i, j), counted from 1, with weights from 0 to 1."""

    f: tuple[str, ...]
    e: tuple[str, ...]
    links: Mapping[tuple[int, int], float] = field(default_factory=dict)
    sent_id: str = ""

    def __post_init__(self) -> None:
        for i, j in self.links:
            if not (0 < i <= len(self.f) and 0 < j <= len(self.e)):
                raise AlignmentError(
                    f"link {i}-{j} (counted from 1) is out of range: the sentences have {len(self.f)} and {len(self.e)} words"
                    + (f" (sent_id {self.sent_id})" if self.sent_id else "")
                )


def kept_words(tree: DepTree) -> list[int]:
    """Words that are neither punctuation nor symbols, from 1: by the tag where there is one, else by the form.

    >>> kept_words(DepTree(("Stop", "!"), (0, 1)))
    [1]
    """
    upos = tree.upos or ("_",) * len(tree)
    return [
        k
        for k, (form, tag) in enumerate(zip(tree.forms, upos, strict=True), 1)
        if (tag not in ("PUNCT", "SYM") if tag != "_" else any(map(str.isalnum, form)))
    ]


def tags_of(tree: DepTree, kind: str = "auto") -> tuple[str, ...]:
    """Tags of the kept words.

    >>> tags_of(DepTree(("Stop", "!"), (0, 1), upos=("VERB", "PUNCT")))
    ('VERB',)
    """
    if kind not in KINDS[:3]:
        raise ModelError(f"no tags '{kind}' on one side alone", remedy=f"choose one of {', '.join(KINDS[:3])}")
    tags = tree.tags(kind)
    return tuple(tags[k - 1] for k in kept_words(tree))


def constituents(tree: DepTree) -> frozenset[Span]:
    """Maximal projections over the kept words, spans (i, j) of two words or more.

    >>> tree = DepTree(("the", "old", "dog", "barks", "."), (3, 3, 4, 0, 4), upos=("DET", "ADJ", "NOUN", "VERB", "PUNCT"))
    >>> sorted(constituents(tree))
    [(0, 3), (0, 4)]
    """
    place = {word: k for k, word in enumerate(kept_words(tree))}
    under: dict[int, set[int]] = {k: {place[k]} if k in place else set() for k in range(1, len(tree) + 1)}
    for word in range(1, len(tree) + 1):
        head = tree.heads[word - 1]
        while head > 0:
            if word in place:
                under[head].add(place[word])
            head = tree.heads[head - 1]
    spans = {(min(words), max(words) + 1) for words in under.values() if words and max(words) - min(words) + 1 == len(words)}
    return frozenset((i, j) for i, j in spans if j - i > 1)


def tag_pair(pair: Pair, tags: str = "auto", weights: Mapping[tuple[int, int], float] | None = None) -> TagPair:
    """Tags of both sides without punctuation, links renumbered and one-to-one.

    `weights` replace the pair's own links (as `proj words --probs` gives them). A word with several links keeps the one with
    the largest weight, then the one nearest the diagonal. With tags "projected" F has the tags of the E words it is linked to.
    """
    if tags not in KINDS:
        raise ModelError(f"no tags '{tags}'", remedy=f"choose one of {', '.join(KINDS)}")
    f_words, e_words = ({word: k for k, word in enumerate(kept_words(tree), 1)} for tree in (pair.f, pair.e))
    given = weights if weights is not None else dict.fromkeys(pair.links.links, 1.0)
    links = {(f_words[i], e_words[j]): w for (i, j), w in given.items() if i in f_words and j in e_words}
    e_tags = tags_of(pair.e, "auto" if tags == "projected" else tags)
    one = one_to_one(links, (len(f_words), len(e_words)))
    if tags == "projected":
        by_word = {i: e_tags[j - 1] for i, j in one}
        f_tags = tuple(by_word.get(i, UNLINKED_TAG) for i in range(1, len(f_words) + 1))
    else:
        f_tags = tags_of(pair.f, tags)
    return TagPair(f_tags, e_tags, one, pair.sent_id)


def one_to_one(links: Mapping[tuple[int, int], float], shape: tuple[int, int]) -> dict[tuple[int, int], float]:
    """Greedy: the largest weight first, then the nearest to the diagonal, then the leftmost.

    >>> one_to_one({(1, 1): 1.0, (1, 2): 1.0, (2, 2): 1.0}, (2, 2))
    {(1, 1): 1.0, (2, 2): 1.0}
    """

    def order(link: tuple[int, int]) -> tuple[float, float, tuple[int, int]]:
        return -links[link], abs(link[0] / max(shape[0], 1) - link[1] / max(shape[1], 1)), link

    rows: set[int] = set()
    columns: set[int] = set()
    kept_links: dict[tuple[int, int], float] = {}
    for i, j in sorted(links, key=order):
        if i not in rows and j not in columns:
            kept_links[i, j] = links[i, j]
            rows.add(i)
            columns.add(j)
    return dict(sorted(kept_links.items()))


def kept_leaves(tree: PhraseTree) -> tuple[int, ...]:
    """Words that are neither punctuation nor symbols, from 0."""
    tags = tree.tags or ("_",) * len(tree.forms)
    marks = PUNCTUATION | {"SYM", "PUNCT", "--"}
    return tuple(
        k
        for k, (form, tag) in enumerate(zip(tree.forms, tags, strict=True))
        if tag not in marks and not (tag in ("_", "") and not any(map(str.isalnum, form)))
    )


LABEL = "X"
"""Induced phrases have no category."""


@dataclass(frozen=True)
class TaggedSentence:
    """A sentence with all its words, and the tags of those that induction sees (`kept`, counted from 0)."""

    forms: tuple[str, ...]
    all_tags: tuple[str, ...]
    kept: tuple[int, ...]
    sent_id: str = ""

    @classmethod
    def of(cls, tree: DepTree, kind: str = "auto", sent_id: str = "") -> TaggedSentence:
        return cls(tree.forms, tree.tags(kind), tuple(k - 1 for k in kept_words(tree)), sent_id)

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(self.all_tags[k] for k in self.kept)

    @property
    def bounds(self) -> tuple[int, ...]:
        """Where the units (a word and the marks that belong to it) begin, and the end."""
        return (0, *self.kept[1:], len(self.forms))


def phrase_tree(sentence: TaggedSentence, tree: Tree) -> PhraseTree:
    """The tree over all words; marks stand beside the word that they belong to.

    >>> s = TaggedSentence(("so", "it", "goes", "."), ("ADV", "PRON", "VERB", "PUNCT"), (0, 1, 2))
    >>> [(x.label, x.start, x.end) for x in phrase_tree(s, ((0, 3), (1, 3))).nodes if x.children]
    [('X', 1, 4), ('X', 0, 4)]
    """
    n, bounds = len(sentence.forms), sentence.bounds
    nodes = [Constituent(tag, k, k + 1) for k, tag in enumerate(sentence.all_tags)]
    if n > 1 and len(sentence.kept) < 2:
        nodes.append(Constituent(LABEL, 0, n, tuple(range(n))))
        return PhraseTree(sentence.forms, tuple(nodes), tags=sentence.all_tags, sent_id=sentence.sent_id)
    place: dict[tuple[int, int], tuple[int, ...]] = {
        (u, u + 1): tuple(range(bounds[u], bounds[u + 1])) for u in range(len(sentence.kept))
    }
    spans = set(tree)
    for i, j in sorted(tree, key=lambda span: span[1] - span[0]):
        k = next(k for k in range(i + 1, j) if all(b - a == 1 or (a, b) in spans for a, b in ((i, k), (k, j))))
        nodes.append(Constituent(LABEL, bounds[i], bounds[j], place[i, k] + place[k, j]))
        place[i, j] = (len(nodes) - 1,)
    return PhraseTree(sentence.forms, tuple(nodes), tags=sentence.all_tags, sent_id=sentence.sent_id)


def forest_of(sentence: TaggedSentence, chart: SpanChart, prune: float = 0.001) -> Forest:
    """The chart as a packed forest; weights are log p(split | phrase), so the sum over all trees is 1.

    Splits with a marginal below `prune` are left out, but every phrase keeps its best one, and the best tree stays.
    """
    units, packer = len(sentence.kept), Packer()
    if not units:
        sentence = TaggedSentence(sentence.forms, sentence.all_tags, (0,), sentence.sent_id)
        units = 1
    number = {(u, u + 1): _unit(packer, sentence, u) for u in range(units)}
    bounds = sentence.bounds

    def phrase(i: int, j: int) -> int:
        if (i, j) not in number:
            number[i, j] = packer.node(Node(bounds[i], bounds[j], LABEL), (i, j))
        return number[i, j]

    for (i, j), splits in _kept_splits(chart, units, prune).items():
        for k, weight in splits.items():
            packer.edge(phrase(i, j), phrase(i, k), phrase(k, j), weight)
    forest = packer.forest(sentence.forms, number[0, units], tags=sentence.all_tags, sent_id=sentence.sent_id)
    return normalise(forest).check()


def _unit(packer: Packer, sentence: TaggedSentence, u: int) -> int:
    """The node of a word with its marks: they join one by one, in virtual nodes."""
    word, first, last = sentence.kept[u], sentence.bounds[u], sentence.bounds[u + 1]
    leaves = {k: packer.node(Node(k, k + 1, sentence.all_tags[k], k, k), ("leaf", k)) for k in range(first, last)}
    top_node = leaves[word]
    for k in range(word + 1, last):
        whole = packer.node(Node(word, k + 1, LABEL, word, word, virtual=True), ("unit", word, k + 1))
        packer.edge(whole, top_node, leaves[k])
        top_node = whole
    for k in range(word - 1, first - 1, -1):
        whole = packer.node(Node(k, last, LABEL, word, word, virtual=True), ("unit", k, last))
        packer.edge(whole, leaves[k], top_node)
        top_node = whole
    return top_node


def _kept_splits(chart: SpanChart, n: int, prune: float) -> dict[tuple[int, int], dict[int, float]]:
    """For each phrase that is kept its splits with their log probabilities."""
    chosen = set(best(chart.ratio, 0)) if n > 1 else set()
    kept: dict[tuple[int, int], dict[int, float]] = {}
    stack = [(0, n), *sorted(chosen)]
    while stack:
        i, j = stack.pop()
        if (i, j) in kept or j - i < 2:
            continue
        ks = np.arange(i + 1, j)
        logs = chart.splits(i, j)
        keep = np.exp(logs) * chart.marginals[i, j] >= prune
        keep[int(logs.argmax())] = True
        for at, k in enumerate(ks.tolist()):
            keep[at] |= (i, j) in chosen and all(b - a == 1 or (a, b) in chosen for a, b in ((i, k), (k, j)))
        kept[i, j] = {int(k): min(float(x), 0.0) for k, x in zip(ks[keep], logs[keep], strict=True) if x > -math.inf}
        stack += [part for k in kept[i, j] for part in ((i, k), (k, j))]
    return kept


def _bare(sentence: Rows) -> DepTree:
    """Return the sentence as a tree of forms and tags without heads, so that no wrong head can raise an error."""
    return DepTree.from_words(sentence.forms, upos=sentence.column(3), xpos=sentence.column(4))


def sentences(source: str, faults: Faults, tags: str) -> list[TaggedSentence]:
    """Sentences of a CoNLL-U file, with the tags chosen; or words and tags of Penn or TIGER trees (phrases ignored)."""
    if tags not in KINDS[:3]:
        raise ModelError(f"no tags '{tags}' on one side alone", remedy=f"choose one of {', '.join(KINDS[:3])}")
    kind = _trees_in(source)
    if kind:
        trees = phrase_trees(source, kind, faults)
        tagged_sentences = [TaggedSentence(t.forms, t.tags or ("_",) * len(t.forms), kept_leaves(t), t.sent_id) for t in trees]
    else:
        tagged_sentences = [TaggedSentence.of(_bare(s), tags, s.sent_id) for s in conllu.load(source, faults) if s is not None]
    _need_tags([s.tags for s in tagged_sentences], source)
    return tagged_sentences


def _trees_in(source: str) -> str:
    """ "brackets" or "tiger" where a file holds phrase trees, else nothing."""
    head = head_of(source)
    return guess(head) if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"(", b"<") else ""


def _need_tags(tag_rows: list[tuple[str, ...]], source: str) -> None:
    if any(tag_rows) and all(tag == "_" for tags in tag_rows for tag in tags):
        raise FormatError("the words have no tags", Where(source), "tag the text, or take the other column with `tags`")


def tag_pairs(
    source: str, faults: Faults, *, tags: str, links: str | None = None, more: bool = False, min_prob: float = InduceOptions.min_prob,
    soft: bool = False, ignore_ids: bool = False,
) -> list[TagPair]:  # fmt: skip
    """Pairs of a corpus folder; links of a file (else of its align.txt), or "auto", made here.

    With `more` the words that have no link get those that are made here.
    """
    pairs = list(tree_pairs(source, faults, links != "auto", ignore_ids, links))
    if more or links == "auto":
        probabilities = word_links(pairs)
        weights = [
            {link: p if soft else 1.0 for link, p in link_weights.items() if p >= min_prob} for link_weights in probabilities
        ]
        if more and links != "auto":
            weights = [add_missing_links(pair.links, link_weights) for pair, link_weights in zip(pairs, weights, strict=True)]
        tagged_pairs = [tag_pair(pair, tags, link_weights) for pair, link_weights in zip(pairs, weights, strict=True)]
    else:
        tagged_pairs = [tag_pair(pair, tags) for pair in pairs]
    for side in ("f", "e"):
        if not (tags == "projected" and side == "f"):
            _need_tags([getattr(pair, side) for pair in tagged_pairs], source)
    return tagged_pairs


def word_links(pairs: list[Pair]) -> list[dict[tuple[int, int], float]]:
    """Intersected links with their probabilities; tags help where both sides have them."""
    text = [(pair.f.forms, pair.e.forms) for pair in pairs]
    sides = [pair.f.tags() for pair in pairs], [pair.e.tags() for pair in pairs]
    tagged = all(any(tag != "_" for s in side for tag in s) for side in sides)
    alignments = WordAligner(method="intersection").fit_align(text, tags=sides if tagged else None)
    return [linked.probabilities for linked in alignments]


def add_missing_links(links: Links, more: Mapping[tuple[int, int], float]) -> dict[tuple[int, int], float]:
    """Links of a corpus, and `more` between words that have none there: annotators often leave out function words."""
    rows, columns = {i for i, _ in links.links}, {j for _, j in links.links}
    extra = {(i, j): p for (i, j), p in more.items() if i not in rows and j not in columns}
    return dict.fromkeys(sorted(links.links), 1.0) | extra


def tree_pairs(
    source: str, faults: Faults, linked: bool, ignore_ids: bool = False, links_file: str | None = None
) -> Iterator[Pair]:
    """Pairs of a corpus folder, or of a shipped corpus, without heads; with links when `linked`, of the folder or a file."""
    corpus = read(source, links=links_file, same_ids=not ignore_ids, faults=faults)
    corpus.need("e")
    if linked:
        corpus.need("links", remedy="name a file with `links`, or make links here with `links=auto`")
    else:
        corpus = replace(corpus, links=())
    for count, (f, e, line) in enumerate(corpus.rows(), 1):
        if isinstance(f, Sentence):
            f = to_sentence(f)
        if f is None or e is None or (linked and line is None):
            continue
        trees = _bare(f), _bare(e)
        shape = len(trees[0]), len(trees[1])
        place = Where(line[0].path, line[0].line, f.sent_id) if line else None
        links = pharaoh.parse(line[1], shape, place, faults) if line else Links(frozenset(), shape)
        yield Pair(*trees, links, f.sent_id or e.sent_id or str(count))
