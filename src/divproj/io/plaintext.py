"""Plain text: paragraphs into sentences, sentences into words."""

from __future__ import annotations

from collections.abc import Iterator

from divproj.data.errors import Faults, FormatError, Where
from divproj.data.sentence import Sentence
from divproj.io.files import Source, name_of, reading
from divproj.text import running
from divproj.text.tokenizer import Token, Tokenizer


def load(
    source: Source, faults: Faults | None = None, *, keep_lines: bool = False, tokenizer: Tokenizer | None = None
) -> Iterator[Sentence]:
    """CoNLL-U sentences without annotation; a line is a paragraph, or one sentence with `keep_lines`.

    Text is cut as English where no tokenizer is given.
    """
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
            for start, end in [(0, len(line))] if keep_lines else (tokenizer or running).sentence_spans(line):
                text = line[start:end]
                if tokens := _english(text) if tokenizer is None else tokenizer.tokens(text):
                    count += 1
                    yield blank(text, tokens, str(count), where)


def _english(text: str) -> list[Token]:
    return [Token(start, end, (text[start:end],)) for start, end in running.spans(text)]


def blank(text: str, tokens: list[Token], sent_id: str, where: Where) -> Sentence:
    """A sentence without annotation from a text and its tokens; one that stands for several words has a row for the whole."""
    rows: list[tuple[str, str, str]] = []
    words = 0
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        misc = "SpaceAfter=No" if following is not None and following.start == token.end else "_"
        if len(token.words) == 1:
            words += 1
            rows.append((str(words), token.words[0], misc))
            continue
        rows.append((f"{words + 1}-{words + len(token.words)}", text[token.start : token.end], misc))
        for word in token.words:
            words += 1
            rows.append((str(words), word, "_"))
    ids, forms, misc_column = zip(*rows, strict=True)
    none = ("_",) * len(rows)
    return Sentence((f"# sent_id = {sent_id}", f"# text = {text}"), (ids, forms, *(none,) * 7, misc_column), where)
