"""Search and replace: what a query matches is changed in one go, sentence by sentence, without touching the originals.

    changes   = change ( ("&" | ",") change )*
    change    = attribute "=" value             another value; nothing after "=" removes it
              | attribute "~" /pattern/text/    what the regular expression matches is replaced; \\1 is its first group
              | "head" "=" axis ( "." axis )*   another head: the first word on this way
    value     = word | "quoted" | @path         @head.lemma is the lemma of the head

Attributes that can be changed are `CHANGEABLE`; `feats.Case` is one feature, `misc.Note` one value of MISC. An example:

    query     upos=ADP & rel=det & head.upos=NOUN      words 1
    changes   upos=DET & feats.PronType=Art

    1  la  ADP  _            2  det   as read
    1  la  DET  PronType=Art 2  det   as changed

`parse_changes` reads the changes, `replace_all` yields a `Replacement` for each sentence that has a matching word: the sentence before
and after, and the words. All conditions and values are those before the change. A change that makes no tree, or a value that CoNLL-U
cannot have, leaves the sentence as it is, and `problem` says why.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from divproj.core.errors import LONGEST_SENTENCE, Faults, too_long
from divproj.core.sentence import Rows
from divproj.core.tree import cycles
from divproj.search.query import ALIASES, AXES, COLUMNS, Path, Query, QueryError, SentenceView, find_in, parse, parse_path
from divproj.ud.tagsets import UPOS

CHANGEABLE = ("lemma", "upos", "xpos", "feats", "rel", "gloss", "misc", "head")
"""Attributes that changes may name; of `misc` only single values (`misc.Note`)."""
HEAD, FEATS, MISC = 6, 5, 9
_CHANGE = re.compile(
    r"""\s*(?P<name>[^\s&,=~"]+)\s*(?:
      ~\s*/(?P<pattern>(?:[^/\\]|\\.)*)/(?P<text>(?:[^/\\]|\\.)*)/(?P<flag>i?)
    | =\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<word>[^\s&,"]*))
    )\s*(?P<end>[&,]|$)""",
    re.X,
)


@dataclass(frozen=True)
class ColumnChange:
    """A change of one attribute of a word: to `text`, to the attribute at `path`, or by a regular expression; or to another head."""

    attribute: str
    key: str = ""
    """The feature, or the name in MISC."""
    text: str = ""
    path: Path | None = None
    pattern: re.Pattern[str] | None = None
    axes: tuple[str, ...] = ()
    """The way to the new head."""

    def __str__(self) -> str:
        name = f"{self.attribute}.{self.key}" if self.key else self.attribute
        if self.pattern is not None:
            return f"{name}~/{self.pattern.pattern}/{self.text}/"
        return f"{name}={'.'.join(self.axes) or (f'@{self.path}' if self.path else self.text)}"


@dataclass(frozen=True)
class Replacement:
    """A sentence with matching words, before and after; `problem` says why it is left as it is, '' if it is not."""

    before: Rows
    after: Rows
    words: tuple[int, ...]
    problem: str = ""

    @property
    def differs(self) -> bool:
        """Return whether anything changes: words may already be as they should be."""
        return self.before != self.after


def parse_changes(text: str) -> tuple[ColumnChange, ...]:
    """Return the changes that a text states; QueryError where it does not follow the grammar.

    >>> [str(change) for change in parse_changes("upos=DET & feats.Case= & lemma=@form & head=head.head")]
    ['upos=DET', 'feats.Case=', 'lemma=@form', 'head=head.head']
    """
    changes: list[ColumnChange] = []
    at = 0
    while text[at:].strip() or not changes:
        match = _CHANGE.match(text, at)
        if match is None or (match["end"] and not text[match.end() :].strip()):
            raise _fault(
                "a change such as upos=NOUN expected" if not text[at:].strip() or match else "this is no change", text, at
            )
        changes.append(_change(match, text, at))
        at = match.end()
    return tuple(changes)


def _change(match: re.Match[str], text: str, at: int) -> ColumnChange:
    name = match["name"]
    first, _, key = name.partition(".")
    attribute = ALIASES.get(first, first) if first != "parent" else "head"
    if not key and attribute not in CHANGEABLE and first[:1].isupper():  # Case=Nom, as in queries
        attribute, key = "feats", name
    if attribute not in CHANGEABLE or (key and attribute not in ("feats", "misc")) or (attribute == "misc" and not key):
        raise _fault(f"“{name}” cannot be changed; what can: {', '.join(CHANGEABLE)} (feats.Case, misc.Note)", text, at)
    if match["pattern"] is not None:
        if attribute == "head":
            raise _fault("a head is a way to another word, such as head=head.head", text, at)
        try:
            pattern = re.compile(match["pattern"].replace("\\/", "/"), re.IGNORECASE if match["flag"] else 0)
            re.sub(pattern, match["text"], "")
            pattern.sub(match["text"], "")

        except (re.error, OverflowError, RecursionError, IndexError) as error:
            raise _fault(f"/{match['pattern']}/{match['text']}/: {error}", text, at) from None
        return ColumnChange(attribute, key, match["text"], pattern=pattern)
    value = re.sub(r"\\(.)", r"\1", match["quoted"]) if match["quoted"] is not None else match["word"]
    if attribute == "head":
        axes = tuple(ALIASES.get(axis, axis) for axis in value.split("."))
        if not all(axis in AXES for axis in axes):
            raise _fault(
                f"head={value}: a way to another word expected, such as head.head or next; there are {', '.join(AXES)}",
                text,
                at,
            )
        return ColumnChange("head", axes=axes)
    if match["quoted"] is None and value.startswith("@"):
        return ColumnChange(attribute, key, path=parse_path(value[1:]))
    if problem := value_problem(attribute, key, value):
        raise _fault(problem, text, at)
    return ColumnChange(attribute, key, value)


def _fault(problem: str, text: str, at: int) -> QueryError:
    return QueryError(f"changes “{text}”, character {at + 1 + len(text[at:]) - len(text[at:].lstrip())}: {problem}")


_FEATURE = re.compile(r"[A-Z0-9][A-Za-z0-9]*(\[[a-z0-9]+\])?=[A-Z0-9][a-zA-Z0-9]*(,[A-Z0-9][a-zA-Z0-9]*)*")
_KEY = re.compile(r"[^\s|=]+")
_RELATION = re.compile(r"[a-z]+(:[a-z]+)*")


def value_problem(attribute: str, key: str, value: str) -> str:
    """Return why an attribute of a word cannot have a value, '' if it can; '' and '_' remove it.

    >>> value_problem("upos", "", "Noun"), value_problem("feats", "Case", "Nom"), value_problem("rel", "", "")
    ("UPOS is one of ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X, not 'Noun'", '', 'a relation has at least one letter')
    """
    if any(c in value for c in "\t\n\r\0") or not (value.isprintable() or "\u200c" in value or "\u200d" in value):
        return "a value has no tabs, line ends or control characters"
    if attribute == "upos" and value not in ("", "_", *UPOS):
        return f"UPOS is one of {' '.join(UPOS)}, not '{value}'"
    if attribute == "rel" and not _RELATION.fullmatch(value):
        return f"a relation is written as obl or obl:arg, not '{value}'" if value else "a relation has at least one letter"
    if attribute == "feats" and value not in ("", "_"):
        items = [f"{key}={value}"] if key else value.split("|")
        wrong = next((item for item in items if not _FEATURE.fullmatch(item)), "")
        if wrong:
            return f"a feature is written as Case=Nom, not '{wrong}'"
    if attribute == "misc" and not _KEY.fullmatch(key):
        return f"'{key}' cannot be the name of a value in MISC"
    if attribute in ("gloss", "misc") and "|" in value:
        return "a value in MISC has no |"
    return ""


def with_feature(cell: str, name: str, value: str) -> str:
    """Return FEATS with another value of a feature, in UD's order; '' removes it.

    >>> with_feature("Case=Nom|Number=Sing", "Gender", "Fem"), with_feature("Case=Nom", "Case", "")
    ('Case=Nom|Gender=Fem|Number=Sing', '_')
    """
    items = [item for item in cell.split("|") if item not in ("", "_") and item.partition("=")[0] != name]
    items += [f"{name}={value}"] if value not in ("", "_") else []
    return "|".join(sorted(items, key=str.casefold)) or "_"


def with_misc(cell: str, name: str, value: str) -> str:
    """Return MISC with another value, in its place; '' removes it.

    >>> with_misc("Gloss=dog|SpaceAfter=No", "Gloss", "cat"), with_misc("_", "Note", "sic")
    ('Gloss=cat|SpaceAfter=No', 'Note=sic')
    """
    items = [] if cell == "_" else cell.split("|")
    places = [k for k, item in enumerate(items) if item.partition("=")[0] == name and "=" in item]
    new = [f"{name}={value}"] if value else []
    if places:
        items = [*items[: places[0]], *new, *(item for k, item in enumerate(items) if k > places[0] and k not in places)]
    else:
        items += new
    return "|".join(items) or "_"


def with_value(cell: str, attribute: str, key: str, value: str) -> str:
    """Return the cell of an attribute with another value; '' removes it.

    >>> with_value("_", "gloss", "", "dog"), with_value("dog", "lemma", "", ""), with_value("_", "feats", "", "Number=Sing|Case=Nom")
    ('Gloss=dog', '_', 'Case=Nom|Number=Sing')
    """
    if attribute == "gloss":
        return with_misc(cell, "Gloss", value)
    if attribute == "misc":
        return with_misc(cell, key, value)
    if attribute == "feats":
        if key:
            return with_feature(cell, key, value)
        return "|".join(sorted(value.split("|"), key=str.casefold)) if value not in ("", "_") else "_"
    return value or "_"


def column_of(attribute: str) -> int:
    """Return the column of CoNLL-U, from 0, that holds an attribute."""
    return MISC if attribute == "gloss" else COLUMNS[attribute]


def replace_all(
    sentences: Iterable[Rows], query: Query | str, changes: Sequence[ColumnChange] | str, faults: Faults | None = None
) -> Iterator[Replacement]:
    """Yield a replacement for each sentence that has a matching word.

    `faults` is given sentences too long to be searched in good time, as in `find`.

    >>> from divproj.io.trees import conllu
    >>> row = "1\\tla\\t_\\tADP\\t_\\t_\\t2\\tdet\\t_\\t_\\n2\\tcasa\\t_\\tNOUN\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
    >>> [change] = replace_all(conllu.loads(row), "upos=ADP & rel=det", "upos=DET & feats.PronType=Art")
    >>> change.words, change.after.column(3), change.after.column(5)
    ((1,), ('DET', 'NOUN'), ('PronType=Art', '_'))
    """
    wanted = parse(query) if isinstance(query, str) else query
    edits = parse_changes(changes) if isinstance(changes, str) else tuple(changes)
    for sentence in sentences:
        if faults is not None and len(sentence.forms) > LONGEST_SENTENCE:
            faults.sentence(too_long(len(sentence.forms), sentence.where))
            continue
        words = find_in(sentence, wanted)
        if words:
            yield replace_in(sentence, words, edits)


def replace_in(sentence: Rows, words: Sequence[int], changes: Sequence[ColumnChange]) -> Replacement:
    """Return a sentence before and after the changes of some of its words."""
    view = SentenceView(sentence)
    columns: dict[int, list[str]] = {}
    for word in words:
        for change in changes:
            column = HEAD if change.attribute == "head" else column_of(change.attribute)
            cells = columns.setdefault(column, list(sentence.column(column)))
            value = _new_value(view, word, change)
            if value is None:
                continue
            if change.attribute != "head" and (problem := value_problem(change.attribute, change.key, value)):
                return Replacement(sentence, sentence, tuple(words), f"word {word}: {problem}")
            cells[word - 1] = (
                value if change.attribute == "head" else with_value(cells[word - 1], change.attribute, change.key, value)
            )
    after = sentence.with_columns({column: tuple(cells) for column, cells in columns.items()})
    if problem := _tree_problem(sentence, after, columns):
        return Replacement(sentence, sentence, tuple(words), problem)
    return Replacement(sentence, _with_deps(sentence, after), tuple(words))


def _new_value(view: SentenceView, word: int, change: ColumnChange) -> str | None:
    """The value that a word gets; None where there is none to take."""
    if change.axes:
        words = [word]
        for axis in change.axes:
            words = [other for place in words for other in view.along(axis, place)]
        return next((str(other) for other in words if other != word), None)
    if change.path is not None:
        return next(filter(None, view.values(word, change.path)), None)
    if change.pattern is not None:
        old = view.value(word, Path((), change.attribute, change.key))
        return change.pattern.sub(change.text, old)
    return change.text


def _tree_problem(before: Rows, after: Rows, columns: dict[int, list[str]]) -> str:
    """Why new heads or relations do not make a tree; '' where they do."""
    if HEAD not in columns and COLUMNS["rel"] not in columns:
        return ""
    heads, old = after.column(HEAD), before.column(HEAD)
    numbers = [int(head) if head.isdecimal() and head.isascii() and len(head) < 9 else -1 for head in heads]
    numbers = [head if head <= len(heads) else -1 for head in numbers]
    if HEAD in columns:
        if cycles(numbers):
            return "the new heads would make a cycle"
        if "0" in old and "0" not in heads:
            return "no word would be the root"
    rels = after.column(COLUMNS["rel"])
    for word, (head, rel) in enumerate(zip(heads, rels, strict=True), 1):
        changed = (old[word - 1], before.column(COLUMNS["rel"])[word - 1]) != (head, rel)
        if changed and (rel.partition(":")[0] == "root") != (head == "0"):
            return f"word {word}: the root, and only the root, is 'root'"
    return ""


def _with_deps(before: Rows, after: Rows) -> Rows:
    """The sentence with DEPS that repeat the basic tree, where they did so before."""
    rows = zip(*(before.column(k) for k in (6, 7, 8)), *(after.column(k) for k in (6, 7)), strict=True)
    deps = tuple(f"{head}:{rel}" if old == f"{h}:{r}" else old for h, r, old, head, rel in rows)
    return after if deps == after.column(8) else after.with_columns({8: deps})
