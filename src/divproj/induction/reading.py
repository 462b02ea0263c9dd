"""Tagged text and bitext for `proj induce`: heads are not looked at, so text without trees will do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest

from divproj.data.errors import AlignmentError, Faults, FormatError, ModelError, ProjError, Where
from divproj.data.links import Links
from divproj.data.options import InduceOptions
from divproj.data.pair import Pair
from divproj.data.sentence import Sentence
from divproj.data.tree import DepTree
from divproj.induction.gold import KINDS, TagPair, kept_leaves, tag_pair
from divproj.induction.output import Tagged
from divproj.io import conllu, pharaoh
from divproj.io.corpus import SentenceIds
from divproj.io.files import in_folder, located, reading
from divproj.io.forests import guess, phrase_trees
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
    if source == "-":
        return ""
    with reading(source) as stream:
        head = stream.read(1 << 16)
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
    folder = located(source)
    names = ("f.conllu", "e.conllu", *(("align.txt",) if linked else ()))
    files = [links_file if links_file and name == "align.txt" else in_folder(folder, name) for name in names]
    for name, path in zip(names, files, strict=True):
        if path is None:
            remedy = "make links here with `links=auto`" if name == "align.txt" else "give a folder with f.conllu and e.conllu"
            what = f"the folder has no {name}" if folder.is_dir() else "no such file or folder"
            raise ProjError(what, Where(str(folder)), remedy)
    end, ids = object(), SentenceIds(not ignore_ids)
    sides = (conllu.load(str(path), faults, keep_places=True) for path in files[:2])
    lines = pharaoh.load(str(files[2])) if linked else None
    count = 0
    for f, e in zip_longest(*sides, fillvalue=end):
        line = next(lines, None) if lines is not None else None
        if f is end or e is end or (linked and line is None):
            faults.file(
                AlignmentError("different numbers of sentences", Where(str(folder)), f"pairs after the {count}th were not read")
            )
            return
        count += 1
        if not isinstance(f, Sentence) or not isinstance(e, Sentence) or not ids.pair(f, e, faults):
            continue
        trees = _bare(f), _bare(e)
        shape = len(trees[0]), len(trees[1])
        place = Where(line[0].path, line[0].line, f.sent_id) if line else None
        links = pharaoh.parse(line[1], shape, place, faults) if line else Links(frozenset(), shape)
        yield Pair(*trees, links, f.sent_id or e.sent_id or str(count))
