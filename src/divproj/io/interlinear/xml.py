"""Read XML safely and one unit at a time: without entities or external references.

A file that is not well formed is reported and read on from where it breaks: tags are then matched by name, the rest is text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
from defusedxml.ElementTree import DefusedXMLParser, ParseError  # type: ignore[import-untyped]

from divproj.core.errors import Faults, FormatError, ProjError, Where
from divproj.io.interlinear.parts import Options, unescape, xml_pieces

_TAG = re.compile(r"<(/?)([A-Za-z_][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'|[^\s>\"'<]+))*)\s*(/?)>")
_ATTRIBUTE = re.compile(r"([\w:.-]+)\s*=\s*(\"[^\"]*\"|'[^']*'|\S+)")
_ASIDE = re.compile(r"<!--(?:(?!<!--).)*?-->|<\?(?:(?!<\?).)*?\?>|<![A-Z](?:(?!<!)[^>])*>", re.DOTALL)
UNDECIDED = 1 << 16
"""Characters after a `<` that may still become a tag."""
DEEPEST = 200
"""Elements within one another; no interlinear format comes near."""


@dataclass(eq=False)
class XmlNode:
    """An element: its name and attributes without namespaces, its own text, and the line it began in."""

    tag: str
    attrs: dict[str, str] = field(default_factory=dict)
    text: str = ""
    children: list[XmlNode] = field(default_factory=list)
    line: int = 0
    at: int = 0
    """Characters of the text around it that stand before it."""

    def get(self, name: str) -> str:
        return self.attrs.get(name, "")

    def all(self, tag: str) -> list[XmlNode]:
        return [child for child in self.children if child.tag == tag]

    def flow(self, inner: Callable[[XmlNode], Iterable[str]]) -> Iterator[str]:
        """The text of the element, with what `inner` makes of each child where the child stands."""
        begin = 0
        for child in self.children:
            yield self.text[begin : child.at]
            begin = max(begin, child.at)
            yield from inner(child)
        yield self.text[begin:]

    def full_text(self) -> str:
        """All text in the element and those below it, in order."""
        return "".join(self.flow(lambda child: (child.full_text(),)))

    def walk(self) -> Iterator[XmlNode]:
        """The node and all below it, in order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))


Unit = tuple[XmlNode, tuple[XmlNode, ...]]
"""An element that is complete, and those it stands in."""


def units(
    stream: BinaryIO,
    path: str,
    faults: Faults,
    options: Options,
    is_unit: Callable[[str, str], bool],
    tags: frozenset[str],
) -> Iterator[Unit]:
    """Elements for which `is_unit(tag, tag above)` holds, each as soon as it is complete.

    `tags` are the elements that the format has; others are text in a file that is not well formed (`k<ar>olu`).
    """
    builder = _Builder(is_unit, tags, path)
    pieces = xml_pieces(stream, path, faults, options)
    parser = DefusedXMLParser(target=builder, forbid_dtd=False)
    parser.parser.buffer_text = False  # text before a fault is delivered too
    fed = 0
    try:
        for line, piece in pieces:
            builder.line = line
            parser.feed(piece)
            fed += len(piece.encode())
            yield from builder.take_ready()
        line, piece = builder.line, ""
        parser.close()
    except DefusedXmlException as error:
        problem = f"the XML defines or calls in entities ({type(error).__name__}), which is refused"
        raise ProjError(problem, Where(path, builder.line), "remove the DOCTYPE from the file") from None
    except ParseError as error:
        yield from builder.take_ready()
        if not builder.seen:
            raise FormatError(f"not XML: {_reason(error)}", Where(path, line)) from None
        rest = _from_fault(piece.encode(), max(0, parser.parser.ErrorByteIndex - fed))
        column = f" at column {error.position[1] + 1}" if rest else ""
        where = Where(path, line, builder.unit_id)
        remedy = "fix it; the rest was read as well as it goes" if rest else "the file breaks off; what there is was read"
        faults.sentence(FormatError(f"the XML is not well formed{column}: {_reason(error)}", where, remedy))
        builder.mending = True
        yield from _recover(rest, pieces, builder)
        builder.finish()
        yield from builder.take_ready()


def _from_fault(piece: bytes, index: int) -> str:
    """The rest of the piece, from the tag or the ampersand that the fault is in."""
    before = piece[:index]
    opened = before.rfind(b"<")
    if opened > before.rfind(b">"):
        index = opened
    elif match := re.search(rb"&[\w#]*$", before):
        index = match.start()
    return piece[index:].decode("utf-8", "ignore")


def _reason(error: ParseError) -> str:
    return str(error).partition(":")[0]


def _recover(rest: str, pieces: Iterator[tuple[int, str]], builder: _Builder) -> Iterator[Unit]:
    """Read on without a parser: known tags open and close, the rest is text."""
    for line, piece in pieces:
        rest = _tags(rest, builder)
        yield from builder.take_ready()
        builder.line = line
        rest += piece
    rest = _tags(rest, builder)
    builder.data(unescape(rest))
    yield from builder.take_ready()


def _tags(text: str, builder: _Builder) -> str:
    """Handle the complete tags of a text; what comes after the last of them is given back."""
    text = _ASIDE.sub("", text)
    at = 0
    for match in _TAG.finditer(text):
        name = match[2].rpartition(":")[2]
        if not builder.knows(name):
            continue
        builder.data(unescape(text[at : match.start()]))
        at = match.end()
        if match[1]:
            builder.end(name)
            continue
        attrs = {key: unescape(value.strip("\"'")) for key, value in _ATTRIBUTE.findall(match[3])}
        builder.start(name, {key.rpartition(":")[2]: value for key, value in attrs.items()})
        if match[4]:
            builder.end(name)
    last = text.rfind("<", at)
    keep = last if last >= 0 and ">" not in text[last:] and len(text) - last < UNDECIDED else len(text)
    reference = text.rfind("&", max(at, len(text) - 40))  # it may end in the next piece
    keep = min(keep, reference) if reference >= 0 else keep
    builder.data(unescape(text[at:keep]))
    return text[keep:]


class _Builder:
    """Target of the parser: keeps the open elements and hands over the units."""

    def __init__(self, is_unit: Callable[[str, str], bool], tags: frozenset[str], path: str) -> None:
        self.is_unit, self.tags, self.path = is_unit, tags, path
        self.line = 1
        self.open: list[XmlNode] = []
        self.ready: list[Unit] = []
        self.seen = self.mending = False

    @property
    def unit_id(self) -> str:
        for node in reversed(self.open):
            if self.is_unit(node.tag, ""):
                return node.get("id")
        return ""

    def knows(self, name: str) -> bool:
        return name in self.tags or any(node.tag == "metadata" for node in self.open)

    def start(self, tag: str, attrs: dict[str, str]) -> None:
        self.seen = True
        if len(self.open) >= DEEPEST:
            raise FormatError(f"more than {DEEPEST} elements within one another", Where(self.path, self.line))
        plain = {key: value for key, value in attrs.items() if not key.startswith("{")}
        spaced = {key.rpartition("}")[2]: value for key, value in attrs.items() if key.startswith("{")}
        node = XmlNode(tag.rpartition("}")[2], {**spaced, **plain}, line=self.line)
        if self.open:
            node.at = len(self.open[-1].text)
            self.open[-1].children.append(node)
        self.open.append(node)

    def data(self, text: str) -> None:
        if self.open:
            self.open[-1].text += text

    def end(self, tag: str) -> None:
        tag = tag.rpartition("}")[2]
        if not any(node.tag == tag for node in self.open):
            return
        while self._close().tag != tag:
            pass

    def _close(self) -> XmlNode:
        node = self.open.pop()
        above = self.open[-1] if self.open else None
        if self.mending and above is not None and not self.knows(node.tag):
            above.children.pop()
            above.text += f"<{node.tag}>{node.text}"
        elif self.is_unit(node.tag, above.tag if above else ""):
            if above is not None:
                above.children.pop()
                if above.text.isspace():
                    above.text = ""  # blanks between units would grow with the file
            self.ready.append((node, tuple(self.open)))
        return node

    def finish(self) -> None:
        while self.open:
            self._close()

    def take_ready(self) -> Iterator[Unit]:
        ready, self.ready = self.ready, []
        yield from ready

    def close(self) -> Any:
        """The parser asks for a result; the units are it."""


NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def escape_xml(text: str, *, quote: bool = False) -> str:
    """Return text fit for XML, between tags or (`quote`) inside quotes; characters that XML does not allow become U+FFFD.

    >>> escape_xml("a<b\\x00"), escape_xml('"', quote=True)
    ('a&lt;b\ufffd', '&quot;')
    """
    return html.escape(NOT_XML.sub("\ufffd", text), quote=quote)
