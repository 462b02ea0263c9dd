"""Functions that the readers of interlinear text share.

Files: `lines` and `xml_pieces` turn bytes into text; wrong encodings, NUL bytes and endless lines are reported with place.
Lines: tokens and columns, numbers of examples, judgements, quotes.
Sentences: morphemes and their glosses joined to words, the translation to use among several, and `instance`, which builds
every `Sentence`.
"""

from __future__ import annotations

import codecs
import html
import io
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, cast

from divproj.core.errors import Faults, FormatError, ProjError, Where
from divproj.core.options import ReaderOptions
from divproj.core.sentence import Sentence
from divproj.core.tree import NO_HEAD, DepTree, cycles
from divproj.io.files import Source, name_of, reading, rewind
from divproj.io.interlinear.languages import lang_code

_BLANK = "[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]"
_BLANKS = re.compile(f"{_BLANK}+")
_GAPS = re.compile(f"\t+|{_BLANK}{{2,}}")
_LINE_ENDS = re.compile(r"[\r\n]+")
_RUNS = re.compile(r"[ \t\r\n]+")
_NUMBER = re.compile(
    r"\(\s*(\d+(?:\.\d+)*[a-z]?'*|[a-z]|[ivx]+)\s*\)\s*|\[(\d+[a-z]?)\]\s+|(\d+(?:\.\d+)*[a-z]?)[.)]\s+|([a-z]|[ivx]+)[.)]\s+"
)
_BARE_NUMBER = re.compile(r"\(?\d+[a-z]?[.)]?$|[a-z][.)]$")
_JUDGEMENT = re.compile(r"([*?#%]{1,3})[ \t]*(?=[^\s*?#%/])")
_QUOTES = {
    "'": "'’´",
    "‘": "’'",
    "‛": "’'‛",
    "`": "'’´`",
    "“": '”"',
    '"': '"”',
    "„": "“”",
    "«": "»",
    "‹": "›",
    "「": "」",
    "‚": "‘’",
}
_AFTER = re.compile(r"\s*[(\[].*[)\]][.]?$", re.DOTALL)
EDGES = "-=~"
"""Marks at the edge of a morpheme that say how it joins the next."""
MISSING = "***"
"""Gloss of a morpheme that has none among others that do, as Toolbox and FLEx write it."""
UPOS = frozenset(
    (
        "ADJ",
        "ADP",
        "ADV",
        "AUX",
        "CCONJ",
        "DET",
        "INTJ",
        "NOUN",
        "NUM",
        "PART",
        "PRON",
        "PROPN",
        "PUNCT",
        "SCONJ",
        "SYM",
        "VERB",
        "X",
    )
)


def tokens(line: str) -> tuple[str, ...]:
    """Split a line at blanks of any width."""
    return tuple(token for token in _BLANKS.split(line) if token)


def one_line(text: str) -> str:
    """Line ends as blanks."""
    return _LINE_ENDS.sub(" ", text).strip(" ")


def cell(text: str) -> str:
    """Line ends and tabs as blanks."""
    return one_line(text).replace("\t", " ")


def normalize_space(text: str) -> str:
    """Line ends and runs of blanks as one blank each."""
    return _RUNS.sub(" ", text).strip(" ")


def columns(lines: Sequence[str]) -> list[tuple[str, ...]]:
    """Tokens of lines that belong under one another.

    Cells between tabs when every line has as many; otherwise tokens, or, where these do not line up but what stands
    between wider gaps does, that.

    >>> columns(["big house", "DEF.big house"]), columns(["the big   house", "big   house"])
    ([('big', 'house'), ('DEF.big', 'house')], [('the big', 'house'), ('big', 'house')])
    """
    tabbed = list(lines)
    while tabbed and all(line.startswith(("\t", " ")) for line in tabbed):
        tabbed = [line[1:] for line in tabbed]
    cells = [tuple(x.strip(" ") for x in line.split("\t")) for line in tabbed]
    rows = [tokens(line) for line in lines]
    mixed = len(set(map(len, rows))) == 1 and any(
        "  " in x for row in cells for x in row
    )  # wide gaps part words as well as tabs
    if len(lines) > 1 and len(cells[0]) > 1 and len(set(map(len, cells))) == 1 and any(all(row) for row in cells) and not mixed:
        return cells
    if len(set(map(len, rows))) > 1:
        wide = [tuple(x for x in _GAPS.split(line.strip()) if x) for line in lines]
        if len(wide[0]) > 1 and len(set(map(len, wide))) == 1:
            return wide
    return rows


def without_number(line: str) -> tuple[str, str]:
    """The number of an example and the rest of its line.

    >>> without_number("(12) a. Wer schläft?"), without_number("(Sehr) gern")
    (('12a', 'Wer schläft?'), ('', '(Sehr) gern'))
    """
    rest, number = line.strip(), ""
    for _ in range(2):
        match = _NUMBER.match(rest)
        if not match or match.end() == len(rest):
            break
        number += next(part for part in match.groups() if part)
        rest = rest[match.end() :].lstrip()
    return number, rest


def without_bare_number(words: tuple[str, ...], others: int) -> tuple[str, tuple[str, ...]]:
    """A number without brackets before the words goes when the words then line up with `others` tokens."""
    if len(words) == others + 1 > 1 and _BARE_NUMBER.match(words[0]):
        return words[0].strip("().").strip(), words[1:]
    return "", words


def without_judgement(line: str) -> tuple[str, str]:
    """
    >>> without_judgement("*Hund der")
    ('*', 'Hund der')
    """
    match = _JUDGEMENT.match(line)
    return (match[1], line[match.end() :]) if match else ("", line)


def is_quoted(text: str) -> bool:
    text = text.strip()
    return (len(text) > 1 and text[0] in _QUOTES and text[0] != "'") or bool(re.match(r"'\S.*['’]", text, re.DOTALL))


def strip_quotes(text: str) -> tuple[str, str]:
    """A translation without its quotes, and a source in brackets after them.

    >>> strip_quotes("`It rains.' (Kim 2001: 5)")
    ('It rains.', 'Kim 2001: 5')
    """
    text = text.strip()
    source = ""
    opening = text[:2] if text.startswith(("``", "''")) else text[:1]
    closings = _QUOTES.get(opening[:1], "")
    for k in range(len(text) - 1, 0, -1):
        if closings and text[k] in closings and _AFTER.fullmatch(text, k + 1):
            source, text = text[k + 1 :].strip(" ().[]"), text[: k + 1]
            break
    if closings and len(text) > len(opening) and text[-1] in closings:
        return text[len(opening) : -len(opening)].strip(), source
    if opening[:1] in ("`", "‘", "“", "„", "«") and len(text) > 1:
        return text[len(opening) :].strip(), source
    return text, source


def glue(pieces: Sequence[str]) -> tuple[list[str], list[str]]:
    """Morphemes without the marks at their edges, and the marks between them.

    >>> glue(["ne-", "uva", "=mi"])
    (['ne', 'uva', 'mi'], ['-', '='])
    """
    pieces = _with_marks(pieces)
    cores = [piece.strip(EDGES) or piece for piece in pieces]
    marks = []
    for left, right in itertools.pairwise(pieces):
        mark = left[-1:] if left[-1:] and left[-1:] in EDGES else right[:1]
        marks.append(mark if mark and mark in EDGES else "-")
    return cores, marks


def _with_marks(pieces: Sequence[str]) -> Sequence[str]:
    """Morphemes, with a mark that stands alone (`kele - la`) at the one after it."""
    if not any(piece and not piece.strip(EDGES) for piece in pieces[:-1]):
        return pieces
    joined: list[str] = []
    waiting = ""
    for piece in pieces:
        if piece and not piece.strip(EDGES) and len(joined) + bool(waiting) < len(pieces) - 1:
            waiting = piece
        else:
            joined.append(waiting + piece)
            waiting = ""
    return [*joined, *([waiting] if waiting else [])]


def join_morphemes(pieces: Sequence[str], marks: Sequence[str] | None = None) -> str:
    """Morphemes, or their glosses with the marks of the morphemes, as one string; '' when all are empty.

    >>> join_morphemes(["NEG-", "swim"]), join_morphemes(["fish", "Q"], ["="])
    ('NEG-swim', 'fish=Q')
    """
    if not any(pieces):
        return ""
    cores, default_marks = glue([piece or MISSING for piece in pieces])  # without marks that stand alone
    between = list(marks if marks is not None and len(marks) == len(default_marks) else default_marks)
    return cores[0] + "".join(mark + core for mark, core in zip(between, cores[1:], strict=True))


def group_morphemes(pieces: Sequence[str]) -> list[list[int]]:
    """Indices of the morphemes of each word, when only the marks at the edges say which belong together.

    >>> group_morphemes(["kolu", "-t", "uva"])
    [[0, 1], [2]]
    """
    groups: list[list[int]] = []
    for k, piece in enumerate(pieces):
        before = pieces[k - 1] if k else ""
        joins = (piece[:1] in EDGES and len(piece) > 1) or (before[-1:] in EDGES and len(before) > 1)
        if groups and joins and piece and before:
            groups[-1].append(k)
        else:
            groups.append([k])
    return groups


def choose_translation(
    texts: Iterable[tuple[str, str]], lang: str, *, stated: bool = False
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The translation to use, and all by code; none are listed when the only one is English or of no said language.

    With `stated` English is listed too, so that it is known to be what the file says.
    """
    given = tuple((re.sub(r"[^\w-]+", "_", lang_code(code)), text) for code, text in texts if text)
    if not given:
        return "", ()
    wanted = lang_code(lang)
    best = next((text for code, text in given if code == wanted), None)
    if best is None:
        best = next((text for code, text in given if not code), given[0][1])
    return best, () if len(given) == 1 and given[0][0] in (("",) if stated else ("", "en")) else given


def instance(
    words: Iterable[str],
    segments: Iterable[str] = (),
    glosses: Iterable[str] = (),
    tags: Iterable[str] = (),
    text: str = "",
    meta: Iterable[tuple[str, str]] = (),
    tree: DepTree | None = None,
    **others: Any,
) -> Sentence:
    """Return a sentence in normal form: a field that only repeats the words is left empty."""
    forms = tuple(cell(word) or "_" for word in words)
    parts, meanings, kinds = (tuple(map(cell, values)) for values in (segments, glosses, tags))
    if any(parts) and len(parts) == len(forms):
        parts = tuple(part or word for part, word in zip(parts, forms, strict=True))
    meanings = meanings if any(meanings) else ()
    return Sentence(
        forms,
        parts if any(parts) and parts != forms else (),
        meanings,
        kinds if any(kinds) else (),
        text="" if text == " ".join(forms) else text,
        meta=tuple((key, value) for key, value in meta if key and value),
        tree=tree,
        **others,
    )


def tag_columns(tags: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Tags as the `upos` of a tree when all are universal ones, otherwise as `xpos`."""
    if not any(tags):
        return {}
    filled = tuple(tag or "_" for tag in tags)
    return {"upos" if all(tag in UPOS or not tag for tag in tags) else "xpos": filled}


def tree_of(forms: tuple[str, ...], heads: Sequence[int], deprels: Sequence[str], tags: tuple[str, ...]) -> DepTree:
    """Return a tree; words on cycles and second roots get an unknown head."""
    usable = list(heads)
    roots = [k for k, head in enumerate(usable) if head == 0]
    for k in roots[1:]:
        usable[k] = NO_HEAD
    for cycle in cycles(usable):
        for word in cycle:
            usable[word - 1] = NO_HEAD
    names = tuple("_" if head == NO_HEAD else rel or "_" for rel, head in zip(deprels, usable, strict=True))
    kinds: dict[str, Any] = {**tag_columns(tags)} if len(tags) == len(forms) else {}
    return DepTree(forms, tuple(usable), names if any(rel != "_" for rel in names) else (), **kinds)


LONGEST = 64 << 20
"""Bytes in one line of text; past that it is no text file."""
PIECE = 1 << 20
MEGABYTE = 1 << 20
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NOT_XML = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_DECLARED = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:-]+)")


Options = ReaderOptions
Read = Callable[[BinaryIO, str, Faults, Options], Iterator[Sentence]]
"""The type of `read` in a module of a format."""


def from_file(read: Read, source: Source, faults: Faults | None, options: Mapping[str, Any]) -> Iterator[Sentence]:
    """`load` of a format."""
    settings = Options.of(options)
    with reading(source) as stream:
        yield from read(stream, name_of(source), faults or Faults(), settings)


def from_text(read: Read, text: str, faults: Faults | None, options: Mapping[str, Any]) -> list[Sentence]:
    """`loads` of a format."""
    stream = cast(BinaryIO, io.BytesIO(text.encode("utf-8", "surrogatepass")))
    return list(read(stream, "", faults or Faults(), Options.of(options)))


def lines(stream: BinaryIO, path: str, faults: Faults, encoding: str = "") -> Iterator[tuple[int, str]]:
    """(number, text without its end) of each line; LF, CRLF and CR end lines.

    >>> list(lines(io.BytesIO(b"a\\r\\nb"), "", Faults()))
    [(1, 'a'), (2, 'b')]
    """
    number = 0
    for raw, _ in _raw_lines(stream, path, faults, encoding, LONGEST):
        if len(raw) > LONGEST:
            raise FormatError(f"no line end in {LONGEST // MEGABYTE} MB", Where(path, number + 1), "is this a text file?")
        for part in raw.removesuffix(b"\n").removesuffix(b"\r").split(b"\r"):
            number += 1
            yield number, _decode(part, Where(path, number), faults, encoding)


def xml_pieces(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[tuple[int, str]]:
    """(line number, text) of a file to feed to an XML parser; characters that XML forbids become U+FFFD."""
    number, total = 1, 0
    encoding = options.encoding
    for k, (raw, was) in enumerate(_raw_lines(stream, path, faults, encoding, PIECE)):
        where = Where(path, number)
        total += len(raw)
        if total > options.max_bytes:
            limit = f"{options.max_bytes / MEGABYTE:g} MB"
            raise ProjError(f"more than {limit} of XML, at most {limit} are read", where, "split the file or raise the limit")
        if not k and not encoding:
            encoding = _declared_encoding(raw, where, faults, was)
        text = _decode(raw, where, faults, encoding, said=bool(encoding) and not options.encoding)
        if _NOT_XML.search(text):
            shown = sorted({f"U+{ord(c):04X}" for c in _NOT_XML.findall(text)})
            faults.file(FormatError(f"{', '.join(shown)} cannot stand in XML", where, "read as U+FFFD"))
            text = _NOT_XML.sub("\ufffd", text)
        yield number, text
        number += raw.count(b"\n")


def _raw_lines(stream: BinaryIO, path: str, faults: Faults, encoding: str, limit: int) -> Iterator[tuple[bytes, str]]:
    """Lines, or pieces of `limit` bytes of long ones, in an encoding where LF is a byte; and the wide encoding they had."""
    first = stream.readline(limit + 1)
    readline = stream.readline
    wide = _wide(first, encoding, path, faults)
    if wide:
        narrow = io.TextIOWrapper(rewind(first, stream), wide, "replace", newline="\n")

        def readline(size: int = -1, /) -> bytes:
            return narrow.readline(size).encode()

        first = readline(limit + 1).removeprefix("\ufeff".encode())
    raw = first.removeprefix(codecs.BOM_UTF8)
    while raw:
        rest = b""
        if not raw.endswith(b"\n"):
            cut = _incomplete(raw)
            raw, rest = (raw[:-cut], raw[-cut:]) if cut else (raw, b"")
        following = readline(limit + 1)
        if rest and not following:
            raw, rest = raw + rest, b""
        yield raw, wide
        raw = rest + following


def _incomplete(raw: bytes) -> int:
    """How many bytes at the end begin a UTF-8 character that goes on.

    >>> _incomplete("añ".encode()[:-1]), _incomplete(b"an")
    (1, 0)
    """
    for back in range(1, min(4, len(raw) + 1)):
        byte = raw[-back]
        if byte >= 0xC0:
            return back if back < (2 if byte < 0xE0 else 3 if byte < 0xF0 else 4) else 0
        if byte < 0x80:
            return 0
    return 0


def _wide(first: bytes, encoding: str, path: str, faults: Faults) -> str:
    """`utf-16` or `utf-32` when the file is in it, '' otherwise."""
    for mark, name in _BOMS:
        if first.startswith(mark):
            return name
    sample = first[:400]
    if encoding and (codec := codecs.lookup(encoding).name).startswith(("utf-16", "utf-32")):
        if codec[6:]:  # it says the order of bytes
            return encoding
        if 0 in sample:
            return unmarked_encoding(sample)
        problem = f"this is no {codec.upper()} text: there is no byte-order mark and no NUL byte in the first line"
        raise FormatError(problem, Where(path, 1), "leave the encoding out, or name the right one")
    if name := unmarked_encoding(sample):
        shown = name[:6].upper()
        problem = f"every second byte is NUL: {shown} without a byte-order mark"
        faults.file(FormatError(problem, Where(path, 1), f"read as {shown}; save the file as UTF-8"))
    return name


def unmarked_encoding(sample: bytes) -> str:
    """Return the encoding of text whose NUL bytes show that its characters have two or four bytes; '' for none.

    >>> [unmarked_encoding("<a>b</a>".encode(name)) for name in ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")]
    ['', 'utf-16-le', 'utf-16-be', 'utf-32-le', 'utf-32-be']
    """
    if len(sample) < 4 or sample.count(0) * 3 <= len(sample):
        return ""
    big = sample[0::2].count(0) > sample[1::2].count(0)
    if sample.count(0) * 3 > 2 * len(sample):  # three of four
        return "utf-32-be" if sample[0::4].count(0) > sample[3::4].count(0) else "utf-32-le"
    return "utf-16-be" if big else "utf-16-le"


def _declared_encoding(raw: bytes, where: Where, faults: Faults, wide: str) -> str:
    """The 8-bit encoding that the XML declaration names, '' for UTF-8 and for a name that cannot be right."""
    match = _DECLARED.match(raw.lstrip())
    if not match or wide:
        return ""
    name = match[1].decode("ascii", "replace")
    try:
        codec = codecs.lookup(name).name
    except LookupError:
        codec = ""
    if not codec or codec.startswith(("utf-16", "utf-32", "utf-7")):
        problem = f"the file declares the encoding {name}" + (", which it is not in" if codec else ", which is not known")
        faults.file(FormatError(problem, where, "read as UTF-8"))
        return ""
    return "" if codec in ("utf-8", "ascii") else codec


def _decode(raw: bytes, where: Where, faults: Faults, encoding: str, *, said: bool = False) -> str:
    """Text of a line; `said` when the encoding is only what the file itself declares."""
    if b"\0" in raw:
        faults.file(FormatError("NUL byte in the line", where, "left out; the file is damaged or is not text"))
        raw = raw.replace(b"\0", b"")
    if raw.isascii():
        return raw.decode("ascii")
    if encoding and not said:
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError as error:
            shown = raw[error.start : error.start + 1].hex()
            faults.file(FormatError(f"byte 0x{shown} is not {encoding} text", where, "read as U+FFFD"))
            return raw.decode(encoding, "replace")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if said:
            return raw.decode(encoding, "replace")
        shown = raw[error.start : error.start + 1].hex()
        faults.file(
            FormatError(f"byte 0x{shown} is not UTF-8 text", where, "read as Windows-1252; save as UTF-8 or name the encoding")
        )
        try:
            return raw.decode("cp1252")
        except UnicodeDecodeError:
            return raw.decode("latin-1")
    if said and codecs.lookup(encoding).name in ("iso8859-1", "cp1252", "iso8859-15"):
        faults.file(FormatError(f"the file declares {encoding} but this is UTF-8", where, "read as UTF-8"))
        return text
    return raw.decode(encoding, "replace") if said else text


def blocks(numbered: Iterator[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    """Runs of lines between blank ones."""
    block: list[tuple[int, str]] = []
    for number, text in numbered:
        if text.strip():
            block.append((number, text))
        elif block:
            yield block
            block = []
    if block:
        yield block


def unescape(text: str) -> str:
    """Text with `&amp;`, `&#228;` and the like as what they stand for; as it is where a number has thousands of digits.

    >>> unescape("R&amp;D")
    'R&D'
    """
    try:
        return html.unescape(text)
    except ValueError:
        return text
