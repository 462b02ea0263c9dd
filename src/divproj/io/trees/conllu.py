"""Read and write CoNLL-U byte for byte.

Only what is not UTF-8 text with LF line ends changes on reading: a byte-order mark is removed, CRLF becomes LF.
"""

from __future__ import annotations

import io
import itertools
import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, TextIO

from divproj.core.errors import Faults, FormatError, Where
from divproj.core.sentence import Rows
from divproj.io.files import Digest, Source, head_of, is_pipe, name_of, reading

CHUNK = 1 << 20
_BLANK = re.compile(b"(\n\n+)")
_FIRST_ROW = re.compile(rb"(?:\xef\xbb\xbf)?(?:#[^\n]*\n|\r?\n)*\d+(?:[-.]\d+)?(?:\t[^\t\n]*){9}(?:\r?\n|$)")
LONGEST = 64 << 20  # bytes in one sentence; past that it is no CoNLL-U file


def load(
    source: Source, faults: Faults | None = None, *, keep_places: bool = False, digest: Digest | None = None
) -> Iterator[Rows | None]:
    """Sentences of a file, one by one.

    A sentence that cannot be read goes to `faults` (None: raise); with `keep_places` None stands in its place,
    so that files read side by side stay in step. `digest` (of hashlib) takes the bytes as they are read.
    """
    with reading(source, digest) as stream:
        yield from read(stream, name_of(source), faults, keep_places=keep_places)


def find(source: Source, sent: str | None = None, faults: Faults | None = None) -> Rows:
    """Return the sentence with this `sent_id`, or with this number (from 1); None: the first."""
    number = int(sent) if sent and sent.isdecimal() else 1 if sent is None else 0
    by_number = None
    for k, sentence in enumerate(load(source, faults, keep_places=True), 1):
        if sentence is not None and sentence.sent_id == sent:
            return sentence
        if k == number:
            by_number = sentence
            if sent is None:
                break
    if by_number is None:
        raise FormatError(
            f"no sentence with id or number {sent or 1}", Where(name_of(source)), "`proj find length>0 FILE` lists them"
        )
    return by_number


def is_conllu(source: Source) -> bool:
    """Whether a file is CoNLL-U, by its name or else by its first row: a number and nine more columns.

    >>> is_conllu("f.conllu.gz"), looks_like_conllu(b"# a comment\\n1\\tJa" + b"\\t_" * 8), looks_like_conllu(b"1 a line of text")
    (True, True, False)
    """
    name = os.fspath(source)
    if name.removesuffix(".gz").endswith(".conllu"):
        return True
    return (is_pipe(source) or Path(source).is_file()) and looks_like_conllu(head_of(source))


def looks_like_conllu(head: bytes) -> bool:
    """Whether the first row of what a file begins with has a number and nine more columns."""
    return _FIRST_ROW.match(head) is not None


def loads(text: str, faults: Faults | None = None) -> list[Rows]:
    """Sentences of a text.

    >>> loads("1\\tJa\\t_\\t_\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n")[0].forms
    ('Ja',)
    """
    stream = io.BytesIO(text.encode("utf-8", "surrogatepass"))
    return [sentence for sentence in read(stream, "", faults) if sentence is not None]


def dump(sentences: Iterable[Rows], out: TextIO) -> None:
    last = "\n\n"
    for sentence in sentences:
        out.write("\n\n"[len(last) :])  # it may have closed a file that had no blank line at its end
        out.write(dumps(sentence))
        last = sentence.end


def dumps(sentence: Rows) -> str:
    """The sentence as it was in its file, with the blank line after it."""
    return sentence.to_conllu()


def read(
    stream: BinaryIO, path: str, faults: Faults | None, *, keep_places: bool = False, line: int = 1
) -> Iterator[Rows | None]:
    """Sentences of a stream that starts at a line of a file."""
    faults = faults or Faults()
    for at, block, end in blocks(stream, path, line):
        try:
            yield parse(block, path, at, end)
        except FormatError as error:
            faults.sentence(error)
            if keep_places:
                yield None


def blocks(stream: BinaryIO, path: str = "", line: int = 1) -> Iterator[tuple[int, bytes, str]]:
    """(line number, bytes, line ends after them) of the parts between blank lines."""
    rest = b""
    while chunk := stream.read(CHUNK):
        if line == 1 and not rest and chunk.startswith(b"\xef\xbb\xbf"):
            chunk = chunk[3:]
        chunk = rest + chunk
        if chunk.endswith(b"\r"):
            chunk += stream.read(1)
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n")
        body = chunk.rstrip(b"\n")  # blank lines at the end may go on in the next chunk
        cut = body.rfind(b"\n\n") + 2
        if cut < 2:
            if len(body) > LONGEST:
                raise FormatError(f"no blank line in {LONGEST >> 20} MB", Where(path, line), "is this a CoNLL-U file?")
            rest = chunk
            continue
        rest = chunk[cut:]
        yield from _split(chunk[:cut], line)
        line += chunk.count(b"\n", 0, cut)
    yield from _split(rest, line)


def _split(chunk: bytes, line: int) -> Iterator[tuple[int, bytes, str]]:
    parts = _BLANK.split(chunk)
    for body, between in zip(parts[0::2], [*parts[1::2], b""], strict=True):
        text = body.lstrip(b"\n")
        line += len(body) - len(text)
        end = between.decode()
        if text and not end and text.endswith(b"\n"):
            text, end = text[:-1], "\n"
        if text:
            yield line, text, end
        line += text.count(b"\n") + len(end)


@lru_cache(maxsize=512)
def _plain_ids(n: int) -> tuple[str, ...]:
    return tuple(map(str, range(1, n + 1)))


def parse(block: bytes, path: str = "", line: int = 0, end: str = "\n\n") -> Rows:
    """One sentence without its closing blank line; FormatError says what is wrong and in which line."""
    text = _decode(block, path, line)
    start = 0
    while text.startswith("#", start):
        start = text.find("\n", start) + 1 or len(text) + 1
    comments = tuple(text[: start - 1].split("\n")) if start else ()
    # each row becomes ten fields and a line end, so that columns are strides
    fields = text[start:].replace("\n", "\t\n\t").split("\t")
    n, over = divmod(len(fields) + 1, 11)
    columns = tuple([tuple(fields[k::11]) for k in range(10)])
    where = Where(path, line, _sent_id(comments))
    if (
        over
        or fields.count("\n") != n - 1
        or fields[10::11].count("\n") != n - 1
        or "" in fields
        or "\0" in text
        or (columns[0] != _plain_ids(n) and _id_fault(columns[0]))
    ):
        raise _first_fault(text, where)
    return Rows(comments, columns, where, end)


def _sent_id(comments: tuple[str, ...]) -> str:
    for comment in comments:
        if comment.startswith("# sent_id"):
            name, eq, value = comment[1:].partition("=")
            if eq and name.strip() == "sent_id":
                return value.strip()
    return ""


def _decode(block: bytes, path: str, line: int) -> str:
    try:
        return block.decode("utf-8")
    except UnicodeDecodeError as error:
        at = line + block.count(b"\n", 0, error.start)
        known = tuple(c.decode("utf-8", "replace") for c in block.split(b"\n") if c.startswith(b"#"))
        shown = block[error.start : error.start + 1].hex()
        raise FormatError(
            f"byte 0x{shown} is not UTF-8 text", Where(path, at, _sent_id(known)), "save the file as UTF-8"
        ) from None


def _id_fault(ids: tuple[str, ...]) -> tuple[int, str] | None:
    """The first row whose ID is not what should follow, and what should."""
    expected, last_range = 1, 0
    for row, text in enumerate(ids):
        low, mark, high = (part if part.isascii() else "" for part in re.match(r"(\d*)([-.]?)(.*)", text).groups())  # type: ignore[union-attr]
        if low and not mark and not high:
            if text != str(expected):
                return row, f"ID is {text}, {expected} expected"
            expected += 1
        elif (
            mark == "-" and low == str(expected) and high.isdecimal() and len(high) < 10 and int(high) >= expected > last_range
        ):
            last_range = int(high)
        elif not (mark == "." and low == str(expected - 1) and high.isdecimal()):
            return row, f"ID is '{text}', {expected} (or {expected}-… or {expected - 1}.…) expected"
    if last_range >= expected:
        return len(ids) - 1, f"a multiword ID reaches to {last_range} but the sentence has {expected - 1} words"
    return None


def _first_fault(text: str, where: Where) -> FormatError:
    """Return the error for the first line that breaks the format, with its place."""
    lines = text.split("\n")
    skipped = sum(1 for _ in itertools.takewhile(lambda row: row.startswith("#"), lines))

    def wrong(k: int, problem: str, remedy: str = "") -> FormatError:
        return FormatError(problem, Where(where.path, where.line + k if where.line else 0, where.sent_id), remedy)

    if skipped == len(lines):
        return wrong(0, "comments without a sentence", "remove them or add the word rows")
    ids = []
    for k, row in enumerate(lines):
        if "\0" in row:
            return wrong(k, "NUL byte in the line", "the file is damaged or is not text")
        if k < skipped:
            continue
        if row.startswith("#"):
            return wrong(k, "comment after the first word row, before it expected", "is a blank line missing above?")
        cells = row.split("\t")
        if len(cells) != 10:
            remedy = "columns are separated by tabs, not spaces" if len(row.split()) == 10 else ""
            return wrong(k, f"{len(cells)} column{'s' * (len(cells) != 1)}, 10 expected", remedy)
        if "" in cells:
            return wrong(k, f"column {cells.index('') + 1} is empty, '_' expected where there is no value")
        ids.append(cells[0])
    row_index, problem = _id_fault(tuple(ids)) or (0, "not a CoNLL-U sentence")
    remedy = "is a blank line missing above?" if ids[row_index] == "1" and problem.startswith("ID") else ""
    return wrong(skipped + row_index, problem, remedy)
