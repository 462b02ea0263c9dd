"""Interlinear text: the one door to all its formats."""

from __future__ import annotations

import importlib
import io
from collections.abc import Iterator
from typing import Any, BinaryIO, cast

from divproj.data.errors import Faults, FormatError, ProjError, Where
from divproj.data.igt import Igt
from divproj.data.options import ReaderOptions
from divproj.io import cldf_metadata, igt_finish
from divproj.io.files import Digest, Source, name_of, reading, rewound
from divproj.io.igt_guess import HEAD, guess, ranked
from divproj.io.igt_plain import dump, dumps, read
from divproj.io.settings import CLOSE_SCORES, LEAST_SCORE

__all__ = ["FORMATS", "dump", "dumps", "guess", "load", "load_bytes", "loads", "ranked", "read"]

FORMATS = {
    "plain": "igt_plain",
    "conllu": "igt_conllu",
    "xigt": "xigt",
    "odin": "odin",
    "toolbox": "toolbox",
    "flextext": "flextext",
    "elan": "elan",
    "cldf": "cldf",
    "sigmorphon": "sigmorphon",
    "latex": "latex",
}
"""Names of the formats and the modules that read them."""


def load(
    source: Source,
    format: str | None = None,  # noqa: A002
    faults: Faults | None = None,
    reader: ReaderOptions | None = None,
    digest: Digest | None = None,
    **options: Any,
) -> Iterator[Igt]:
    """Instances of a file in any of the `FORMATS`, guessed from its content when none is named.

    What cannot be read as it stands goes to `faults` (None: raise); how to read is said by `reader`, or by its fields one by
    one (`lang="es"`). `digest` (of hashlib) takes the bytes as they are read.
    """
    settings = reader or ReaderOptions.of(options)
    with reading(source, digest) as stream:
        yield from _any(stream, name_of(source), format or settings.format or None, faults or Faults(), settings)


def load_bytes(
    data: bytes,
    format: str | None = None,  # noqa: A002
    faults: Faults | None = None,
    reader: ReaderOptions | None = None,
    path: str = "",
) -> list[Igt]:
    """Instances of what a file holds."""
    settings = reader or ReaderOptions()
    stream = cast(BinaryIO, io.BytesIO(data))
    return list(_any(stream, path, format or settings.format or None, faults or Faults(), settings))


def loads(text: str, format: str | None = None, faults: Faults | None = None, **options: Any) -> list[Igt]:  # noqa: A002
    """Instances of a text.

    >>> loads("(1) Der Hund bell-t.\\nDEF dog bark-3SG\\n'The dog barks.'")[0].glosses
    ('DEF', 'dog', 'bark-3SG', '')
    """
    stream = cast(BinaryIO, io.BytesIO(text.encode("utf-8", "surrogatepass")))
    return list(_any(stream, "", format, faults or Faults(), ReaderOptions.of(options)))


def _any(stream: BinaryIO, path: str, name: str | None, faults: Faults, options: ReaderOptions) -> Iterator[Igt]:
    head = stream.read(HEAD)
    if not head.strip(b" \t\r\n\0\xef\xbb\xbf"):
        raise FormatError("nothing in the file", Where(path), "is it the right one?")
    found = name or _guessed(head, path, faults, options)
    if found not in FORMATS:
        raise ProjError(f"unknown format {found!r}, one of {', '.join(FORMATS)} expected")
    count = 0
    module = importlib.import_module(f"divproj.io.{FORMATS[found]}")
    for igt in igt_finish.finished(module.read(rewound(head, stream), path, faults, options), options, found, path, faults):
        count += 1
        yield igt
    if not count:
        raise FormatError(f"no instance in the file, read as {found}", Where(path), "name its format if this is not it")


def _guessed(head: bytes, path: str, faults: Faults, options: ReaderOptions) -> str:
    """The format that fits best; a file that none fits is refused, and one that two fit is remarked on."""
    if path.endswith((".csv", ".tsv", ".csv.gz", ".tsv.gz")) and cldf_metadata.of_file(path).named:
        return "cldf"
    try:
        scores = ranked(head)
    except FormatError as error:
        raise FormatError(error.what, Where(path), error.remedy) from None
    best, score = scores[0]
    if score < LEAST_SCORE and not options.misaligned and not options.as_written:
        what = f"no format fits well (best: {best}, {score:.2f}); is this a dictionary, a table or running text?"
        raise FormatError(what, Where(path), f"name the format if it is one of {', '.join(FORMATS)}")
    if len(scores) > 1 and score - scores[1][1] < CLOSE_SCORES:
        what = f"read as {best} ({score:.2f}), but {scores[1][0]} ({scores[1][1]:.2f}) fits nearly as well"
        faults.file(FormatError(what, Where(path), f"`format={scores[1][0]}` reads it so"))
    return best
