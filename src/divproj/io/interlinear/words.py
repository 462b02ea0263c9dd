"""Words as in Universal Dependencies, and back: punctuation is separate, boundaries of morphemes are in the segmentation only.

`split` makes `hart-es,` the words `hartes` (segmented `hart-es`) and `,` without a blank between; `rejoin` undoes it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from divproj.core.sentence import BOUNDARY, Sentence, morphs
from divproj.core.tree import NO_HEAD
from divproj.io.interlinear.parts import EDGES, glue, group_morphemes, instance, join_morphemes, normalize_space

LETTER_SHARE = 0.005
"""Share of the words of a text that have a mark between letters, from which the mark is a letter of its writing."""


_MARKS = frozenset('.,;:!?…()[]{}"“”„«»‹›¿¡。，、；：！？「」『』（）؟،؛।॥/|')
_FRONT = _MARKS | {"*"}
_QUOTES = {"‘": "’", "‛": "’", "'": "'", "‚": "‘’", "`": "'"}
_DASHES = re.compile(r"(?<=[^\s–‐‑−‒])[–‐‑−‒](?=[^\s–‐‑−‒])")
_EDGE_DASH = re.compile(r"^[–‐‑−‒](?=\w)|(?<=\w)[–‐‑−‒]$")
_ZERO = frozenset(("∅", "Ø", "ø", "0", "Ʌ"))
_INFIX = re.compile(r"<([^<>\s]+)>")
_TAG = re.compile(r"</?(?:sup|sub|i|b|u|em|strong|span|font|br|p|small)(?:\s[^<>]*)?/?>", re.IGNORECASE)
_RAISED = re.compile(r"<sup>([^<>]{1,6})</sup>", re.IGNORECASE)
_RAISE = str.maketrans("0123456789hwjnlrsyxaeiou+-", "⁰¹²³⁴⁵⁶⁷⁸⁹ʰʷʲⁿˡʳˢʸˣᵃᵉⁱᵒᵘ⁺⁻")


_DIRECTION = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Marks that say in which direction letters are set, and are no letters."""
_SLOT = re.compile("(?<=[^⁰¹²³⁴⁵⁶⁷⁸⁹])[⁺⁻][⁰¹²³⁴⁵⁶⁷⁸⁹]+")
"""Numbers of the slot that a morpheme fills: `ha⁻³-`."""


class Habits(NamedTuple):
    """How a file writes: the marks that are letters in it, such as `:` for length or `?` for the glottal stop."""

    letters: frozenset[str] = frozenset()


def habits(instances: Iterable[Sentence]) -> Habits:
    """The marks that stand between letters too often to be punctuation.

    >>> habits([Sentence(("ta:wa", "ki:", "na:ma"))]).letters
    frozenset({':'})
    """
    inside: Counter[str] = Counter()
    total = 0
    for igt in instances:
        for word in igt.words:
            total += 1
            inside.update({word[k] for k in range(1, len(word) - 1) if _between_letters(word, k)})
    return Habits(frozenset(mark for mark, count in inside.items() if count >= 2 and count >= LETTER_SHARE * total))


def _between_letters(word: str, k: int) -> bool:
    return word[k] in _MARKS and word[k] not in "/.…,;" and word[k - 1].isalpha() and word[k + 1].isalpha()


def clean(text: str) -> str:
    """Remove HTML tags; the contents of `<sup>` become superscript letters.

    >>> clean("ma<sup>3</sup> <i>na</i> b<um>ili")
    'ma³ na b<um>ili'
    """
    text = _DIRECTION.sub("", text)
    if "<" not in text:
        return text
    return _TAG.sub("", _RAISED.sub(lambda match: match[1].translate(_RAISE), text))


def split(igt: Sentence, of: Habits = Habits(), *, keep_hyphens: bool = False) -> Sentence:  # noqa: B008
    """The instance with punctuation as words of its own and words without boundaries; as it is where a tree counts words."""
    n = len(igt.words)
    words = tuple(_SLOT.sub("", clean(word)) for word in igt.words)
    segments = tuple(_hyphens(_SLOT.sub("", clean(part))) for part in igt.segments)
    written = _from_text(words, normalize_space(clean(igt.text)))
    if written and igt.tree is None and igt.links is None:
        same = all(_letters(word) == _letters(token) for word, token in zip(words, written, strict=True))
        if not same and not segments:
            segments = tuple(_hyphens(word) for word in words)
        words = written if same or segments else words
    glosses = tuple(_hyphens(clean(gloss)) for gloss in igt.glosses)
    glosses, segments = _pad(words, glosses), _pad(words, segments)
    fixed = igt.tree is not None or igt.links is not None
    quotes = _quote_places(words)
    rows: list[_Row] = []
    for k, word in enumerate(words):
        part = segments[k] if len(segments) == n else ""
        gloss = glosses[k] if len(glosses) == n else ""
        tag = igt.tags[k] if len(igt.tags) == n else ""
        front, core, back = ("", word, "") if fixed else _split_marks(word, of, k in quotes[0], k in quotes[1])
        if front or back:
            part = _split_marks(part, of, True, True)[1] if part else part
            gloss = _core_gloss(gloss, of, front, back)
        if keep_hyphens or len(glosses) not in (0, n):
            form, part = core, part
        else:
            form, part = _remove_boundaries(core, part, gloss)
        rows += [_Row(mark, "", "", "", True) for mark in _marks(front)]
        rows.append(_Row(form, part, gloss, tag, bool(back)))
        rows += [_Row(mark, "", "", "", True) for mark in _marks(back)]
        if front or back:
            rows[-1] = rows[-1]._replace(glued=False)
    return _instance_from_rows(igt, rows, segments, glosses, n)


class _Row(NamedTuple):
    form: str
    part: str
    gloss: str
    tag: str
    glued: bool
    """Whether the next word follows without a blank."""


def _instance_from_rows(
    igt: Sentence, rows: list[_Row], segments: tuple[str, ...], glosses: tuple[str, ...], n: int
) -> Sentence:
    forms = tuple(row.form for row in rows)
    written = "".join(row.form + ("" if row.glued or k == len(rows) - 1 else " ") for k, row in enumerate(rows))
    meta = igt.meta
    text = normalize_space(clean(igt.text))
    if text and not matches_text(forms, text):
        meta = (*meta, ("orig_text", text)) if text != written and ("orig_text", text) not in meta else meta
        text = written
    parts = [row.part or row.form for row in rows]
    replacement = instance(
        forms,
        parts if len(segments) in (0, n) and any(row.part for row in rows) else segments,
        [row.gloss for row in rows] if len(glosses) == n else glosses,
        [row.tag for row in rows] if len(igt.tags) == n else igt.tags,
        text=text or written,
        meta=meta,
    )
    tree = igt.tree
    if tree is not None:
        tree = replace(tree, forms=replacement.words)
    return replace(
        igt,
        words=replacement.words,
        segments=replacement.segments,
        glosses=replacement.glosses,
        tags=replacement.tags,
        text=replacement.text,
        meta=replacement.meta,
        tree=tree,
    )


def _letters(word: str) -> str:
    return "".join(char for char in word.casefold() if char.isalnum())


def _from_text(words: tuple[str, ...], text: str) -> tuple[str, ...]:
    """The words as the line of text writes them, with its capitals and marks, where it has as many; otherwise none."""
    if not text or matches_text(words, text):
        return ()
    text_words: list[str] = []
    for token in text.split(" "):
        if text_words and _is_punctuation(token):
            return ()
        text_words.append(token)
    return tuple(text_words) if len(text_words) == len(words) and not any(map(_is_punctuation, words)) else ()


def matches_text(forms: Sequence[str], text: str) -> bool:
    """Whether a text is made of these words, with blanks between some."""
    at = 0
    for form in forms:
        if not text.startswith(form, at):
            return False
        at += len(form)
        at += text.startswith(" ", at)
    return at == len(text)


def _hyphens(text: str) -> str:
    """Dashes that part morphemes, as hyphens: `da–bu` is `da-bu`."""
    return _EDGE_DASH.sub("-", _DASHES.sub("-", text))


def _pad(words: tuple[str, ...], line: tuple[str, ...]) -> tuple[str, ...]:
    """A line that leaves out some of the words which are punctuation, with nothing under these.

    >>> _pad(("(", "uva", ")", "."), ("", "run"))
    ('', 'run', '', '')
    """
    if not line or len(line) >= len(words):
        return line
    padded: list[str] = []
    at = 0
    for word in words:
        if _is_punctuation(word) and not (at < len(line) and (not line[at] or _is_punctuation(line[at]))):
            padded.append("")
        elif at < len(line):
            padded.append(line[at])
            at += 1
        else:
            return line
    return tuple(padded) if at == len(line) else line


def with_columns(igt: Sentence) -> Sentence:
    """The instance with an empty gloss for each word that is punctuation and has none, and with affixes at their words."""
    glosses, segments = _pad(igt.words, igt.glosses), _pad(igt.words, igt.segments)
    if (glosses, segments) != (igt.glosses, igt.segments):
        igt = replace(igt, glosses=glosses, segments=segments)
    return with_affixes(igt)


def with_affixes(igt: Sentence) -> Sentence:
    """The instance with affixes that stand apart, with a gloss each, joined to their words: `khond -a -il` is one word.

    >>> igt = with_affixes(Sentence(("r-", "akw", "uva"), (), ("HAB-", "put", "run")))
    >>> igt.words, igt.glosses
    (('r-akw', 'uva'), ('HAB-put', 'run'))
    """
    n = len(igt.words)
    pieces = igt.segments if len(igt.segments) == n else igt.words
    if igt.tree is not None or igt.links is not None or len(igt.glosses) != n or not any(map(_is_affix, igt.words)):
        return igt
    apart = [k for k in range(n) if _is_affix(igt.words[k])]
    mirrored = sum(_is_affix(igt.glosses[k]) for k in apart)
    written = normalize_space(igt.text).split(" ") if igt.text else []
    groups = group_morphemes(pieces)
    if len(groups) == n or (len(written) == n and len(groups) != n) or 2 * mirrored < len(apart):
        return igt
    marks = [glue([pieces[k] for k in group])[1] for group in groups]
    joined = tuple(join_morphemes([pieces[k] for k in group]) for group in groups)
    glosses = tuple(join_morphemes([igt.glosses[k] for k in group], mark) for group, mark in zip(groups, marks, strict=True))
    tags = tuple(join_morphemes([igt.tags[k] for k in group], mark) for group, mark in zip(groups, marks, strict=True)) if len(igt.tags) == n else igt.tags  # fmt: skip
    as_text = len(written) == len(groups)
    return replace(
        igt, words=tuple(written) if as_text else joined, segments=joined if as_text or igt.segments else (), glosses=glosses, tags=tags,
        text="" if as_text else igt.text,
    )  # fmt: skip


def _is_affix(piece: str) -> bool:
    return len(piece) > 1 and (piece[0] in EDGES or piece[-1] in EDGES) and any(char.isalnum() for char in piece)


def _is_punctuation(word: str) -> bool:
    return bool(word) and not any(char.isalnum() or unicodedata.category(char)[0] == "M" for char in word) and word not in _ZERO


def _quote_places(words: tuple[str, ...]) -> tuple[set[int], set[int]]:
    """Words at which a single quote opens and closes: only where both are there, since it may be a letter."""
    opened: set[int] = set()
    closed: set[int] = set()
    start = -1
    for k, word in enumerate(words):
        bare = word.lstrip("".join(_MARKS))
        if start < 0 and bare[:1] in _QUOTES and len(bare) > 1:
            start = k
        end = word.rstrip("".join(_MARKS))
        if (
            start >= 0
            and end[-1:]
            and end[-1:] in _QUOTES[words[start].lstrip("".join(_MARKS))[0]]
            and (k > start or len(end) > 2)
        ):
            if words[start].lstrip("".join(_MARKS))[0] != "'" or (start == 0 and k == len(words) - 1):
                opened.add(start)
                closed.add(k)
            start = -1
    return opened, closed


def _split_marks(word: str, of: Habits, opens: bool, closes: bool) -> tuple[str, str, str]:
    """Marks before a word, the word, marks after it; a token of marks alone stays whole.

    >>> _split_marks("(dar,", Habits(), False, False), _split_marks("...", Habits(), False, False)
    (('(', 'dar', ','), ('', '...', ''))
    """
    if not any(char.isalnum() for char in word) or word in _ZERO:
        return "", word, ""
    front, back = 0, len(word)
    while front < back and ((word[front] in _FRONT and word[front] not in of.letters) or (opens and word[front] in _QUOTES)):
        front += 1
    while back > front and (
        (word[back - 1] in _MARKS and word[back - 1] not in of.letters) or (closes and word[back - 1] in "'’‘")
    ):
        back -= 1
    core = word[front:back]
    if not core or not any(char.isalnum() for char in core):
        return "", word, ""
    front, back = _balance_brackets(word, front, back)
    return word[:front], word[front:back], word[back:]


def _balance_brackets(word: str, front: int, back: int) -> tuple[int, int]:
    """A bracket that closes one inside the word stays with it: `schläf(s)t`, `geht(e)`."""
    while (
        back < len(word)
        and word[back] in ")]"
        and word[front:back].count("(["[word[back] == "]"]) > word[front:back].count(word[back])
    ):
        back += 1
    while (
        front
        and word[front - 1] in "(["
        and word[front:back].count(")]"["([".index(word[front - 1])]) > word[front:back].count(word[front - 1])
    ):
        front -= 1
    return front, back


def _core_gloss(gloss: str, of: Habits, front: str, back: str) -> str:
    """The gloss without the punctuation that it repeats from the word.

    >>> _core_gloss("[big", Habits(), "[", ""), _core_gloss("swim.PST.", Habits(), "", ".")
    ('big', 'swim.PST')
    """
    if len(gloss) > len(front) + len(back) and ((front[-1:] and front[-1:] in "([{") or (back[:1] and back[:1] in ")]}")):
        gloss = gloss.removeprefix(front) if front else gloss
        gloss = gloss.removesuffix(back) if back and back[0] in ")]}" else gloss
    pieces = _split_marks(gloss, of, False, False)
    ends = re.fullmatch(r"[.,;:!?…]*", pieces[2])
    return pieces[1] if pieces[2] and ends and not pieces[0] and pieces[2] != ":" else gloss


def _marks(run: str) -> list[str]:
    """Marks one by one, equal ones together.

    >>> _marks("?!"), _marks("...")
    (['?', '!'], ['...'])
    """
    return [match[0] for match in re.finditer(r"(.)\1*", run)] if run else []


def _remove_boundaries(word: str, part: str, gloss: str) -> tuple[str, str]:
    """(word without boundaries, segmentation) where the gloss, or a mark that is no hyphen, says that it is segmented."""
    plain = _hyphens(word)
    whole = part or plain
    marked = bool(re.search(r"[=~]|^-|-$", plain)) or bool(_INFIX.search(plain))
    glossed = len(morphs(gloss)) > 1 or bool(_INFIX.search(gloss))
    agrees = bool(part) and (part in (word, plain)) and len(morphs(part)) > 1
    if len(plain) < 2 or not (len(morphs(plain)) > 1 or marked) or not (glossed or agrees or marked or _other_marks(plain)):
        return word, part
    if part and part not in (word, plain) and not marked:
        return word, part  # the word line is not the segmented one
    form = joined_form(plain)
    return (form, whole) if form and any(char.isalnum() for char in form) else (word, part)


def _other_marks(word: str) -> bool:
    return any(match[0] != "-" for match in BOUNDARY.finditer(word))


def joined_form(segmented: str) -> str:
    """Return the word that morphemes make together, without zero morphemes.

    >>> joined_form("w-tnäg-∅"), joined_form("b<um>ili"), joined_form("=n")
    ('wtnäg', 'bumili', 'n')
    """
    pieces = [piece for piece in morphs(segmented) if piece not in _ZERO] or list(morphs(segmented))
    return _INFIX.sub(r"\1", "".join(piece.strip(EDGES) or piece for piece in pieces))


def rejoin(igt: Sentence, *, boundaries: bool = True) -> Sentence:
    """The instance as its author would write it: punctuation at its words, and (`boundaries`) the words segmented."""
    n = len(igt.words)
    if igt.tree is not None or igt.links is not None or not n:
        return igt
    glued = _no_space_after(igt)
    units = [list(unit) for unit in _units(igt, glued)]
    cores = [next((k for k in unit if not _is_punctuation(igt.words[k])), unit[0]) for unit in units]
    parts = igt.segments if len(igt.segments) == n else igt.words
    same = (
        boundaries
        and all(joined_form(part) == word for part, word in zip(parts, igt.words, strict=True))
        and parts != igt.words
    )
    words = ["".join((parts if same else igt.words)[k] for k in unit) for unit in units]
    segments = [parts[core] for core in cores] if len(igt.segments) == n and not same else () if same else igt.segments

    def pick(values: tuple[str, ...]) -> Sequence[str]:
        return [values[core] for core in cores] if len(values) == n else values

    text = next((value for key, value in igt.meta if key == "orig_text"), "")
    meta = [pair for pair in igt.meta if pair[0] != "orig_text"]
    replacement = instance(words, segments, pick(igt.glosses), pick(igt.tags), text=text or igt.text, meta=meta)
    keep = bool(text) or not (same or len(units) < n or matches_text(igt.words, igt.text))
    return replace(
        igt,
        words=replacement.words,
        segments=replacement.segments,
        glosses=replacement.glosses,
        tags=replacement.tags,
        text=replacement.text if keep else "",
        meta=replacement.meta,
    )


def as_printed(igt: Sentence) -> Sentence:
    """The instance as it is printed: punctuation at its words also where there is a tree, which is left out."""
    return rejoin(replace(igt, tree=None, links=None, rows=None))


def pieces_of(segment: str, gloss: str) -> list[tuple[str, str]]:
    """The morphemes of a word, with the marks at their edges, and the gloss of each; the whole word where these do not fit.

    The stem is the first morpheme that is glossed by a word, or the first of all; marks stand at the edges that look towards it.

    >>> pieces_of("ne-uva=mi", "NEG-swim=3SG")
    [('ne-', 'NEG'), ('uva', 'swim'), ('=mi', '3SG')]
    >>> pieces_of("kolut", "fish-PL"), pieces_of("m<um>ili", "<AV>buy")
    ([('kolut', 'fish-PL')], [('m<um>ili', '<AV>buy')])
    """
    forms, glosses = morphs(segment), morphs(gloss)
    marks = BOUNDARY.findall(segment)
    if len(forms) < 2 or len(forms) != len(glosses):
        return [(segment, gloss)]
    stem = next((k for k, text in enumerate(glosses) if any(map(str.islower, text))), 0)
    rows = []
    for k, (form, text) in enumerate(zip(forms, glosses, strict=True)):
        before = marks[k - 1] if k > stem else ""
        after = marks[k] if k < stem else ""
        rows.append((f"{before}{form}{after}", text))
    return rows


def aligned(igt: Sentence) -> Sentence:
    """The instance with a segmentation and a gloss for each word: those that do not fit the words are left out."""
    n = len(igt.words)
    segments = igt.segments if len(igt.segments) == n else igt.words
    return replace(
        igt,
        segments=segments,
        glosses=igt.glosses if len(igt.glosses) == n else ("",) * n,
        tags=igt.tags if len(igt.tags) == n else ("",) * n,
    )


def tree_lines(igt: Sentence) -> tuple[str, str] | None:
    """Heads and relations with blanks between, as `io.interlinear.write_back` writes them; None where there is no tree."""
    if igt.tree is None or len(igt.tree) != len(igt.words) or all(head == NO_HEAD for head in igt.tree.heads):
        return None
    deprels = igt.tree.deprels or ("_",) * len(igt.tree)
    heads = ("_" if head == NO_HEAD else str(head) for head in igt.tree.heads)
    return " ".join(heads), " ".join(rel.replace(" ", "_") or "_" for rel in deprels)


def translations_by_code(igt: Sentence) -> list[tuple[str, str]]:
    """All translations with their languages, the one that is used first; English where no language is said."""
    given = list(igt.translations) or ([("en", igt.translation)] if igt.translation else [])
    return sorted(given, key=lambda pair: pair[1] != igt.translation)


def _no_space_after(igt: Sentence) -> list[bool]:
    """For each word whether the next follows without a blank in the text."""
    if not igt.text or not matches_text(igt.words, igt.text):
        return [False] * len(igt.words)
    flags, at = [], 0
    for word in igt.words:
        at += len(word)
        blank = igt.text.startswith(" ", at)
        flags.append(not blank)
        at += blank
    flags[-1] = False
    return flags


def _units(igt: Sentence, glued: list[bool]) -> Iterator[list[int]]:
    """Words that the author wrote as one: at most one of them is no punctuation, and only it has a gloss."""
    unit: list[int] = []
    for k, word in enumerate(igt.words):
        is_word = not _is_punctuation(word) or (len(igt.glosses) == len(igt.words) and bool(igt.glosses[k]))
        if unit and is_word and any(not _is_punctuation(igt.words[j]) for j in unit):
            yield unit
            unit = []
        unit.append(k)
        if not glued[k]:
            yield unit
            unit = []
    if unit:
        yield unit
