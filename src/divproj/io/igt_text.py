"""Bytes to lines for the interlinear formats; wrong encodings, NULs and files without end are said with their place."""

from __future__ import annotations

import codecs
import html
import io
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO, cast

from divproj.data.errors import Faults, FormatError, ProjError, Where
from divproj.data.igt import Igt
from divproj.data.options import ReaderOptions
from divproj.io.files import Source, name_of, reading, rewound

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
Read = Callable[[BinaryIO, str, Faults, Options], Iterator[Igt]]
"""What a format module has at its heart."""


def from_file(read: Read, source: Source, faults: Faults | None, options: Mapping[str, Any]) -> Iterator[Igt]:
    """`load` of a format."""
    settings = Options.of(options)
    with reading(source) as stream:
        yield from read(stream, name_of(source), faults or Faults(), settings)


def from_text(read: Read, text: str, faults: Faults | None, options: Mapping[str, Any]) -> list[Igt]:
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
            yield number, _decoded(part, Where(path, number), faults, encoding)


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
            encoding = _declared(raw, where, faults, was)
        text = _decoded(raw, where, faults, encoding, said=bool(encoding) and not options.encoding)
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
        narrow = io.TextIOWrapper(rewound(first, stream), wide, "replace", newline="\n")

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
    if encoding and codecs.lookup(encoding).name.startswith(("utf-16", "utf-32")):
        return encoding
    sample = first[:400]
    if len(sample) > 3 and sample.count(0) * 3 > len(sample):
        name = "utf-16-be" if sample[0::2].count(0) > sample[1::2].count(0) else "utf-16-le"
        remedy = "read as UTF-16; save the file as UTF-8"
        faults.file(FormatError("every second byte is NUL: UTF-16 without a byte-order mark", Where(path, 1), remedy))
        return name
    return ""


def _declared(raw: bytes, where: Where, faults: Faults, wide: str) -> str:
    """The 8-bit encoding that the XML declaration names, '' for UTF-8 and for a name that cannot be right."""
    found = _DECLARED.match(raw.lstrip())
    if not found or wide:
        return ""
    name = found[1].decode("ascii", "replace")
    try:
        codec = codecs.lookup(name).name
    except LookupError:
        codec = ""
    if not codec or codec.startswith(("utf-16", "utf-32", "utf-7")):
        what = f"the file declares the encoding {name}" + (", which it is not in" if codec else ", which is not known")
        faults.file(FormatError(what, where, "read as UTF-8"))
        return ""
    return "" if codec in ("utf-8", "ascii") else codec


def _decoded(raw: bytes, where: Where, faults: Faults, encoding: str, *, said: bool = False) -> str:
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


def unescaped(text: str) -> str:
    """Text with `&amp;`, `&#228;` and the like as what they stand for; as it is where a number has thousands of digits.

    >>> unescaped("R&amp;D")
    'R&D'
    """
    try:
        return html.unescape(text)
    except ValueError:
        return text
