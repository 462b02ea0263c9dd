"""The query language for trees: from text to a condition on a word, and the words that fit it.

    query     = all ( "|" all )*
    all       = one ( "&" one )*
    one       = "!" one | "(" query ")" | axis "(" query ")" | test
    test      = path [ operator value ( "|" value )* ]
    path      = ( axis "." )* attribute
    operator  = "=" | "!=" | "~" | "!~" | "<" | "<=" | ">" | ">="
    value     = word | "quoted" | /regular expression/ | @path

The words `and`, `or`, `not` stand for `&`, `|`, `!`. After a value, `|` with another bare value adds an alternative.

`parse` reads a query, `find` yields the sentences of a text that have a matching word. Sentences are searched one by one, so
files of any length can be searched.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NoReturn

from divproj.core.errors import LONGEST_SENTENCE, Faults, ProjError, too_long
from divproj.core.sentence import Rows, confidence_of, misc_value

AXES = {
    "head": "the word's head",
    "child": "a word whose head it is",
    "ancestor": "a word above it: its head, the head of that, and so on",
    "descendant": "a word below it",
    "sibling": "another word with the same head",
    "next": "the word after it",
    "prev": "the word before it",
}
"""Ways from a word to others, and what each means."""
ATTRIBUTES = {
    "form": "the word as written",
    "lemma": "its dictionary form",
    "upos": "its universal part of speech",
    "xpos": "its own part of speech",
    "feats": "its features; feats.Case is one of them",
    "rel": "its relation to its head",
    "gloss": "its gloss",
    "misc": "the last column; misc.Proj is one of its values",
    "id": "its place in the sentence, from 1",
    "distance": "how many words away its head is; 0 for the root",
    "side": "left or right: where the word stands, seen from its head",
    "children": "how many words have it as head",
    "depth": "how many words are above it",
    "conf": "how sure the program was of its head, from 0 to 1",
    "sent_id": "the name of its sentence",
    "text": "its sentence",
    "length": "how many words its sentence has",
    "comment": "the comments of its sentence; comment.text_en is one of them",
}
"""What a word can be asked for, and what each means."""
ALIASES = {"deprel": "rel", "parent": "head", "word": "form", "pos": "upos", "previous": "prev", "after": "next"}
NUMERIC = {"id", "distance", "children", "depth", "conf", "length"}
KEYED = {"feats", "misc", "comment"}
DEEPEST = 60
"""Brackets and negations inside one another."""
LONGEST = 4000
"""Characters of a query."""


_TOKEN = re.compile(
    r"""\s*(?:
      (?P<regex>/(?:[^/\\]|\\.)*/i?)
    | (?P<quoted>"(?:[^"\\]|\\.)*")
    | (?P<op>!=|!~|<=|>=|[=~<>])
    | (?P<mark>[&|!(),])
    | (?P<word>[^\s&|!()=~<>",]+)
    )""",
    re.X,
)


class QueryError(ProjError):
    """A query that cannot be understood; says at which character."""


# Regular expressions. Python's `re` tries one way after another: for /(a+)+$/ and a word of 40 letters, more ways than can be tried. Nothing can
# stop it, and the workbench stands still. So an expression with several repetitions or alternatives goes all ways at once, in one walk over
# the text (Thompson 1968). Its parts are nodes; a state is the set of nodes that may come next:
#
#     (na|ni)+e    nodes     0 n, 1 a, 2 n, 3 i, 4 e; after 1 and 3 come 0, 2 and 4
#     "nanie"      states    {0, 2} -n-> {1, 3} -a-> {0, 2, 4} -n-> {1, 3} -i-> {0, 2, 4} -e-> {end}
#
# Steps between states are kept, so that time grows with the length of the text alone. Expressions with at most one repetition, and those that
# look back (`(.+)\1`, reduplication) or ahead, are left to `re`, on texts on which it ends soon.

STEPS = 10_000_000
"""Steps for one text: `re` takes them in a fraction of a second."""
MOST_NODES = 5_000
"""Parts of an expression, with each repetition counted."""
MOST_KEPT = 5_000
"""Steps between states that are kept for an expression."""
_PART = re.compile(
    r"""(?P<edge>\\[bBAZ]|[\^$]) | (?P<open>\((?:\?:|\?P<\w+>|(?!\?))) | (?P<other>\(\?|\\[1-9]) | (?P<close>\)) | (?P<bar>\|)
    | (?P<times>(?:[*+?]|\{(?!\})(?P<low>\d*)(?P<comma>,?)(?P<high>\d*)\})(?P<how>[?+]?))
    | (?P<letter>\[\^?\]?(?:\\.|[^\]\\])*\]|\\(?:x..|u....|U........|N\{[^}]*\}|0[0-7]{0,2}|.)|.)""",
    re.X | re.S,
)


class _LookingError(Exception):
    """The expression looks back or ahead: no set of nodes says what may come next."""


@dataclass
class _Node:
    """A letter, a place in the text, or (without a test) neither."""

    test: re.Pattern[str] | None = None
    is_letter: bool = False
    after: list[int] = field(default_factory=list)


class Regex:
    """A regular expression that answers in bounded time.

    >>> [Regex("(a+)+$").search(text) for text in ("baa", 10_000 * "a" + "b")]
    [True, False]
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.plain = re.compile(pattern, flags)
        self.nodes: list[_Node] = []
        self.steps: dict[tuple[frozenset[int], str, bool], frozenset[int]] = {}
        self.parts = list(_PART.finditer(pattern))
        self.choices = sum(part.lastgroup in ("bar", "times") for part in self.parts)
        self.k = 0
        try:
            self.start, self.end = self._choice()
            self.is_regular = True
        except _LookingError:
            self.is_regular = False
            if self._repeats_twice():
                problem = (
                    f"/{pattern}/ can take endless time: it repeats a group in which something repeats, and looks back or ahead"
                )
                raise QueryError(problem, remedy="write it without one of them") from None
        self.width = 3 if any(node.test and not node.is_letter for node in self.nodes) else 1
        """Letters that decide the next state: `$` is true before a last line break, too."""

    def search(self, text: str) -> bool:
        """Whether a part of the text matches."""
        return bool(self.plain.search(text)) if self._is_quick(text) else self._walk(text, whole=False)

    def fullmatch(self, text: str) -> bool:
        """Whether the whole text matches."""
        return bool(self.plain.fullmatch(text)) if self._is_quick(text) else self._walk(text, whole=True)

    def _is_quick(self, text: str) -> bool:
        """Whether `re` cannot take long."""
        if self.is_regular:
            return self.choices < 2 and (len(text) + 1) ** 2 < STEPS
        if (len(text) + 1) ** min(self.choices + 1, 99) > STEPS:
            self._give_up(text)
        return True

    def _give_up(self, text: str) -> NoReturn:
        problem = f"/{self.plain.pattern}/ can take endless time on a text of {len(text)} characters"
        raise QueryError(problem, remedy="make the expression simpler")

    # The expression as nodes, by recursive descent. `re` has read it before: here it has no faults.

    def _node(self, *after: int, test: str = "", is_letter: bool = False) -> int:
        if len(self.nodes) >= MOST_NODES:
            raise QueryError(
                f"/{self.plain.pattern:.60}/ has more than {MOST_NODES} parts, with repetitions", remedy="make it simpler"
            )
        self.nodes.append(_Node(re.compile(test, self.plain.flags) if test else None, is_letter, [*after]))
        return len(self.nodes) - 1

    def _next(self) -> str:
        """Return what kind the next part is; '' at the end."""
        return self.parts[self.k].lastgroup or "" if self.k < len(self.parts) else ""

    def _choice(self) -> tuple[int, int]:
        start, end = self._node(), self._node()
        while True:
            first = last = self._node()
            while self._next() not in ("", "bar", "close"):
                begin, finish = self._repetition()
                self.nodes[last].after.append(begin)
                last = finish
            self.nodes[start].after.append(first)
            self.nodes[last].after.append(end)
            if self._next() != "bar":
                return start, end
            self.k += 1

    def _repetition(self) -> tuple[int, int]:
        before = self.k
        begin, finish = self._atom()
        if self._next() != "times":
            return begin, finish
        times = self.parts[self.k]
        if times["how"] == "+":
            raise _LookingError
        low, high = _limits(times)
        first = last = self._node()
        copies = max(low, 1) if high is None else high
        for number in range(copies):
            if number:
                self.k = before
                begin, finish = self._atom()
            end = self._node()
            self.nodes[last].after.append(begin)
            self.nodes[finish].after.append(end)
            if number >= low:
                self.nodes[last].after.append(end)
            if high is None and number == copies - 1:
                self.nodes[finish].after.append(begin)
            last = end
        self.k += 1
        return first, last

    def _atom(self) -> tuple[int, int]:
        part = self.parts[self.k]
        self.k += 1
        if part.lastgroup == "open":
            inside = self._choice()
            self.k += 1
            return inside
        if part.lastgroup == "other":
            raise _LookingError
        node = self._node(test=part[0], is_letter=part.lastgroup == "letter")
        return node, node

    def _repeats_twice(self) -> bool:
        """Whether a group in which something repeats is repeated."""
        groups = [False]
        for part, following in zip(self.parts, [*self.parts[1:], None], strict=True):
            if part.lastgroup in ("open", "other") and part[0].startswith("("):
                groups.append(False)
            elif part.lastgroup == "close":
                inside = groups.pop()
                if inside and following and following.lastgroup == "times":
                    return True
                groups[-1] |= inside
            groups[-1] |= part.lastgroup in ("bar", "times")
        return False

    # The walk.

    def _walk(self, text: str, whole: bool) -> bool:
        work = 0
        state = self._closure([self.start], text, 0)
        for k in range(len(text)):
            if not whole and self.end in state:
                return True
            key = state, text[k : k + self.width], whole
            following = self.steps.get(key)
            if following is None:
                work += len(self.nodes)
                if work > STEPS:
                    self._give_up(text)
                reached = [] if whole else [self.start]
                for node in (self.nodes[number] for number in state):
                    if node.test and node.test.fullmatch(text[k]):
                        reached += node.after
                following = self._closure(reached, text, k + 1)
                if len(self.steps) >= MOST_KEPT:
                    self.steps.clear()
                self.steps[key] = following
            state = following
        return self.end in state

    def _closure(self, waiting: list[int], text: str, k: int) -> frozenset[int]:
        """Return the letters, and the end, that can be reached from nodes at a place of the text."""
        reached, letters = set(waiting), []
        while waiting:
            number = waiting.pop()
            node = self.nodes[number]
            if node.is_letter or number == self.end:
                letters.append(number)
            elif node.test is None or node.test.match(text, k):
                waiting += [each for each in node.after if each not in reached]
                reached.update(node.after)
        return frozenset(letters)


def _limits(times: re.Match[str]) -> tuple[int, int | None]:
    """Return how often a part may come: least and most, None for no limit."""
    sign = times[0][0]
    if sign != "{":
        return int(sign == "+"), 1 if sign == "?" else None
    low = int(times["low"] or 0)
    return low, (int(times["high"]) if times["high"] else None) if times["comma"] else low


matcher = lru_cache(maxsize=100)(Regex)
"""The expression of a pattern and its flags."""


@dataclass(frozen=True)
class Path:
    """From a word along `axes` to an attribute (`key` for one feature)."""

    axes: tuple[str, ...]
    attribute: str
    key: str = ""

    def __str__(self) -> str:
        return ".".join((*self.axes, self.attribute, *([self.key] if self.key else [])))


@dataclass(frozen=True)
class Value:
    """What is compared with: text, a regular expression or the attribute of another word."""

    text: str = ""
    regex: re.Pattern[str] | None = None
    path: Path | None = None

    def __str__(self) -> str:
        if self.path:
            return f"@{self.path}"
        if self.regex:
            return f"/{self.regex.pattern}/" + "i" * bool(self.regex.flags & re.IGNORECASE)
        return self.text if re.fullmatch(r"[^\s&|!()=~<>\",/@]+", self.text) else _quote(self.text)


@dataclass(frozen=True)
class Compare:
    """An attribute compared with values, any of which may fit; without an operator it only has to be there."""

    path: Path
    operator: str = ""
    values: tuple[Value, ...] = ()

    def __str__(self) -> str:
        return f"{self.path}{self.operator}{'|'.join(map(str, self.values))}"


@dataclass(frozen=True)
class Not:
    part: Condition

    def __str__(self) -> str:
        return f"!({self.part})"


@dataclass(frozen=True)
class And:
    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " & ".join(f"({part})" if isinstance(part, Or) else str(part) for part in self.parts)


@dataclass(frozen=True)
class Or:
    """At least one of several conditions."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " | ".join(f"({part})" for part in self.parts)


@dataclass(frozen=True)
class OnAxis:
    """Some word on an axis fits the whole condition."""

    axis: str
    part: Condition

    def __str__(self) -> str:
        return f"{self.axis}({self.part})"


Condition = Compare | Not | And | Or | OnAxis


@dataclass(frozen=True)
class Query:
    """A condition and the text that it came from.

    >>> str(parse("upos=NOUN&head.upos=VERB"))
    'upos=NOUN & head.upos=VERB'
    """

    condition: Condition
    text: str = ""

    def __str__(self) -> str:
        return str(self.condition)


def parse(text: str) -> Query:
    """The condition that a query states; QueryError where it does not follow the grammar.

    >>> parse("rel=obj & !child.upos=ADP").condition.parts[1]
    Not(part=Compare(path=Path(axes=('child',), attribute='upos', key=''), operator='=', values=(Value(text='ADP', ...),)))
    """
    if len(text) > LONGEST:
        raise QueryError(f"the query has {len(text)} characters, at most {LONGEST} expected")
    return Query(_Parser(text).whole(), text)


def parse_path(text: str) -> Path:
    """`head.upos` as a path; QueryError when there is no such attribute."""
    return _path(text, lambda problem: _fault(problem, text, 0))


class _Parser:
    """Recursive descent over the tokens."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str, int]] = []
        at = 0
        while text[at:].strip():
            token = _TOKEN.match(text, at)
            if not token or token.end() == at:
                start = at + len(text[at:]) - len(text[at:].lstrip())
                self._no(
                    "a quotation mark that is not closed" if text[start] == '"' else f"“{text[start]}” has no meaning here",
                    start,
                )
            kind = token.lastgroup or ""
            self.tokens.append((kind, token[kind], token.start(kind)))
            at = token.end()
        self.k = self.deep = 0

    def whole(self) -> Condition:
        if not self.tokens:
            self._no("the query is empty; try upos=NOUN", 0)
        condition = self.some()
        if self.k < len(self.tokens):
            self._no(f"“{self.tokens[self.k][1]}” is left over; & or | is missing before it", self.tokens[self.k][2])
        return condition

    def some(self) -> Condition:
        self.deep += 1
        if self.deep > DEEPEST:
            self._no(f"more than {DEEPEST} brackets inside one another", self._at())
        parts = [self.all()]
        while self._take("|", "or"):
            parts.append(self.all())
        self.deep -= 1
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def all(self) -> Condition:
        parts = [self.one()]
        while self._take("&", "and", ","):
            parts.append(self.one())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def one(self) -> Condition:
        if self._take("!", "not"):
            self.deep += 1
            if self.deep > DEEPEST:
                self._no(f"more than {DEEPEST} brackets inside one another", self._at())
            condition = Not(self.one())
            self.deep -= 1
            return condition
        if self._take("("):
            return self._bracket()
        kind, text, at = self._peek()
        if kind != "word":
            self._no("a test such as upos=NOUN expected" + (f", not “{text}”" if text else " at the end"), at)
        self.k += 1
        if self._peek()[1] == "(" and self._peek()[0] == "mark":
            return self._block(text, at)
        return self.test(text, at)

    def _block(self, text: str, at: int) -> Condition:
        axes = [ALIASES.get(name, name) for name in text.split(".")]
        for name in axes:
            if name not in AXES:
                self._no(f"there is no way “{name}” from a word to others; there are {', '.join(AXES)}", at)
        self.k += 1
        condition = self._bracket()
        for axis in reversed(axes):
            condition = OnAxis(axis, condition)
        return condition

    def _bracket(self) -> Condition:
        opened = self.tokens[self.k - 1][2]
        condition = self.some()
        if not self._take(")"):
            self._no("this bracket is not closed", opened)
        return condition

    def test(self, text: str, at: int) -> Condition:
        path = _path(text, lambda problem: _fault(problem, self.text, at))
        kind, operator, here = self._peek()
        if kind != "op":
            return Compare(path)
        self.k += 1
        values = [self.value(path, operator)]
        while self._alternative():
            self.k += 1
            values.append(self.value(path, operator))
        if operator[0] in "<>" and path.attribute not in NUMERIC | KEYED:
            self._no(f"{path.attribute} is no number: use = or ~", here)
        return Compare(path, operator, tuple(values))

    def _alternative(self) -> bool:
        """Whether `|` goes on with another value, not with another test."""
        if self._peek()[1] != "|" or self._peek()[0] != "mark":
            return False
        kind, text, _ = self._peek(1)
        after = self._peek(2)
        if kind in ("regex", "quoted"):
            return True
        named = text.split(".")[0]
        return (
            kind == "word" and after[0] != "op" and after[1] != "(" and not (ALIASES.get(named, named) in AXES and "." in text)
        )

    def value(self, path: Path, operator: str) -> Value:
        kind, text, at = self._peek()
        if kind not in ("word", "quoted", "regex"):
            self._no(f"a value expected after {operator}" + (f", not “{text}”" if text else ""), at)
        self.k += 1
        if kind == "regex" or "~" in operator:
            body, flags = text, 0
            if kind == "regex":
                flags = re.IGNORECASE if text.endswith("i") else 0
                body = text[1 : -2 if flags else -1].replace("\\/", "/")
            elif kind == "quoted":
                body = _unquote(text)
            try:
                return Value(body, matcher(body, flags | re.UNICODE).plain)
            except (re.error, OverflowError, RecursionError) as error:
                self._no(f"the regular expression /{body}/ is not one: {error}", at)
        if kind == "word" and text.startswith("@"):
            return Value(path=_path(text[1:], lambda problem: _fault(problem, self.text, at)))
        plain = _unquote(text) if kind == "quoted" else text
        if operator[0] in "<>" or (path.attribute in NUMERIC and operator in ("=", "!=")):
            try:
                float(plain)
            except ValueError:
                self._no(f"{path} is compared with a number, not with “{plain}”", at)
        return Value(plain)

    def _peek(self, ahead: int = 0) -> tuple[str, str, int]:
        return self.tokens[self.k + ahead] if self.k + ahead < len(self.tokens) else ("", "", len(self.text))

    def _at(self) -> int:
        return self._peek()[2]

    def _take(self, mark: str, *words: str) -> bool:
        kind, text, _ = self._peek()
        if (kind == "mark" and text in (mark, *words)) or (kind == "word" and text in words):
            self.k += 1
            return True
        return False

    def _no(self, problem: str, at: int) -> NoReturn:
        raise _fault(problem, self.text, at)


def _fault(problem: str, text: str, at: int) -> QueryError:
    return QueryError(f"query “{text}”, character {at + 1}: {problem}")


def _path(text: str, fault: Callable[[str], QueryError]) -> Path:
    parts = text.split(".")
    axes = []
    while len(parts) > 1 and ALIASES.get(parts[0], parts[0]) in AXES:
        axes.append(ALIASES.get(parts[0], parts[0]))
        parts.pop(0)
    name = ALIASES.get(parts[0], parts[0])
    if name in KEYED and len(parts) > 1:
        return Path(tuple(axes), name, ".".join(parts[1:]))
    if len(parts) == 1 and name in ATTRIBUTES:
        return Path(tuple(axes), name)
    if len(parts) == 1 and parts[0][:1].isupper():  # Case=Nom, as Grew and UD write it
        return Path(tuple(axes), "feats", parts[0])
    if name in AXES:
        raise fault(f"“{text}” names words but nothing of them; add an attribute, as in {name}.upos")
    raise fault(f"a word has no “{'.'.join(parts)}”; there are {', '.join(ATTRIBUTES)}")


def _unquote(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1])


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


COLUMNS = {"form": 1, "lemma": 2, "upos": 3, "xpos": 4, "feats": 5, "rel": 7, "misc": 9}


@dataclass(frozen=True)
class Match:
    """A sentence and the words in it that fit, counted from 1."""

    sentence: Rows
    words: tuple[int, ...]


def find(sentences: Iterable[Rows], query: Query | str, faults: Faults | None = None) -> Iterator[Match]:
    """The sentences with a word that fits.

    `faults` is given those too long to be searched in good time; without it they are searched, too.

    >>> from divproj.io.trees import conllu
    >>> row = "1\\tDogs\\tdog\\tNOUN\\t_\\t_\\t2\\tnsubj\\t_\\t_\\n2\\tbark\\tbark\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
    >>> [match.words for match in find(conllu.loads(row), "rel=nsubj & head.upos=VERB")]
    [(1,)]
    """
    wanted = parse(query) if isinstance(query, str) else query
    for sentence in sentences:
        if faults is not None and len(sentence.forms) > LONGEST_SENTENCE:
            faults.sentence(too_long(len(sentence.forms), sentence.where))
            continue
        words = find_in(sentence, wanted)
        if words:
            yield Match(sentence, words)


def find_in(
    sentence: Rows, query: Query | str, heads: Sequence[int] | None = None, deprels: Sequence[str] | None = None
) -> tuple[int, ...]:
    """The words of a sentence that fit; `heads` and `rels` stand in for those of the file."""
    wanted = parse(query) if isinstance(query, str) else query
    view = SentenceView(sentence, heads, deprels)
    return tuple(k for k, fit in enumerate(view.fitting(wanted.condition)) if fit)


class SentenceView:
    """A sentence as queries see it: a word is its number, from 1."""

    def __init__(self, sentence: Rows, heads: Sequence[int] | None = None, deprels: Sequence[str] | None = None) -> None:
        self.sentence = sentence
        self._heads, self._rels = heads, deprels

    def __len__(self) -> int:
        return len(self.sentence.word_rows)

    @cached_property
    def heads(self) -> tuple[int, ...]:
        """Heads, with 0 for the root and -1 where the file has no valid head."""
        return tuple(self._heads) if self._heads is not None else self.sentence.usable_tree()[0].heads

    @cached_property
    def children(self) -> list[list[int]]:
        below: list[list[int]] = [[] for _ in range(len(self) + 1)]
        for k, head in enumerate(self.heads, 1):
            if head > 0:
                below[head].append(k)
        return below

    def _column(self, k: int) -> tuple[str, ...]:
        if k == COLUMNS["rel"] and self._rels is not None:
            return tuple(self._rels)
        return self.sentence.column(k)

    # From a word to others.

    def along(self, axis: str, k: int) -> Iterator[int]:
        """The words on an axis from word `k`."""
        return _ALONG[axis](self, k)

    def _head(self, k: int) -> Iterator[int]:
        if self.heads[k - 1] > 0:
            yield self.heads[k - 1]

    def _child(self, k: int) -> Iterator[int]:
        yield from self.children[k]

    def _ancestor(self, k: int) -> Iterator[int]:
        k = self.heads[k - 1]
        while k > 0:
            yield k
            k = self.heads[k - 1]

    def _descendant(self, k: int) -> Iterator[int]:
        waiting = list(self.children[k])
        while waiting:
            word = waiting.pop()
            yield word
            waiting += self.children[word]

    def _sibling(self, k: int) -> Iterator[int]:
        head = self.heads[k - 1]
        if head > 0:
            yield from (other for other in self.children[head] if other != k)

    def _next(self, k: int) -> Iterator[int]:
        if k < len(self):
            yield k + 1

    def _prev(self, k: int) -> Iterator[int]:
        if k > 1:
            yield k - 1

    # Attributes of a word; '' for none.

    def value(self, k: int, path: Path) -> str:
        """An attribute of word `k` itself."""
        name, key = path.attribute, path.key
        if name in COLUMNS:
            cell = self._column(COLUMNS[name])[k - 1]
            if key:
                return misc_value(cell, key)
            return "" if cell == "_" and name != "form" else cell
        return self._compute_value(k, name, key)

    def _compute_value(self, k: int, name: str, key: str) -> str:
        head = self.heads[k - 1]
        if name == "gloss":
            return misc_value(self._column(COLUMNS["misc"])[k - 1], "Gloss")
        if name == "conf":
            return confidence_of(self._column(COLUMNS["misc"])[k - 1])
        if name == "distance":
            return str(abs(head - k)) if head > 0 else "0" if head == 0 else ""
        if name == "side":
            return "" if head <= 0 else "left" if k < head else "right"
        if name == "comment":
            return (self.sentence.comment(key) or "") if key else "\n".join(self.sentence.comments)
        if name == "sent_id":
            return self.sentence.sent_id
        if name == "text":
            return self.sentence.comment("text") or " ".join(self.sentence.forms)
        counts = {"id": k, "children": len(self.children[k]), "length": len(self)}
        return str(counts[name] if name in counts else sum(1 for _ in self._ancestor(k)))

    def values(self, k: int, path: Path) -> Iterator[str]:
        """The attribute at the end of a path: one value for each word that the axes lead to."""
        words = {k}
        for axis in path.axes:
            words = self._step(axis, words)
        return (self.value(word, path) for word in sorted(words))

    def _step(self, axis: str, words: Collection[int]) -> set[int]:
        """The words on an axis from any of these words; each is walked through once."""
        if axis not in ("ancestor", "descendant"):
            return {other for word in words for other in self.along(axis, word)}
        reached: set[int] = set()
        waiting = list(words)
        while waiting:
            word = waiting.pop()
            for other in self.along("head" if axis == "ancestor" else "child", word):
                if other not in reached:
                    reached.add(other)
                    waiting.append(other)
        return reached

    # Conditions: for all words at once, so that time does not grow with the number of ways that lead from word to word.

    def fitting(self, condition: Condition) -> list[bool]:
        """Whether each word fits, by its number; place 0 is no word."""
        places = range(len(self) + 1)
        if isinstance(condition, Compare):
            return self._test_all(condition)
        if isinstance(condition, And | Or):
            columns = [self.fitting(part) for part in condition.parts]
            return [*map(all if isinstance(condition, And) else any, zip(*columns, strict=True))]
        if isinstance(condition, Not):
            part = self.fitting(condition.part)
            return [k > 0 and not part[k] for k in places]
        return self._reaching(condition.axis, self.fitting(condition.part))

    def _reaching(self, axis: str, fit: Sequence[bool]) -> list[bool]:
        """Whether a word that fits is on an axis from each word."""
        opposite = {
            "ancestor": "descendant",
            "descendant": "ancestor",
            "head": "child",
            "child": "head",
            "next": "prev",
            "prev": "next",
        }
        words = [k for k, here in enumerate(fit) if here]
        if axis == "sibling":
            counts = Counter(self.heads[k - 1] for k in words)
            heads = [0, *self.heads]
            return [k > 0 and heads[k] > 0 and counts[heads[k]] > fit[k] for k in range(len(fit))]
        reached = self._step(opposite[axis], words)
        return [k in reached for k in range(len(fit))]

    def _test_all(self, test: Compare) -> list[bool]:
        words = range(1, len(self) + 1)
        if any(value.path for value in test.values):  # what is compared with depends on the word
            return [False, *(self._test(k, test) for k in words)]
        fit = [False, *(self._agrees_with_any(k, self.value(k, test.path), test) for k in words)]
        for axis in reversed(test.path.axes):
            fit = self._reaching(axis, fit)
        return fit

    def _agrees_with_any(self, k: int, text: str, test: Compare) -> bool:
        if not test.operator:
            return bool(text)
        return any(self._agrees(k, text, test, value) for value in test.values) != (test.operator in ("!=", "!~"))

    def _test(self, k: int, test: Compare) -> bool:
        if any(value.path and not any(self.values(k, value.path)) for value in test.values):
            return False  # there is nothing to compare with
        return any(self._agrees_with_any(k, text, test) for text in self.values(k, test.path))

    def _agrees(self, k: int, text: str, test: Compare, value: Value) -> bool:
        if value.path is not None:
            return bool(text) and text in self.values(k, value.path)
        if value.regex is not None:
            regex = matcher(value.regex.pattern, value.regex.flags)
            return regex.search(text) if "~" in test.operator else regex.fullmatch(text)
        if test.operator[0] in "<>":
            return _compare(text, test.operator, value.text)
        if text == value.text:
            return True
        if test.path.attribute == "rel" and ":" not in value.text:  # obl is also obl:arg
            return text.partition(":")[0] == value.text
        return _same_number(text, value.text)


_ALONG: dict[str, Callable[[SentenceView, int], Iterator[int]]] = {
    "head": SentenceView._head,
    "child": SentenceView._child,
    "ancestor": SentenceView._ancestor,
    "descendant": SentenceView._descendant,
    "sibling": SentenceView._sibling,
    "next": SentenceView._next,
    "prev": SentenceView._prev,
}
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?")


def _compare(text: str, operator: str, other: str) -> bool:
    try:
        a, b = float(text), float(other)
    except ValueError:
        return False
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator]


def _same_number(a: str, b: str) -> bool:
    return bool(_NUMBER.fullmatch(a) and _NUMBER.fullmatch(b)) and float(a) == float(b)
