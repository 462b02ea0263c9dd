"""XML treebanks a sentence at a time: each is parsed by itself, so one that is broken costs no other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
from defusedxml.ElementTree import ParseError, fromstring  # type: ignore[import-untyped]

from divproj.data.errors import Faults, FormatError, ProjError, Where
from divproj.io.igt_text import Options, xml_pieces

_ID = re.compile(r"\bid\s*=\s*[\"']([^\"'<]*)[\"']")
LONGEST = 64 << 20
"""Characters in one element."""


def elements(
    stream: BinaryIO, path: str, faults: Faults, tag: str, *, keep_places: bool = False
) -> Iterator[tuple[Where, Any]]:
    """(place, element) of each `<tag>` in the file, which must not nest; None for one that is not XML, with `keep_places`."""
    for line, text in _texts(stream, path, faults, tag):
        found = _ID.search(text, 0, max(text.find(">"), 0))
        where = Where(path, line, found[1] if found else "")
        try:
            yield where, fromstring(text, forbid_dtd=True)
        except ParseError as error:
            row, column = error.position
            place = Where(path, line + row - 1, where.sent_id)
            reason = str(error).partition(":")[0]
            what = f"not well-formed XML at column {column + 1}: {reason}"
            if reason == "no element found":
                what, place = f"<{tag}> is not closed", where
            faults.sentence(FormatError(what, place))
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
                    what = "the XML defines entities, which is refused"
                    raise ProjError(what, Where(path, line + buffer.count("\n", 0, match.start())), "remove the DOCTYPE")
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
