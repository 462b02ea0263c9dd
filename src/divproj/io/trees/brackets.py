"""Read and write Penn brackets: a tree on one or several lines, and n-best lists with scores.

    # sent_id = s1                        names the sentence that follows
    (S (NP (DT A) (NN dog)) (VP …))       a tree without a score is a sentence

    -3.2<TAB>(S …)                        an n-best list: a block between blank lines, scores are logarithms
    -4.1<TAB>(S …)

    2 s3                                  an n-best list of the BLLIP parser: number of trees and sent_id,
    -3.2                                  then for each tree a line with its score
    (S1 …)                                and a line with the tree

`( (S …))` has the root ROOT. A blank within a word is written as \\u and its code: `(NUM 10\\u0020000)`.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, TextIO, cast

from divproj.core.errors import Faults, FormatError, Where
from divproj.forest.heads import bare_label
from divproj.forest.trees import UNTAGGED, Constituent, PhraseTree, TreeBuilder
from divproj.io.files import Source, name_of, reading
from divproj.io.interlinear.parts import lines

_TOKEN = re.compile(r"[()]|[^\s()]+")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+|inf)")
_HEADER = re.compile(r"(\d+)\s+(\S+)")
_SENT_ID = re.compile(r"#\s*sent_id\s*=\s*(.*)")
_TOPS = frozenset(("ROOT", "TOP", "S1", "VROOT", ""))
ESCAPES = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_ESCAPED = {form: name for name, form in ESCAPES.items() if name[2] == "R" or form == "("}
_BRACKET_NAME = re.compile("|".join(ESCAPES))
_TO_ESCAPE = re.compile(r"\s|\\(?=u[0-9a-f]{4}|[/*])")
"""Blanks, and backslashes that would be read as the beginning of an escape."""
_CODE = re.compile(r"\\(?:u([0-9a-f]{4})|([/*]))")
EMPTY = "-NONE-"


@dataclass(frozen=True)
class NBest:
    """Parses of one sentence, with log scores where there are any."""

    trees: tuple[PhraseTree, ...]
    scores: tuple[float, ...] = ()
    sent_id: str = ""
    where: Where = field(default=Where(), compare=False)


@dataclass(frozen=True)
class BracketOptions:
    """How trees are read."""

    empties: bool = False
    """Keep empty elements (-NONE-) as words."""
    functions: bool = True
    """Keep function tags (NP-SBJ)."""
    unescape: bool = True
    """Words -LRB- and the like become brackets, `\\/` a slash, `\\u0020` a blank."""


def load(
    source: Source, faults: Faults | None = None, options: BracketOptions | None = None, *, keep_places: bool = False
) -> Iterator[NBest | None]:
    """Sentences of a file. What cannot be read goes to `faults` (None: raise); with `keep_places` None stands for such a sentence."""
    with reading(source) as stream:
        yield from read(stream, name_of(source), faults or Faults(), options or BracketOptions(), keep_places=keep_places)


def loads(text: str, faults: Faults | None = None, options: BracketOptions | None = None) -> list[NBest]:
    """
    >>> loads("(S (NP (DT A) (NN dog)) (VP (VBZ barks)))")[0].trees[0].forms
    ('A', 'dog', 'barks')
    """
    stream = cast(BinaryIO, io.BytesIO(text.encode("utf-8", "surrogatepass")))
    return [item for item in read(stream, "", faults or Faults(), options or BracketOptions()) if item is not None]


def dump(sentences: Iterable[NBest | PhraseTree], out: TextIO) -> None:
    """A tree a line; n-best lists as blocks of `score<TAB>tree`."""
    for sentence in sentences:
        out.write(dumps(sentence))


def dumps(sentence: NBest | PhraseTree) -> str:
    """
    >>> dumps(loads("(S (NP (DT A)\\n (NN dog)) (VP (VBZ barks)))")[0].trees[0])
    '(S (NP (DT A) (NN dog)) (VP (VBZ barks)))\\n'
    """
    if isinstance(sentence, PhraseTree):
        return _format_tree(sentence) + "\n"
    name = f"# sent_id = {sentence.sent_id}\n" if sentence.sent_id else ""
    if not sentence.scores and len(sentence.trees) == 1:
        return name + _format_tree(sentence.trees[0]) + "\n"
    scores = sentence.scores or (0.0,) * len(sentence.trees)
    rows = (f"{score!r}\t{_format_tree(tree)}\n" for score, tree in zip(scores, sentence.trees, strict=True))
    return name + "".join(rows) + "\n"


def escape(text: str) -> str:
    """Return a word or label without blanks and brackets, as it stands in a tree.

    >>> escape("10 000"), escape("a)")
    ('10\\\\u0020000', 'a-RRB-')
    """
    coded = _TO_ESCAPE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return "".join(_ESCAPED.get(c, c) for c in coded)


def unescape(text: str) -> str:
    """Return the word that stands in a tree as `text`.

    >>> unescape("10\\\\u0020000"), unescape("a-RRB-"), unescape("1\\\\/2")
    ('10 000', 'a)', '1/2')
    """
    bare = _BRACKET_NAME.sub(lambda match: ESCAPES[match[0]], text)
    return _CODE.sub(lambda match: chr(int(match[1], 16)) if match[1] else match[2], bare) if "\\" in bare else bare


def _format_tree(tree: PhraseTree) -> str:
    parts: list[str] = []
    space = ""
    for sign, k in tree.brackets():
        bare = sign != "w" and tree.nodes[k].label == UNTAGGED and not tree.nodes[k].children and len(tree.nodes) > 1
        if sign == "w":
            parts += [space, escape(tree.forms[k])]
        elif sign == "(" and not bare:
            parts += [space, "(", escape(tree.nodes[k].label)]
        elif sign == ")" and not bare:
            parts.append(")")
        space = " "
    return "".join(parts)


def read(
    stream: BinaryIO, path: str, faults: Faults, options: BracketOptions, *, keep_places: bool = False
) -> Iterator[NBest | None]:
    for item in _Reader(path, faults, options).sentences(lines(stream, path, faults)):
        if item is not None or keep_places:
            yield item


class _Reader:
    """Reads line by line; holds the open tree and the n-best list it belongs to."""

    def __init__(self, path: str, faults: Faults, options: BracketOptions) -> None:
        self.path, self.faults, self.options = path, faults, options
        self.builder = TreeBuilder()
        self.line = self.first = 0
        self.label_next = False
        self.one_line = True  # so far every tree stood in one line
        self.score: float | None = None
        self.block: list[tuple[float, PhraseTree]] = []
        self.in_block = False
        self.name, self.block_name = "", ""
        self.block_line = self.count = 0
        self.broken = False  # the rest of the line is not read

    @property
    def is_open(self) -> bool:
        return bool(self.builder.depth) or self.label_next

    def where(self, line: int = 0) -> Where:
        return Where(self.path, line or self.line, self.block_name or self.name or str(self.count + 1))

    def sentences(self, numbered: Iterator[tuple[int, str]]) -> Iterator[NBest | None]:
        for self.line, text in numbered:
            if self.is_open:
                if self._breaks_off(text):
                    yield from self._give_up(f"line {self.line}")
                else:
                    yield from self._tokens(text)
                    continue
            yield from self._top(text)
        if self.is_open:
            yield from self._give_up("the end of the file")
        yield from self._close_block()

    def _breaks_off(self, text: str) -> bool:
        """Whether a line begins anew though brackets are open."""
        if not text.strip():
            return True
        if _HEADER.fullmatch(text.strip()) or text.startswith("#") or re.match(r"[-+.\d]\S*\t\(", text):
            return True
        if not text.startswith("(") or not self.builder.forms:
            return False
        match = re.match(r"\(\s*([^\s()]*)", text)
        label = match[1] if match else ""
        return label in _TOPS or label == self._root or (self.one_line and self.count > 0)

    @property
    def _root(self) -> str:
        return self.builder.stack[0][0] if self.builder.stack else ""

    def _give_up(self, before: str) -> Iterator[NBest | None]:
        depth = self.builder.depth + self.label_next
        problem = f"{depth} bracket{'s' * (depth > 1)} of the tree not closed before {before}"
        self.faults.sentence(FormatError(problem, self.where(self.first)))
        yield from self._drop_tree()

    def _drop_tree(self) -> Iterator[None]:
        self.builder, self.label_next = TreeBuilder(), False
        self.broken = True
        if self.score is None and not self.in_block:
            self.count += 1
            self.name = ""
            yield None
        self.score = None

    def _top(self, text: str) -> Iterator[NBest | None]:
        """A line outside trees."""
        self.broken = False
        bare = text.strip()
        if not bare:
            yield from self._close_block()
        elif match := _SENT_ID.match(bare):
            yield from self._close_block()
            self.name = match[1].strip()
        elif match := _HEADER.fullmatch(bare):
            yield from self._close_block()
            self.in_block, self.block_name, self.block_line = True, match[2], self.line
        elif _NUMBER.fullmatch(bare):
            yield from self._open_block(bare)
        elif bare.startswith(("(", ")")):
            yield from self._tokens(text)
        elif not bare.startswith("#"):
            number, _, rest = bare.partition("\t")
            if _NUMBER.fullmatch(number.strip()) and rest.lstrip().startswith("("):
                yield from self._open_block(number.strip())
                yield from self._tokens(rest)
            else:
                shown = bare if len(bare) < 40 else bare[:37] + "..."
                self.faults.sentence(FormatError(f"'{shown}' is not a tree, '(' expected", self.where()))
                yield from self._drop_tree()

    def _open_block(self, number: str) -> Iterator[NBest | None]:
        if not self.in_block:
            self.in_block, self.block_line = True, self.line
            self.block_name, self.name = self.name, ""
        self.score = float(number)
        yield from ()

    def _tokens(self, text: str) -> Iterator[NBest | None]:
        for piece in _TOKEN.findall(text):
            if self.broken:
                return
            if self.label_next:
                self.label_next = False
                named = piece not in "()"
                self.builder.open(piece if named else "ROOT" if not self.builder.depth else UNTAGGED)
                if named:
                    continue
            if piece == "(":
                if not self.builder.depth:
                    self.first = self.line
                self.label_next = True
            elif piece == ")":
                yield from self._closing()
            elif not self.builder.depth:
                self.faults.sentence(FormatError(f"'{piece}' stands outside the tree", self.where()))
                yield from self._drop_tree()
            else:
                self.builder.word(piece)

    def _closing(self) -> Iterator[NBest | None]:
        if not self.builder.depth:
            self.faults.sentence(FormatError("')' closes no bracket", self.where(), "is one too many in this line?"))
            yield from self._drop_tree()
            return
        try:
            self.builder.close()
        except FormatError as error:
            self.faults.sentence(FormatError(error.message, self.where()))
            yield from self._drop_tree()
            return
        if not self.builder.depth:
            yield from self._finish_tree()

    def _finish_tree(self) -> Iterator[NBest | None]:
        self.one_line = self.one_line and self.first == self.line
        builder, self.builder = self.builder, TreeBuilder()
        place = self.where(self.first)
        try:
            tree = _tidy(builder.tree(place.sent_id, place), self.options)
        except FormatError as error:
            self.faults.sentence(FormatError(error.message, place, "the sentence has only empty elements"))
            yield from self._drop_tree()
            self.broken = False
            return
        if self.score is not None:
            self.block.append((self.score, tree))
            self.score = None
        elif self.in_block:
            self.block.append((0.0, tree))
        else:
            self.count += 1
            self.name = ""
            yield NBest((tree,), (), place.sent_id, place)

    def _close_block(self) -> Iterator[NBest | None]:
        """Yield the n-best list that ends here, without trees whose words differ from those of most."""
        if not self.in_block:
            return
        place = self.where(self.block_line)
        kept = _agreeing(self.block, self.faults)
        self.block, self.in_block, self.score, self.block_name = [], False, None, ""
        self.count += 1
        if kept:
            yield NBest(tuple(tree for _, tree in kept), tuple(score for score, _ in kept), place.sent_id, place)
        else:
            self.faults.sentence(FormatError("an n-best list without a tree that can be used", place))
            yield None


def _agreeing(block: list[tuple[float, PhraseTree]], faults: Faults) -> list[tuple[float, PhraseTree]]:
    if not block:
        return []
    usual = Counter(tree.forms for _, tree in block).most_common(1)[0][0]
    kept = []
    for score, tree in block:
        if tree.forms == usual:
            kept.append((score, tree))
            continue
        other = next((k for k, (a, b) in enumerate(zip(tree.forms, usual, strict=False)) if a != b), -1)
        problem = f"word {other + 1} is '{tree.forms[other]}', '{usual[other]}' in the other trees of the list"
        if other < 0:
            problem = f"{len(tree)} words, {len(usual)} in the other trees of the list"
        faults.word(FormatError(problem, tree.where, "the tree is left out"))
    return kept


def _tidy(tree: PhraseTree, options: BracketOptions) -> PhraseTree:
    if not options.empties and EMPTY in tree.tags:
        tree = tree.without(lambda _, tag: tag == EMPTY)
    forms, nodes, tags = tree.forms, tree.nodes, tree.tags
    if options.unescape:
        forms = tuple(map(unescape, forms))
    if not options.functions:
        nodes = tuple(
            Constituent(bare_label(n.label), n.start, n.end, n.children, n.head, n.sem_head, n.id, n.edge) for n in nodes
        )
        tags = tuple(bare_label(tag) for tag in tags)
    return PhraseTree(forms, nodes, tree.lemmas, tags, tree.sent_id, tree.where)
