"""Edits of one CoNLL-U sentence: its columns and comments, its words, its multiword tokens, and where it ends.

Every function takes a sentence and returns another; an EditError says why there is none. A change of words renumbers the rest: word 2 of

    1  vadonde  _  VERB  …  0  root       split into va|donde        1-2  vadonde  _  _     …  _  _
    2  ella     _  PRON  …  1  nsubj                                 1    va       _  VERB  …  0  root
                                                                     2    donde    _  _     …  1  dep
                                                                     3    ella     _  PRON  …  1  nsubj

is word 3 afterwards, in heads, in enhanced dependencies, in ranges of multiword tokens and in the links of the comment `align_en`. The
first part keeps the columns. Parts that make up the word are written apart (`SpaceAfter=No` between them) unless they are asked for as one
multiword token; parts that do not make it up (du = de + le) are one always. `# text` follows where it was what the words make up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from divproj.core.errors import ProjError
from divproj.core.sentence import PROJECTED, Rows, is_gold, misc_value, morphs
from divproj.core.tree import NO_HEAD
from divproj.io.interlinear.languages import translation_key
from divproj.io.interlinear.rows import parse_comment
from divproj.search.replace import column_of, value_problem, with_misc, with_value
from divproj.ud.rows import surface_text

COLUMNS = ("upos", "xpos", "lemma", "feats", "gloss", "note")
"""What of a word can be changed besides head and relation; the note is `Note=` in MISC."""
STATES = ("draft", "corrected", "second", "gold")
"""How far a sentence is, in the comment `# state`; `gold` is the comment `# gold = yes`, and a draft has none."""
NOTE, STATE, ANNOTATOR, ALTERNATIVE, LINKS = "note", "state", "annotator", "alternative", "align_en"
LONGEST_VALUE = 2000
MOST_PARTS = 20
_NEW_DOCUMENT = re.compile(r"#\s*newdoc\b")
_KEPT_IN_BOTH = ("language", "lang", "speaker", STATE, ANNOTATOR)
"""Comments that both halves of a sentence keep."""


class EditError(ProjError):
    """An edit that cannot be made; `offer` names a repair and `offered` describes it; `stale`: the sentence had changed."""

    def __init__(self, message: str, offer: str = "", offered: str = "", *, stale: bool = False) -> None:
        super().__init__(message)
        self.offer, self.offered, self.stale = offer, offered, stale


class Reshaped(NamedTuple):
    """A sentence with other words, and what has become of each old one: its place from 1, 0 where it is in another sentence."""

    sentence: Rows
    places: tuple[int, ...]


# Columns and comments.


def with_cells(sentence: Rows, word: int, values: Mapping[str, str]) -> Rows:
    """Return the sentence with other values in columns of a word; '' empties one.

    >>> from divproj.io.trees import conllu
    >>> [sentence] = conllu.loads("1\\tHunde\\t_\\tX\\t_\\t_\\t0\\troot\\t_\\t_\\n")
    >>> "|".join(with_cells(sentence, 1, {"upos": "NOUN", "feats": "Number=Plur", "gloss": "dog-PL"}).lines[0])
    '1|Hunde|_|NOUN|_|Number=Plur|0|root|_|Gloss=dog-PL'
    """
    columns: dict[int, list[str]] = {}
    for name, value in values.items():
        if name not in COLUMNS:
            raise EditError(f"{name} cannot be changed; what can: {', '.join(COLUMNS)}")
        attribute, key = ("misc", "Note") if name == "note" else (name, "")
        value = " ".join(value.split())
        if len(value) > LONGEST_VALUE:
            raise EditError(f"{name} has at most {LONGEST_VALUE} characters")
        if problem := value_problem(attribute, key, value):
            raise EditError(problem)
        if name == "feats" and len({item.partition("=")[0] for item in value.split("|")}) != len(value.split("|")):
            raise EditError("each feature is there once")
        column = column_of(attribute)
        cells = columns.setdefault(column, list(sentence.column(column)))
        old = cells[word - 1]
        if name == "gloss" and value and misc_value(old, "MGloss") == misc_value(old, "Gloss") != "":
            cells[word - 1] = with_misc(old, "MGloss", value)
        cells[word - 1] = with_value(cells[word - 1], attribute, key, value)
    return sentence.with_columns({column: tuple(cells) for column, cells in columns.items()})


def with_comment(sentence: Rows, key: str, value: str, at: int = 0) -> Rows:
    """Return the sentence with another value of a comment, the `at`-th of this key; '' removes it.

    >>> with_comment(Rows(("# sent_id = a", "# note = ?"), ((),) * 10), "note", "sic").comments
    ('# sent_id = a', '# note = sic')
    """
    value = " ".join(value.split())
    if len(value) > LONGEST_VALUE or not value.isprintable():
        raise EditError(f"a comment is one line of at most {LONGEST_VALUE} printable characters")
    places = [k for k, line in enumerate(sentence.comments) if (parse_comment(line) or ("",))[0] == key]
    line = [f"# {key} = {value}"] if value else []
    lines = list(sentence.comments)
    place = places[at] if at < len(places) else len(lines)
    lines[place : place + 1] = line
    return Rows(tuple(lines), sentence.columns, sentence.where, sentence.end)


def translations(sentence: Rows) -> list[tuple[str, str, str]]:
    """Return the comments that are translations: key, language and text."""
    pairs = filter(None, map(parse_comment, sentence.comments))
    rows = [(key, translation_key(key, value), value) for key, value in pairs]
    return [(key, code, value) for key, code, value in rows if code is not None]


def with_translation(sentence: Rows, key: str, value: str) -> Rows:
    """Return the sentence with another translation; a new key must be that of a translation (`text_en`)."""
    if re.fullmatch(r"[\w.:\[\]-]{1,40}", key) is None or translation_key(key, value or "any text") is None:
        raise EditError(f"'{key}' is no name of a translation, such as text_en")
    return with_comment(sentence, key, value)


def with_annotation_state(sentence: Rows, state: str, annotator: str) -> Rows:
    """Return the sentence with how far it is, and who says so; `gold` is not set here but removed where it is something else."""
    if state not in STATES:
        raise EditError(f"a state is one of {', '.join(STATES)}")
    comments = tuple(line for line in sentence.comments if state == "gold" or not is_gold(line))
    sentence = Rows(comments, sentence.columns, sentence.where, sentence.end)
    sentence = with_comment(sentence, STATE, state if state in ("corrected", "second") else "")
    return with_comment(sentence, ANNOTATOR, annotator) if annotator else sentence


# Trees kept beside, and links.


def as_alternative(sentence: Rows) -> str:
    """Return heads and relations as a comment holds them."""
    return " ".join(f"{head}:{rel}" for head, rel in zip(sentence.column(6), sentence.column(7), strict=True))


def alternatives(sentence: Rows) -> list[tuple[tuple[int, ...], tuple[str, ...]]]:
    """Return the analyses kept beside: heads and relations; without words where one does not fit the sentence."""
    trees = []
    for pair in map(parse_comment, sentence.comments):
        if pair and pair[0] == ALTERNATIVE:
            items = [item.partition(":") for item in pair[1].split(" ")]
            fits = len(items) == len(sentence.forms) and all(head.isdecimal() and rel for head, _, rel in items)
            fits = fits and all(int(head) <= len(items) for head, _, _ in items)
            trees.append((tuple(int(head) for head, _, _ in items), tuple(rel for _, _, rel in items)) if fits else ((), ()))
    return trees


def with_links(sentence: Rows, pairs: Iterable[tuple[int, int]]) -> Rows:
    """Return the sentence with word links to its translation, words from 1, as Pharaoh writes them (from 0)."""
    return with_comment(sentence, LINKS, " ".join(f"{i - 1}-{j - 1}" for i, j in sorted(set(pairs))) or "_")


def links_of(sentence: Rows) -> set[tuple[int, int]]:
    """Return the links that the comment of a sentence holds, words from 1.

    >>> sorted(links_of(Rows(("# align_en = 0-1 2-0",), ((),) * 10)))
    [(1, 2), (3, 1)]
    """
    ends = [item.partition("-") for item in (sentence.comment(LINKS) or "").split()]
    return {(int(i) + 1, int(j) + 1) for i, _, j in ends if i.isdecimal() and j.isdecimal()}


# Words.


def split_word(sentence: Rows, word: int, parts: Sequence[str], *, token: bool = False) -> Reshaped:
    """Return the sentence with a word split into parts; with `token` they are one multiword token."""
    parts = [part.strip() for part in parts]
    if not 2 <= len(parts) <= MOST_PARTS:
        raise EditError(f"a word is split into 2 to {MOST_PARTS} parts, such as va|donde")
    for part in parts:
        _check_form(part)
    rows, at = _rows(sentence), sentence.word_rows[word - 1]
    cells, name = rows[at], str(word)
    inside = next((row for row in rows if _covers(row[0], word)), None)
    token = (token or "".join(parts) != cells[1]) and inside is None
    glosses, segments = morphs(misc_value(cells[9], "Gloss")), morphs(misc_value(cells[9], "MSeg"))
    names = [name, *(f"{name}+{k}" for k in range(1, len(parts)))]
    new: list[list[str]] = []
    if token:
        new.append([f"{names[0]}-{names[-1]}", cells[1], *["_"] * 7, _spacing(cells[9])])
    for k, part in enumerate(parts):
        misc = cells[9] if k == 0 else "_"
        misc = with_misc(misc, "SpaceAfter", "")
        if len(glosses) == len(parts):
            misc = _with_gloss(misc, glosses[k])
        if len(segments) == len(parts):
            misc = with_misc(misc, "MSeg", "")
        if not token and inside is None and (k < len(parts) - 1 or "SpaceAfter=No" in cells[9].split("|")):
            misc = with_misc(misc, "SpaceAfter", "No")
        new.append([names[k], part, *(cells[2:9] if k == 0 else ["_", "_", "_", "_", name, "dep", "_"]), misc])
    rows[at : at + 1] = new
    if inside is not None and inside[0].partition("-")[2] == name:
        inside[0] = f"{inside[0].partition('-')[0]}-{names[-1]}"
    return _assemble(sentence, rows, {f"{name}.": names[-1]})  # empty nodes after the word stand after its last part


def join_words(sentence: Rows, word: int, form: str = "") -> Reshaped:
    """Return the sentence with a word and the next one as one word, of this form; the upper of the two keeps its columns."""
    n = len(sentence.forms)
    if not 1 <= word < n:
        raise EditError("there is no next word to join it with")
    rows = _rows(sentence)
    first, second = (rows[sentence.word_rows[k]] for k in (word - 1, word))
    tokens = [row for row in rows if _covers(row[0], word) or _covers(row[0], word + 1)]
    for row in tokens:
        if not (_covers(row[0], word) and _covers(row[0], word + 1)):
            raise EditError(f"{row[1]} is a multiword token that has one of the two words alone; dissolve it first")
    heads = sentence.usable_tree()[0].heads
    main, other = (second, first) if word + 1 in ancestors(heads, word) else (first, second)
    whole = next((row for row in tokens if row[0] == f"{word}-{word + 1}"), None)
    new_form = form.strip() or (whole[1] if whole else first[1] + second[1])
    _check_form(new_form)
    misc = with_misc(main[9], "SpaceAfter", "No" if "SpaceAfter=No" in (whole or second)[9].split("|") else "")
    ours, theirs = (misc_value(row[9], "Gloss") for row in (first, second))
    if ours and theirs:
        misc = _with_gloss(misc, f"{ours}-{theirs}")
    elif theirs or ours:
        misc = _with_gloss(misc, ours or theirs)
    kept = [first[0], new_form, *main[2:9], with_misc(misc, "MSeg", "")]
    if kept[6] == other[0]:  # heads of both in a circle, which no tree has
        kept[6] = "_"
    places = {first[0]: first[0], second[0]: first[0]}
    new = []
    for row in rows:
        if row is first:
            new.append(kept)
        elif row is not second and row is not whole:
            new.append(row)
    return _assemble(sentence, new, places)


def with_token(sentence: Rows, first: int, last: int, form: str = "") -> Rows:
    """Return the sentence with words that are one multiword token; the form of one that is there is changed."""
    n = len(sentence.forms)
    if not 1 <= first < last <= n:
        raise EditError(f"a multiword token has two words or more, of 1 to {n}")
    rows = _rows(sentence)
    words = [rows[sentence.word_rows[k - 1]] for k in range(first, last + 1)]
    form = form.strip() or "".join(row[1] for row in words)
    _check_form(form)
    name = f"{first}-{last}"
    for row in rows:
        if row[0] != name and any(_covers(row[0], k) for k in range(first, last + 1)):
            raise EditError(f"{row[1]} is a multiword token already; dissolve it first")
    there = next((row for row in rows if row[0] == name), None)
    if there is not None:
        there[1] = form
    else:
        at = sentence.word_rows[first - 1]
        rows.insert(at, [name, form, *["_"] * 7, _spacing(words[-1][9])])
        for row in words:
            row[9] = with_misc(row[9], "SpaceAfter", "")
    return _assemble(sentence, rows).sentence


def without_token(sentence: Rows, word: int) -> Rows:
    """Return the sentence without the multiword token that has a word."""
    rows = _rows(sentence)
    token = next((row for row in rows if _covers(row[0], word)), None)
    if token is None:
        raise EditError("the word is in no multiword token")
    first, _, last = token[0].partition("-")
    words = [rows[sentence.word_rows[k - 1]] for k in range(int(first), int(last) + 1)]
    together = "".join(row[1] for row in words) == token[1]
    for row in words:
        apart = row is words[-1] or not together
        row[9] = with_misc(
            row[9], "SpaceAfter", "No" if not apart or (row is words[-1] and "SpaceAfter=No" in token[9]) else ""
        )
    return _assemble(sentence, [row for row in rows if row is not token]).sentence


def tokens(sentence: Rows) -> list[tuple[int, int, str]]:
    """Return the multiword tokens: first word, last word, form."""
    rows = (row for row in sentence.lines if "-" in row[0])
    return [(int(row[0].partition("-")[0]), int(row[0].partition("-")[2]), row[1]) for row in rows]


# Sentences.


def split_sentence(sentence: Rows, word: int, taken: Iterable[str] = ()) -> tuple[Reshaped, Reshaped]:
    """Return the words before a word, and those from it on, as sentences of their own; the translation stays with the first.

    A word whose head is in the other sentence becomes the root, or depends on it.
    """
    n = len(sentence.forms)
    if not 1 < word <= n:
        raise EditError("a sentence is split before a word that is not its first")
    if any(first < word <= last for first, last, _ in tokens(sentence)):
        raise EditError("a multiword token cannot be in two sentences; dissolve it first")
    at = sentence.word_rows[word - 1]
    if at and "-" in sentence.columns[0][at - 1]:
        at -= 1
    name = sentence.comment("sent_id") or ""
    halves = []
    for rows, first in ((_rows(sentence)[:at], True), (_rows(sentence)[at:], False)):
        comments = [c for c in sentence.comments if not is_gold(c)]
        comments = [c for c in comments if (parse_comment(c) or ("",))[0] != ALTERNATIVE]
        if not first:
            comments = [c for c in comments if c.startswith(PROJECTED) or (parse_comment(c) or ("",))[0] in _KEPT_IN_BOTH]
            if name:
                comments.insert(0, f"# sent_id = {_new_name(name, taken)}")
        _reattach(rows)
        half = _assemble(Rows(tuple(comments), sentence.columns, sentence.where, "\n\n"), rows, text=False)
        if sentence.comment("text") is not None:
            half = half._replace(sentence=_with_text(half.sentence, surface_text(half.sentence)))
        halves.append(half)
    return halves[0], halves[1]


def join_sentences(one: Rows, two: Rows) -> Reshaped:
    """Return two sentences as one; the root of the second depends on that of the first as parataxis. `places` are those of the second."""
    n = len(one.forms)
    ours, theirs = _rows(one), _rows(two)
    roots = [row[0] for row in ours if row[0].isdecimal() and row[6] == "0"]
    shifted = {str(k): str(k + n) for k in range(1, len(two.forms) + 1)}
    for row in theirs:
        _renumber(row, shifted, n)
        if row[6] == "0" and roots:
            row[6], row[7] = roots[0], "parataxis"
            row[8] = "_" if row[8].startswith("0:") else row[8]
    if any(_NEW_DOCUMENT.match(line) for line in two.comments):
        raise EditError("the next sentence begins a new document")
    gone = (LINKS, ALTERNATIVE, "sent_id", "text", "newpar", "newpar id")
    comments = [c for c in one.comments if not is_gold(c) and (parse_comment(c) or ("",))[0] not in (LINKS, ALTERNATIVE)]
    keys = {key: value for key, _, value in translations(two)}
    for k, line in enumerate(comments):
        pair = parse_comment(line)
        if pair and pair[0] in keys and translation_key(*pair) is not None:
            comments[k] = f"{line} {keys.pop(pair[0])}"
    present = {(parse_comment(c) or (c, ""))[0] for c in comments}
    for line in two.comments:
        key = (parse_comment(line) or (line, ""))[0]
        if key not in present and key not in gone and not is_gold(line) and not line.startswith(PROJECTED):
            comments.append(line)
    columns = tuple(zip(*ours, *theirs, strict=True))
    _check_names(columns[0])
    joined = Rows(tuple(comments), columns, one.where, one.end)
    if one.comment("text") is not None or two.comment("text") is not None:
        joined = _with_text(joined, surface_text(joined))
    return Reshaped(joined, tuple(range(n + 1, n + len(two.forms) + 1)))


# Parts.


def _rows(sentence: Rows) -> list[list[str]]:
    return [list(cells) for cells in sentence.lines]


def _check_form(form: str) -> None:
    if not form or form != form.strip() or any(c in "\t\n\r" for c in form) or not form.isprintable() or len(form) > 200:
        raise EditError("a word has 1 to 200 printable characters")


def _covers(name: str, word: int) -> bool:
    """Whether the row of this name is a multiword token with a word."""
    first, dash, last = name.partition("-")
    return bool(dash) and first.isdecimal() and last.isdecimal() and int(first) <= word <= int(last)


def _spacing(misc: str) -> str:
    return "SpaceAfter=No" if "SpaceAfter=No" in misc.split("|") else "_"


def _with_gloss(misc: str, gloss: str) -> str:
    if misc_value(misc, "MGloss"):
        misc = with_misc(misc, "MGloss", gloss)
    return with_misc(misc, "Gloss", gloss)


def ancestors(heads: Sequence[int], word: int) -> list[int]:
    """Return the ancestors of `word`, its head first."""
    chain: list[int] = []
    word = heads[word - 1]
    while word > 0:
        chain.append(word)
        word = heads[word - 1]
    return chain


def _assemble(sentence: Rows, rows: list[list[str]], joined: Mapping[str, str] | None = None, *, text: bool = True) -> Reshaped:
    """Return the sentence with these rows, numbered anew; `joined` are old words that are in another now."""
    names: dict[str, str] = {}
    for row in rows:
        if "-" not in row[0] and "." not in row[0]:
            names[row[0]] = str(len(names) + 1)
    for old, kept in (joined or {}).items():
        names[old] = names[kept]
    for row in rows:
        _renumber(row, names)
    comments = []
    for line in sentence.comments:
        pair = parse_comment(line)
        if pair and pair[0] == LINKS:
            links = [item.partition("-") for item in pair[1].split() if item != "_"]
            ends = [(names.get(str(int(i) + 1)), j) for i, _, j in links if i.isdecimal()]
            line = f"# {LINKS} = {' '.join(dict.fromkeys(f'{int(i) - 1}-{j}' for i, j in ends if i)) or '_'}"
        comments.append(line)
    _check_names([row[0] for row in rows])
    new = Rows(tuple(comments), tuple(zip(*rows, strict=True)), sentence.where, sentence.end)
    if text and sentence.comment("text") == surface_text(sentence) != surface_text(new):
        new = _with_text(new, surface_text(new))
    size = max((int(name) for name in names if name.isdecimal()), default=0)
    return Reshaped(new, tuple(int(names.get(str(k), "0")) for k in range(1, max(size, len(sentence.forms)) + 1)))


def _renumber(row: list[str], names: Mapping[str, str], shift: int = 0) -> None:
    """Give a row its new number, head and enhanced dependencies; what has no new number is left out."""

    def place(name: str) -> str:
        if name == "0":
            return "0"
        low, dot, part = name.partition(".")
        if dot:
            low = str(shift) if low == "0" else names.get(f"{low}.", names.get(low, ""))
            return low and f"{low}.{part}"
        return names.get(name, "")

    low, dash, high = row[0].partition("-")
    row[0] = f"{names[low]}-{names[high]}" if dash else place(row[0])
    row[6] = "_" if row[6] == "_" else place(row[6]) or "_"
    if row[8] != "_":
        items = [item.partition(":") for item in row[8].split("|")]
        row[8] = "|".join(f"{place(head)}:{rel}" for head, _, rel in items if place(head)) or "_"


def _check_names(names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        raise EditError("empty nodes stand in between; this is for an editor of enhanced trees")


def _reattach(rows: list[list[str]]) -> None:
    """Attach words whose head is elsewhere: the first of them becomes the root where there is none, the others depend on it."""
    names = {row[0] for row in rows if row[0].isdecimal()}
    root = next((row[0] for row in rows if row[0] in names and row[6] == "0"), "")
    for row in rows:
        if row[0] not in names or row[6] in names or row[6] in ("0", "_"):
            continue
        if not root:
            root, row[6], row[7] = row[0], "0", "root"
        else:
            row[6] = root
            row[7] = "parataxis" if row[7] in ("root", "_") else row[7]
        row[8] = "_"


def _new_name(name: str, taken: Iterable[str]) -> str:
    names, k = set(taken), 2
    while f"{name}-{k}" in names:
        k += 1
    return f"{name}-{k}"


def _with_text(sentence: Rows, text: str) -> Rows:
    return with_comment(sentence, "text", text) if text.isprintable() and len(text) <= LONGEST_VALUE else sentence


def incomplete(heads: Sequence[int]) -> str:
    """Return what a tree lacks, '' if it is complete.

    >>> incomplete((2, -1))
    '1 word has no head'
    """
    loose = list(heads).count(NO_HEAD)
    if loose:
        return f"{loose} word{'s have' if loose > 1 else ' has'} no head"
    return "" if list(heads).count(0) == 1 else "no word is the root"
