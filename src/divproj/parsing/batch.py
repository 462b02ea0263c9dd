"""Parsing of plain sentences piece by piece: what a worker of the engine is asked to do."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path

from divproj.data.errors import Faults, FormatError
from divproj.data.head_style import in_style
from divproj.data.limits import CUT, LONGEST, PARSED_WHOLE, in_parts
from divproj.data.sentence import Sentence
from divproj.io import conllu
from divproj.io import forest as forests
from divproj.io.plaintext import load
from divproj.io.trees import Trees, gathered
from divproj.parsing.alternatives import forest_of, several
from divproj.parsing.language import Language, shipped
from divproj.parsing.summary import ParseSummary

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
    return _model(how.model, how.stamp) if how.model is not None else shipped(how.lang or "en")


def parsed(how: Parsing, sentences: list[Sentence], faults: Faults) -> Trees:
    """Parsed sentences, with their forests where those are wanted."""
    model, made, packed = language(how), [], io.StringIO()
    summary = ParseSummary(how.name, model.calibration_error)
    for sentence in model.annotate(sentences, confidence=how.confidence, keep_tags=how.keep_tags):
        summary.add([sentence])
        if how.forest and len(sentence.forms) <= LONGEST:
            forests.dump([forest_of(model, sentence)], packed)
        elif how.forest:
            what = f"{len(sentence.forms)} words: no forest of more than {LONGEST}"
            faults.file(FormatError(what, replace(sentence.where, sent_id=sentence.sent_id), CUT))
        for found in several(model, sentence, how.nbest) if how.nbest > 1 else (sentence,):
            made.append(_in_style(found, how.style))
    return gathered(made, len(sentences), forests=packed.getvalue(), summary=summary)


def _in_style(sentence: Sentence, style: str) -> Sentence:
    if style in ("ud", "as-is"):
        return sentence
    tree = in_style(sentence.tree, style)
    return sentence.with_columns({6: tuple(map(str, tree.heads)), 7: tree.rels})


def batches(how: Parsing, source: str, keep_lines: bool, faults: Faults) -> Iterator[list[Sentence]]:
    """Sentences of a CoNLL-U file or of plain text, some at a time."""
    if source.removesuffix(".gz").endswith((".conllu", ".conll")) or (source == "-" and _rows_on_stdin()):
        sentences: Iterator[Sentence] = (sentence for sentence in conllu.load(source, faults) if sentence is not None)
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
