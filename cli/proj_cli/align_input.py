"""What `proj align` reads: two parsed texts, or JSON lines of pairs, and what makes words candidates."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from proj_cli import common
from proj_cli.common import talk

if TYPE_CHECKING:
    from divproj.errors import Faults
    from divproj.forest.hypergraph import Forest
    from divproj.phrases.lexicon import Lexicon

Row = tuple["Forest", "Forest", Any]
"""Two forests and the word candidates."""
TREES = (("stree", "ttree"), ("source_tree", "target_tree"))
"""Keys of the two trees (Penn brackets) in JSON lines of pairs."""


@dataclass
class Input:
    """Pairs of forests with their candidates, one after the other; what is bad is said and left out."""

    source: str
    target: str | None
    lexicon: Lexicon
    by_lexicon: bool
    words: str | None
    options: Any
    file_format: str | None
    faults: Faults
    digest: str
    places: list[int] = field(default_factory=list)
    """Place in the input (from 0) of every pair given so far."""
    ends: str = ""
    """What is said at the end when one side is longer."""

    @classmethod
    def of(cls, source: str, target: str | None, *, words: str | None, lexical: bool | None, wordnet: Path | None, table: Path | None, vectors: str | None, threshold: float, languages: str, file_format: str | None, binarise: str, punctuation: str, strict: bool) -> Input:  # fmt: skip
        from divproj.forest.build import BINARISATIONS
        from divproj.io.forests import FORMATS, Options

        for name, value, known in (
            ("--binarise", binarise, BINARISATIONS),
            ("--punctuation", punctuation, ("keep", "final", "drop")),
            ("--format", file_format or "brackets", FORMATS),
        ):
            if value not in known:
                raise typer.BadParameter(f"{name} {value}: one of {', '.join(known)} expected")
        if source == target == "-":
            raise typer.BadParameter("only one side can be stdin (-)")
        one, dash, two = languages.lower().partition("-")
        if not dash or not one or not two:
            raise typer.BadParameter(f"--languages {languages}: two languages such as de-en expected")
        faults = common.faults_for(strict)
        words_known = lexicon((one, two), wordnet, table, vectors, threshold, faults)
        paths = [p for p in (source, target, words if words != "auto" else None) if p and p != "-"]
        use = words is None if lexical is None else lexical
        return cls(
            source,
            target,
            words_known,
            use,
            words,
            Options(binarise, punctuation=punctuation),
            file_format,
            faults,
            _digest(paths),
        )

    def pairs(self) -> Iterator[Row]:
        """The usable pairs."""
        from divproj.phrases.candidates import candidates

        rows = self._json() if self.target is None else self._files()
        if self.words == "auto":
            rows = self._with_links(list(rows))
        lines = self._lines() if self.words not in (None, "auto") else None
        for place, (src, tgt, links) in enumerate(rows):
            line = next(lines, None) if lines else None
            if lines and line is None and not self.ends:
                self.ends = f"{self.words} has {place} lines, but there are more pairs"
            if src is None or tgt is None:
                continue
            shape = (len(src.forms), len(tgt.forms))
            if line is not None:
                from divproj.io import pharaoh

                links = pharaoh.parse(line[1], shape, line[0], self.faults)
            elif lines:
                continue
            src, tgt = self.lexicon.lemmatised(src, 0), self.lexicon.lemmatised(tgt, 1)
            self.places.append(place)
            yield src, tgt, candidates(src, tgt, self.lexicon if self.by_lexicon else None, links=links)

    def need(self, rows: list[Row]) -> None:
        """AlignmentError when there is no usable pair."""
        from divproj.errors import AlignmentError, Where

        if not rows:
            raise AlignmentError("no usable pair of trees", Where(self.source))

    def finish(self) -> None:
        """AlignmentError, after all pairs are done, when one side had more."""
        from divproj.errors import AlignmentError, Where

        if self.ends:
            remedy = "the sides must have one tree a sentence in the same order; the pairs up to there are done"
            raise AlignmentError(self.ends, Where(self.source), remedy)

    def _files(self) -> Iterator[tuple[Any, Any, Any]]:
        from divproj.io.forests import forests_from

        assert self.target is not None
        sides = [
            forests_from(path, self.file_format, self.faults, self.options, keep_places=True)
            for path in (self.source, self.target)
        ]
        missing, counts = object(), [0, 0]
        for src, tgt in zip_longest(*sides, fillvalue=missing):
            counts[0] += src is not missing
            counts[1] += tgt is not missing
            if src is not missing and tgt is not missing:
                yield src, tgt, None
        if counts[0] != counts[1]:
            self.ends = f"{counts[0]} trees, but {self.target} has {counts[1]}"

    def _json(self) -> Iterator[tuple[Any, Any, Any]]:
        """Lines with two trees in Penn brackets, and perhaps `links` (pairs of words counted from 0)."""
        from divproj.errors import FormatError, ProjError, Where
        from divproj.io.files import name_of, reading

        with reading(self.source) as stream:
            for number, raw in enumerate(stream, 1):
                where = Where(name_of(self.source), number)
                if not raw.strip():
                    continue
                try:
                    yield self._pair(raw, where)
                except ProjError as error:
                    self.faults.sentence(FormatError(error.what, error.where or where, error.remedy))
                    yield None, None, None

    def _pair(self, raw: bytes, where: Any) -> tuple[Any, Any, Any]:
        from dataclasses import replace

        from divproj.errors import Faults, FormatError
        from divproj.io.forests import forests_of
        from divproj.types import Alignment

        try:
            row = json.loads(raw)
        except ValueError as error:
            remedy = "or give two files of trees: SOURCE TARGET"
            raise FormatError(f"not JSON: {error}", where, remedy) from None
        keys = next((pair for pair in TREES if isinstance(row, dict) and all(isinstance(row.get(k), str) for k in pair)), None)
        if keys is None:
            raise FormatError(f"the line has no two trees, keys {' and '.join(TREES[0])} expected", where)
        made = []
        for key in keys:
            found = forests_of(row[key], "brackets", Faults(), self.options)
            if len(found) != 1:
                raise FormatError(f"{key} has {len(found)} trees, one expected", where)
            made.append(replace(found[0], sent_id=str(row.get("id", "")), where=where))
        links, shape = None, (len(made[0].forms), len(made[1].forms))
        if isinstance(row.get("links"), list):
            try:
                links = Alignment(frozenset((int(i) + 1, int(j) + 1) for i, j in row["links"]), shape)
            except (TypeError, ValueError):
                raise FormatError("links are not pairs of words counted from 0", where) from None
        return made[0], made[1], links

    def _lines(self) -> Iterator[tuple[Any, str]]:
        from divproj.io import pharaoh

        assert self.words is not None
        return pharaoh.load(self.words)

    def _with_links(self, rows: list[tuple[Any, Any, Any]]) -> Iterator[tuple[Any, Any, Any]]:
        """Links made by `WordAligner` on these very pairs."""
        from divproj.words.model import WordAligner

        texts = [(src.forms, tgt.forms) if src and tgt else ((), ()) for src, tgt, _ in rows]
        talk.say(f"aligning the words of {len(texts)} pairs")
        for (src, tgt, _), linked in zip(rows, WordAligner().fit_align(texts), strict=True):
            yield src, tgt, linked.alignment


def lexicon(languages: tuple[str, str], folder: Path | None, table: Path | None, vectors: str | None, threshold: float, faults: Faults) -> Lexicon:  # fmt: skip
    from divproj.phrases import wordnet
    from divproj.phrases.lexicon import Lexicon, read_table

    found = wordnet.find(folder) if folder or languages == ("en", "en") else None
    if found is None and languages == ("en", "en"):
        talk.say(f"proj: no WordNet found, so synonyms are not candidates; {wordnet.REMEDY}")
    pairs = read_table(table, faults) if table else frozenset()
    return Lexicon(languages, found, _vectors(vectors), threshold, pairs)


def _vectors(name: str | None) -> Any:
    if name is None:
        return None
    from divproj.errors import ProjError
    from divproj.phrases import embeddings

    found = embeddings.wordllama() if name == "wordllama" else embeddings.load(name)
    if found is None:
        raise ProjError("the table of wordllama is not there", remedy="pip install wordllama, or give a file of vectors")
    return found


def _digest(paths: list[str]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        try:
            digest.update(Path(path).read_bytes())
        except OSError:
            digest.update(path.encode())
    return digest.hexdigest()[:12]
