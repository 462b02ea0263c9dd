"""Tagged text and bitext for `proj induce`: heads are not looked at, so text without trees will do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from divproj.data.errors import Faults, FormatError, ModelError, Where
from divproj.data.igt import Igt
from divproj.data.links import Links
from divproj.data.options import InduceOptions
from divproj.data.pair import Pair
from divproj.data.sentence import Sentence
from divproj.data.tree import DepTree
from divproj.induction.gold import KINDS, TagPair, kept_leaves, tag_pair
from divproj.induction.output import Tagged
from divproj.io import conllu, pharaoh
from divproj.io.corpus import read
from divproj.io.files import head_of
from divproj.io.forests import guess, phrase_trees
from divproj.io.igt_conllu import to_sentence
from divproj.links.words.model import WordAligner


def _bare(sentence: Sentence) -> DepTree:
    """Forms and tags; no heads, so none can be wrong."""
    return DepTree.unparsed(sentence.forms, upos=sentence.column(3), xpos=sentence.column(4))


def sentences(source: str, faults: Faults, tags: str) -> list[Tagged]:
    """Sentences of a CoNLL-U file, with the tags chosen; or words and tags of Penn or TIGER trees, whose phrases nobody looks at."""
    if tags not in KINDS[:3]:
        raise ModelError(f"no tags '{tags}' on one side alone", remedy=f"choose one of {', '.join(KINDS[:3])}")
    kind = _trees_in(source)
    if kind:
        trees = phrase_trees(source, kind, faults)
        made = [Tagged(t.forms, t.tags or ("_",) * len(t.forms), kept_leaves(t), t.sent_id) for t in trees]
    else:
        made = [Tagged.of(_bare(s), tags, s.sent_id) for s in conllu.load(source, faults) if s is not None]
    _need_tags([s.tags for s in made], source)
    return made


def _trees_in(source: str) -> str:
    """ "brackets" or "tiger" where a file holds phrase trees, else nothing."""
    head = head_of(source)
    return guess(head) if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"(", b"<") else ""


def _need_tags(found: list[tuple[str, ...]], source: str) -> None:
    if any(found) and all(tag == "_" for tags in found for tag in tags):
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
        chances = word_links(pairs)
        weights = [{link: p if soft else 1.0 for link, p in found.items() if p >= min_prob} for found in chances]
        if more and links != "auto":
            weights = [completed(pair.links, found) for pair, found in zip(pairs, weights, strict=True)]
        made = [tag_pair(pair, tags, found) for pair, found in zip(pairs, weights, strict=True)]
    else:
        made = [tag_pair(pair, tags) for pair in pairs]
    for side in ("f", "e"):
        if not (tags == "projected" and side == "f"):
            _need_tags([getattr(pair, side) for pair in made], source)
    return made


def word_links(pairs: list[Pair]) -> list[dict[tuple[int, int], float]]:
    """Intersected links with their probabilities; tags help where both sides have them."""
    text = [(pair.f.forms, pair.e.forms) for pair in pairs]
    sides = [pair.f.tags() for pair in pairs], [pair.e.tags() for pair in pairs]
    tagged = all(any(tag != "_" for s in side for tag in s) for side in sides)
    found = WordAligner(method="intersection").fit_align(text, tags=sides if tagged else None)
    return [linked.chances for linked in found]


def completed(links: Links, more: Mapping[tuple[int, int], float]) -> dict[tuple[int, int], float]:
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
        if isinstance(f, Igt):
            f = to_sentence(f)
        if f is None or e is None or (linked and line is None):
            continue
        trees = _bare(f), _bare(e)
        shape = len(trees[0]), len(trees[1])
        place = Where(line[0].path, line[0].line, f.sent_id) if line else None
        links = pharaoh.parse(line[1], shape, place, faults) if line else Links(frozenset(), shape)
        yield Pair(*trees, links, f.sent_id or e.sent_id or str(count))
