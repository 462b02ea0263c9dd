"""Read TIGER-XML treebanks (TIGER, NEGRA, SMULTRON), and files of node links between two of them.

`elements` cuts the file into sentences and parses each by itself, so that one broken sentence does not affect the others.
Every phrase becomes continuous: one whose words are not adjacent keeps the part with its head, and its other children are
attached to the phrase above (Boyd 2007). Secondary edges are not read. Ids of phrases and words are kept.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
from defusedxml.ElementTree import ParseError, fromstring  # type: ignore[import-untyped]

from divproj.core.errors import Faults, FormatError, ProjError, Where
from divproj.forest import heads
from divproj.forest.trees import Constituent, PhraseTree
from divproj.io.files import Source, name_of, reading
from divproj.io.interlinear.parts import Options, xml_pieces

_ID = re.compile(r"\bid\s*=\s*[\"']([^\"'<]*)[\"']")
LONGEST = 64 << 20
"""Characters in one element."""


def elements(
    stream: BinaryIO, path: str, faults: Faults, tag: str, *, keep_places: bool = False
) -> Iterator[tuple[Where, Any]]:
    """(place, element) of each `<tag>` in the file, which must not nest; None for one that is not XML, with `keep_places`."""
    for line, text in _texts(stream, path, faults, tag):
        match = _ID.search(text, 0, max(text.find(">"), 0))
        where = Where(path, line, match[1] if match else "")
        try:
            yield where, fromstring(text, forbid_dtd=True)
        except ParseError as error:
            row, column = error.position
            place = Where(path, line + row - 1, where.sent_id)
            reason = str(error).partition(":")[0]
            problem = f"not well-formed XML at column {column + 1}: {reason}"
            if reason == "no element found":
                problem, place = f"<{tag}> is not closed", where
            faults.sentence(FormatError(problem, place))
        except DefusedXmlException as error:
            faults.sentence(FormatError(f"the XML defines entities ({type(error).__name__}), which is refused", where))
        else:
            continue
        if keep_places:
            yield where, None


def _texts(stream: BinaryIO, path: str, faults: Faults, tag: str) -> Iterator[tuple[int, str]]:
    """(line, text) of every element of that name, from `<tag` to `</tag>`; one that breaks off ends where the next begins."""
    sign = re.compile(
        rf"<{tag}(?:\s[^<>]*)?/>|<{tag}(?=[\s/>])|</{tag}\s*>|<!(?:ENTITY|DOCTYPE[^<>]*\[)|<!--(?:(?!<!--).)*?-->", re.DOTALL
    )
    buffer, line, begun = "", 1, -1
    scanned = 0
    for number, piece in xml_pieces(stream, path, faults, Options()):
        if not buffer:
            line = number
        buffer += piece
        if len(buffer) > LONGEST:
            raise FormatError(f"no </{tag}> in {LONGEST >> 20} MB", Where(path, line))
        used = 0
        for match in sign.finditer(buffer, max(scanned - 20, 0)):
            if match.start() < used or (begun >= 0 and match.start() == begun):
                continue
            if match[0].startswith("<!"):
                if not match[0].startswith("<!--"):
                    problem = "the XML defines entities, which is refused"
                    raise ProjError(problem, Where(path, line + buffer.count("\n", 0, match.start())), "remove the DOCTYPE")
            elif match[0].startswith("</"):
                if begun >= 0:
                    yield line + buffer.count("\n", 0, begun), buffer[begun : match.end()]
                    used, begun = match.end(), -1
            else:
                if begun >= 0:
                    yield line + buffer.count("\n", 0, begun), buffer[begun : match.start()]
                    used = match.start()
                begun = match.start()
                if match[0].endswith("/>"):
                    yield line + buffer.count("\n", 0, begun), match[0]
                    used, begun = match.end(), -1
        cut = begun if begun >= 0 else max(used, buffer.rfind("<") if ">" not in buffer[buffer.rfind("<") :] else len(buffer))
        line += buffer.count("\n", 0, cut)
        buffer, begun = buffer[cut:], 0 if begun >= 0 else -1
        scanned = len(buffer)
    if begun >= 0:
        yield line, buffer


EMPTY = "-NONE-"


@dataclass
class _Graph:
    """A sentence as written: children and edge labels of each phrase by id."""

    words: dict[str, int]
    labels: dict[str, str]
    children: dict[str, list[str]]
    edge: dict[str, str]
    parent: dict[str, str]


def load(
    source: Source, faults: Faults | None = None, *, empties: bool = False, keep_places: bool = False
) -> Iterator[PhraseTree | None]:
    """Trees of a file; `empties` keeps words tagged -NONE-."""
    with reading(source) as stream:
        yield from read(stream, name_of(source), faults or Faults(), empties=empties, keep_places=keep_places)


def loads(text: str, faults: Faults | None = None, *, empties: bool = False) -> list[PhraseTree]:
    stream = cast(BinaryIO, io.BytesIO(text.encode("utf-8", "surrogatepass")))
    return [tree for tree in read(stream, "", faults or Faults(), empties=empties) if tree is not None]


def read(
    stream: BinaryIO, path: str, faults: Faults, *, empties: bool = False, keep_places: bool = False
) -> Iterator[PhraseTree | None]:
    for where, sentence in elements(stream, path, faults, "s", keep_places=keep_places):
        if sentence is None:
            yield None
            continue
        try:
            tree = _tree(sentence, where)
            yield tree if empties else tree.without(lambda _, tag: tag == EMPTY)
        except FormatError as error:
            faults.sentence(error)
            if keep_places:
                yield None


def _tree(sentence: Any, where: Where) -> PhraseTree:
    terminals = list(sentence.iter("t"))
    if not terminals:
        raise FormatError("the sentence has no words", where)
    graph = _graph(sentence, terminals, where)
    _attach_loose_words(graph)
    tops = [name for name in (*graph.labels, *graph.words) if name not in graph.parent]
    if len(tops) == 1 and tops[0] in graph.labels:
        root = tops[0]
    else:  # words that nothing holds, such as punctuation
        root = ""
        graph.labels[root], graph.children[root] = "VROOT", tops
        graph.parent.update(dict.fromkeys(tops, root))
    order = _bottom_up(graph, root, where)
    notes = _make_continuous(graph, order)
    forms = tuple(t.get("word") or "_" for t in terminals)
    tags = tuple(t.get("pos") or "_" for t in terminals)
    lemmas = tuple(t.get("lemma") or "_" for t in terminals) if any(t.get("lemma") for t in terminals) else ()
    return PhraseTree(forms, tuple(_nodes(graph, order, tags)), lemmas, tags, where.sent_id, where, tuple(notes))


def _graph(sentence: Any, terminals: list[Any], where: Where) -> _Graph:
    words = {t.get("id", f"t{k}"): k for k, t in enumerate(terminals)}
    graph = _Graph(words, {}, {}, {}, {})
    phrases = list(sentence.iter("nt"))
    graph.labels = {nt.get("id", f"nt{k}"): nt.get("cat") or "_" for k, nt in enumerate(phrases)}
    if len(words) + len(graph.labels) < len(terminals) + len(phrases) or words.keys() & graph.labels.keys():
        raise FormatError("two words or phrases have the same id", where)
    for name, phrase in zip(graph.labels, phrases, strict=True):
        graph.children[name] = []
        for edge in phrase.findall("edge"):
            child = edge.get("idref", "")
            if child not in words and child not in graph.labels:
                raise FormatError(f"the phrase {name} has a child '{child}' that is not in the sentence", where)
            if child in graph.parent:
                raise FormatError(f"{child} is a child of both {graph.parent[child]} and {name}, one expected", where)
            graph.parent[child] = name
            graph.edge[child] = edge.get("label", "")
            graph.children[name].append(child)
        if not graph.children[name]:
            raise FormatError(f"the phrase {name} ({graph.labels[name]}) is empty", where)
    return graph


def _attach_loose_words(graph: _Graph) -> None:
    """Attach words outside all phrases (punctuation) to the lowest phrase that contains both their neighbours."""
    names = list(graph.words)
    held = [k for k, name in enumerate(names) if name in graph.parent]
    for k, name in enumerate(names):
        if name in graph.parent or not held or k < held[0] or k > held[-1]:
            continue
        left = max(h for h in held if h < k)
        right = min(h for h in held if h > k)
        above = _ancestors(graph, names[left])
        common = next((phrase for phrase in _ancestors(graph, names[right]) if phrase in above), "")
        if common:
            graph.parent[name] = common
            graph.children[common].append(name)


def _ancestors(graph: _Graph, name: str) -> dict[str, None]:
    ancestors: dict[str, None] = {}
    while name in graph.parent and graph.parent[name] not in ancestors:
        name = graph.parent[name]
        ancestors[name] = None
    return ancestors


def _bottom_up(graph: _Graph, root: str, where: Where) -> list[str]:
    """Phrases with children before parents."""
    order, stack = [], [root]
    while stack:
        name = stack.pop()
        order.append(name)
        stack.extend(child for child in graph.children[name] if child in graph.labels)
    if len(order) < len(graph.labels):
        lost = next(name for name in graph.labels if name not in set(order))
        raise FormatError(f"the phrase {lost} is a part of itself", where)
    return order[::-1]


def _make_continuous(graph: _Graph, order: list[str]) -> list[str]:
    """Move children up until every phrase is continuous; return a note on each."""
    notes = []
    span = {name: (k, k + 1) for name, k in graph.words.items()}
    for name in order:
        kids = sorted(graph.children[name], key=lambda child: span[child])
        blocks = [[kids[0]]]
        for child in kids[1:]:
            if span[child][0] == span[blocks[-1][-1]][1]:
                blocks[-1].append(child)
            else:
                blocks.append([child])
        kept = blocks[0]
        if len(blocks) > 1:
            main = _head_of(graph, name, kids)
            kept = next(block for block in blocks if main in block)
            above = graph.parent[name]
            for child in (child for block in blocks if block is not kept for child in block):
                graph.parent[child] = above
                graph.children[above].append(child)
                notes.append(f"{name} is discontinuous: {child} was attached to {above or 'VROOT'}")
        graph.children[name] = kept
        span[name] = (span[kept[0]][0], span[kept[-1]][1])
    return notes


def _head_of(graph: _Graph, name: str, kids: list[str]) -> str:
    labels = [graph.labels.get(child, "") for child in kids]
    marked = heads.edge_head(labels, [graph.edge.get(child, "") for child in kids])
    return kids[marked if marked >= 0 else heads.penn_head(graph.labels[name], labels)]


def _nodes(graph: _Graph, order: list[str], tags: tuple[str, ...]) -> Iterator[Constituent]:
    place: dict[str, int] = {}
    span: dict[str, tuple[int, int]] = {}
    for name, k in graph.words.items():
        place[name], span[name] = len(place), (k, k + 1)
        yield Constituent(tags[k], k, k + 1, (), k, k, name, graph.edge.get(name, ""))
    for name in order:
        kids = graph.children[name]
        place[name], span[name] = len(place), (span[kids[0]][0], span[kids[-1]][1])
        below = tuple(place[child] for child in kids)
        yield Constituent(graph.labels[name], *span[name], below, -1, -1, name, graph.edge.get(name, ""))


@dataclass(frozen=True)
class NodeLinks:
    """Links between nodes of two treebanks: (kind, node of the first, node of the second), kinds such as good and fuzzy."""

    treebanks: tuple[str, str]
    files: tuple[str, str]
    links: tuple[tuple[str, str, str], ...]

    def sentences(self) -> dict[tuple[str, str], list[tuple[str, str, str]]]:
        """Links by (sentence of the first, of the second), in order of the first; ids are `sentence_node`."""
        by_sentence: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
        for link in self.links:
            by_sentence.setdefault((sentence_of(link[1]), sentence_of(link[2])), []).append(link)
        return dict(sorted(by_sentence.items(), key=lambda item: (_numeric(item[0][0]), _numeric(item[0][1]))))


def sentence_of(node: str) -> str:
    """
    >>> sentence_of("s12_503")
    's12'
    """
    return node.rpartition("_")[0]


def _numeric(name: str) -> tuple[int, str]:
    digits = "".join(c for c in name if c.isascii() and c.isdigit())
    return (int(digits[:18]) if digits else 0, name)


def load_links(source: Source, faults: Faults | None = None) -> NodeLinks:
    """A node-link file of the Stockholm TreeAligner (`<treealign>`); comments are not links."""
    faults = faults or Faults()
    path = name_of(source)
    with reading(source) as stream:
        try:
            top = fromstring(stream.read(), forbid_dtd=True)
        except ParseError as error:
            raise FormatError(f"not well-formed XML: {str(error).partition(':')[0]}", Where(path, error.position[0])) from None
        except DefusedXmlException:
            raise FormatError("the XML has a DOCTYPE or entities, which is refused", Where(path)) from None
    banks = list(top.iter("treebank"))
    if len(banks) != 2:
        raise FormatError(f"{len(banks)} treebanks named, 2 expected", Where(path))
    names = tuple(bank.get("id", "") for bank in banks)
    links = []
    for number, align in enumerate(top.iter("align"), 1):
        nodes = {node.get("treebank_id", ""): node.get("node_id", "") for node in align.iter("node")}
        kind = align.get("type", "")
        if kind == "comment":
            continue
        if set(nodes) != set(names):
            problem = f"link {number} is between {sorted(nodes)}, one node of each of {sorted(names)} expected"
            faults.sentence(FormatError(problem, Where(path)))
            continue
        links.append((kind, nodes[names[0]], nodes[names[1]]))
    files = tuple(bank.get("filename", "") for bank in banks)
    return NodeLinks((names[0], names[1]), (files[0], files[1]), tuple(links))


def best_sentence_pairs(links: NodeLinks) -> list[tuple[str, str]]:
    """One partner sentence for each: pairs with most links first, then in order of the first."""
    counts = Counter({pair: len(sentence_links) for pair, sentence_links in links.sentences().items()})
    taken: tuple[set[str], set[str]] = (set(), set())
    chosen = []
    for pair, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if pair[0] not in taken[0] and pair[1] not in taken[1]:
            chosen.append(pair)
            taken[0].add(pair[0])
            taken[1].add(pair[1])
    return sorted(chosen, key=lambda pair: _numeric(pair[0]))
