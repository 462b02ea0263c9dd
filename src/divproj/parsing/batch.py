"""Parsing of plain sentences in batches, as `proj parse` does it.

`batches` reads CoNLL-U or plain text, which is cut into sentences and words (`load`). Each batch is parsed by a worker,
which returns trees and a `ParseSummary`: counts and confidences, which are added up over the batches and printed as text or
JSON.
"""

from __future__ import annotations

import heapq
import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from divproj.core.errors import CUT, LONGEST_SENTENCE, PARSED_WHOLE, Faults, FormatError, Where, in_parts, plural
from divproj.core.sentence import Rows, confidence_of
from divproj.io.files import Source, name_of, reading
from divproj.io.output import Trees, collect_sentences
from divproj.io.trees import conllu
from divproj.parsing.language import Language, forest_of, load_pack, several
from divproj.text.tokenizer import Token, Tokenizer
from divproj.ud.head_style import as_written, in_style

WEAK_SENTENCE = 0.5
"""Mean confidence of its heads below which a sentence is doubtful."""


def load(
    source: Source, faults: Faults | None = None, *, keep_lines: bool = False, tokenizer: Tokenizer | None = None
) -> Iterator[Rows]:
    """CoNLL-U sentences without annotation; a line is a paragraph, or one sentence with `keep_lines`.

    Text is cut as English where no tokenizer is given.
    """
    from divproj.text import running

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
    from divproj.text import running

    return [Token(start, end, (text[start:end],)) for start, end in running.spans(text)]


def blank(text: str, tokens: list[Token], sent_id: str, where: Where) -> Rows:
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
    return Rows((f"# sent_id = {sent_id}", f"# text = {text}"), (ids, forms, *(none,) * 7, misc_column), where)


DOUBTFUL = 5
"""Sentences that are named as those to look at first."""


@dataclass(kw_only=True)
class ConfidenceSummary:
    """Confidence of the heads of a parser or a projection: the mean, and the sentences where it is lowest."""

    judged: int = 0
    confidence: float = 0.0
    """Sum of confidences."""
    weak: int = 0
    doubtful: list[tuple[float, str]] = field(default_factory=list)

    def judge(self, confidence: Sequence[float], sent_id: str, forms: Sequence[str]) -> None:
        """Count the confidences of a sentence, which is named by its id or its first words."""
        if not confidence:
            return
        self.judged += len(confidence)
        self.confidence += sum(confidence)
        mean = sum(confidence) / len(confidence)
        self.weak += mean < WEAK_SENTENCE
        one = (mean, sent_id or f"“{' '.join(forms[:4])} …”")
        if len(self.doubtful) < DOUBTFUL or one < self.doubtful[-1]:
            self.doubtful = heapq.nsmallest(DOUBTFUL, [*self.doubtful, one])

    def add_counts(self, other: ConfidenceSummary, *counts: str) -> None:
        """Add what another process has counted, under these names too."""
        for name in ("judged", "confidence", "weak", *counts):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.doubtful = heapq.nsmallest(DOUBTFUL, [*self.doubtful, *other.doubtful])

    def look_first(self) -> list[str]:
        """The line that names the sentences to look at first, where there are any."""
        low = f"{plural(self.weak, 'sentence')} below {100 * WEAK_SENTENCE:.0f} % confidence; " if self.weak else ""
        names = ", ".join(name for _, name in self.doubtful)
        return [f"check these first (least confident): {low}{names}"] if self.doubtful else []

    @property
    def mean_confidence(self) -> float | None:
        return round(self.confidence / self.judged, 4) if self.judged else None


@dataclass
class ParseSummary(ConfidenceSummary):
    """Sentences that were parsed, and the confidence of their heads."""

    parser: str = ""
    calibration_error: float | None = None
    """How far confidences were from the share of right heads on gold trees; None if that was not measured."""
    parsed: int = 0
    left_out: int = 0
    words: int = 0

    def add(self, sentences: Sequence[Rows]) -> ParseSummary:
        """Count parsed sentences; `ParseConf=` in MISC says how sure the parser is."""
        for sentence in sentences:
            self.parsed += 1
            self.words += len(sentence.forms)
            texts = [confidence_of(cell) for cell in sentence.column(9)]
            self.judge([float(text) for text in texts if text], sentence.sent_id, sentence.forms)
        return self

    def merge(self, other: ParseSummary) -> None:
        """Add what another process has counted."""
        self.add_counts(other, "parsed", "left_out", "words")

    @property
    def expected_share(self) -> float | None:
        """The share of heads that should be right, where confidences are calibrated."""
        return self.confidence / self.judged if self.judged and self.calibration_error is not None else None

    def lines(self) -> list[str]:
        """As text, one fact per line."""
        text_lines = [f"{plural(self.parsed, 'sentence')} parsed by {self.parser}, {plural(self.words, 'word')}"]
        if self.left_out:
            text_lines.append(f"{plural(self.left_out, 'sentence')} left out with errors")
        if self.judged:
            known = self.expected_share
            estimate = (
                f"about {100 * known:.0f} % of the heads should be right (± {200 * (self.calibration_error or 0):.0f} points; the pack's calibration)"
                if known
                else "how many heads are right is not known: this model is not calibrated"
            )
            text_lines.append(estimate)
            text_lines += self.look_first()
        return text_lines

    def as_json(self) -> dict[str, Any]:
        known = self.expected_share
        return {
            "parser": self.parser,
            "parsed": self.parsed,
            "left_out": {"faults": self.left_out},
            "words": self.words,
            "mean_confidence": self.mean_confidence,
            "expected": {
                "uas": round(100 * known, 2),
                "standard_error": 100 * (self.calibration_error or 0),
                "source": "the pack's calibration",
            }
            if known
            else None,
            "below_half": self.weak,
            "doubtful": [name for _, name in self.doubtful],
            "exit_code": 0,
        }


SIZE = 200
"""Sentences that are parsed at a time."""


@dataclass(frozen=True)
class Parsing:
    """How plain sentences are parsed."""

    lang: str | None
    model: Path | None
    stamp: str
    keep_tags: bool = False
    style: str = "ud"
    nbest: int = 1
    forest: bool = False
    confidence: bool = True

    @property
    def name(self) -> str:
        """The parser's name, for people."""
        return self.model.name if self.model is not None else self.lang or "en"


@lru_cache(maxsize=2)
def _model(path: Path, stamp: str) -> Language:
    return Language.load(path)


def language(how: Parsing) -> Language:
    """The language or the model that parses."""
    return _model(how.model, how.stamp) if how.model is not None else load_pack(how.lang or "en")


def parse_batch(how: Parsing, sentences: list[Rows], faults: Faults) -> Trees:
    """Parsed sentences, with their forests where those are wanted."""
    model, annotated, packed = language(how), [], io.StringIO()
    summary = ParseSummary(how.name, model.calibration_error)
    for sentence in model.annotate(sentences, confidence=how.confidence, keep_tags=how.keep_tags):
        summary.add([sentence])
        if how.forest and len(sentence.forms) <= LONGEST_SENTENCE:
            from divproj.io.trees import forest as forests

            forests.dump([forest_of(model, sentence)], packed)
        elif how.forest:
            message = f"{len(sentence.forms)} words: no forest of more than {LONGEST_SENTENCE}"
            faults.file(FormatError(message, replace(sentence.where, sent_id=sentence.sent_id), CUT))
        for candidate in several(model, sentence, how.nbest) if how.nbest > 1 else (sentence,):
            annotated.append(_in_style(candidate, how.style))
    return collect_sentences(annotated, len(sentences), forests=packed.getvalue(), summary=summary)


def _in_style(sentence: Rows, style: str) -> Rows:
    if style in ("ud", "as-is"):
        return sentence
    tree = in_style(sentence.tree, style)
    names, misc = as_written(tree, sentence.column(9)) if style == "function" else (tree.deprels, sentence.column(9))
    return sentence.with_columns({6: tuple(map(str, tree.heads)), 7: names, 9: misc})


def batches(how: Parsing, source: str, keep_lines: bool, faults: Faults) -> Iterator[list[Rows]]:
    """Sentences of a CoNLL-U file or of plain text, some at a time."""
    if source.removesuffix(".gz").endswith((".conllu", ".conll")) or (source == "-" and _rows_on_stdin()):
        sentences: Iterator[Rows] = (sentence for sentence in conllu.load(source, faults) if sentence is not None)
    else:
        sentences = load(source, faults, keep_lines=keep_lines, tokenizer=language(how).tokenizer)
    while some := list(islice(sentences, SIZE)):
        for sentence in some:
            if len(sentence.forms) > PARSED_WHOLE:
                faults.file(in_parts(len(sentence.forms), replace(sentence.where, sent_id=sentence.sent_id)))
        yield some


def _rows_on_stdin() -> bool:
    """Whether CoNLL-U waits on standard input: the first line that is no comment has ten columns."""
    peek = getattr(getattr(sys.stdin, "buffer", None), "peek", lambda size: b"")(4096)
    first = next((line for line in peek.splitlines() if line.strip() and not line.startswith(b"#")), b"")
    return bool(first.count(b"\t") == 9)
