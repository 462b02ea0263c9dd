"""Plain text: paragraphs into sentences, sentences into words."""

from __future__ import annotations

from collections.abc import Iterator

from divproj.data.errors import Faults, FormatError, Where
from divproj.data.sentence import Sentence
from divproj.io.files import Source, name_of, reading
from divproj.text.running import sentence_spans, spans


def load(source: Source, faults: Faults | None = None, *, keep_lines: bool = False) -> Iterator[Sentence]:
    """CoNLL-U sentences without annotation; a line is a paragraph, or one sentence with `keep_lines`."""
    faults = faults or Faults()
    path = name_of(source)
    count = 0
    with reading(source) as stream:
        for number, raw in enumerate(stream, 1):
            where = Where(path, number)
            try:
                line = " ".join(raw.decode("utf-8-sig").replace("\0", "").split())
            except UnicodeDecodeError:
                faults.sentence(FormatError("the line is not UTF-8 text", where, "save the file as UTF-8"))
                continue
            for start, end in [(0, len(line))] if keep_lines else sentence_spans(line):
                text = line[start:end]
                if words := spans(text):
                    count += 1
                    yield blank(text, words, str(count), where)


def blank(text: str, words: tuple[tuple[int, int], ...], sent_id: str, where: Where) -> Sentence:
    """A sentence without annotation from a text and where its words begin and end."""
    none = ("_",) * len(words)
    starts = [start for start, _ in words[1:]]
    glued = [end == start for (_, end), start in zip(words, starts, strict=False)] + [False]
    return Sentence(
        (f"# sent_id = {sent_id}", f"# text = {text}"),
        (
            tuple(str(k) for k in range(1, len(words) + 1)),
            tuple(text[start:end] for start, end in words),
            *(none,) * 7,
            tuple("SpaceAfter=No" if near else "_" for near in glued),
        ),
        where,
    )
