"""Read interlinear text of any format, and bring it into one form.

`load`, `loads` and `load_bytes` take the format by name or guess it, call the reader of that format, and then treat all
formats alike: words are separated from punctuation, ids made unique, languages of the translations recognised. This is done
for `TOGETHER` instances at once, so that what one sentence leaves open is decided by the others of its file.
"""

from __future__ import annotations

import importlib
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, BinaryIO, cast

from divproj.core.errors import Faults, FormatError, ProjError, Reading, Where
from divproj.core.options import ReaderOptions
from divproj.core.sentence import Sentence
from divproj.core.tree import NO_HEAD
from divproj.io.files import Digest, Source, name_of, reading, rewind
from divproj.io.interlinear import cldf, words
from divproj.io.interlinear.guess import HEAD, guess, rank_formats
from divproj.io.interlinear.languages import NAMES, UNKNOWN_LANGUAGE, correct_codes, lang_code
from divproj.io.interlinear.parts import choose_translation, normalize_space, strip_quotes, tree_of
from divproj.io.interlinear.plain import dump, dumps, read
from divproj.text import language_id

LEAST_SCORE = 0.25
"""Score below which no format fits."""
CLOSE_SCORES = 0.1
"""Scores that differ by less leave open which format it is."""
FEWEST_GLOSSED = 4
"""Glossed sentences from which on a file may be refused for lines that do not fit."""
NEAR_COUNT = 0.2
"""Share of words by which the number of glosses may differ in a line that is still read as what it seems to be."""


TOGETHER = 500
"""Instances that are processed together."""


def normalize_instances(
    instances: Iterable[Sentence],
    options: ReaderOptions,
    format: str,  # noqa: A002
    path: str,
    faults: Faults | None = None,
) -> Iterator[Sentence]:
    """Instances in the form that the rest of the program expects."""
    if options.as_written:
        yield from map(_one_form, instances)
        return
    seen: dict[str, int] = {}
    stream = iter(instances)
    count = 0
    while some := list(islice(stream, TOGETHER)):
        if not count and format in GUESSED:
            _refuse(some, format, path, options.misaligned, faults or Faults(strict=False))
        habits = words.habits(some)
        for igt in _with_languages(some, options.lang, Where(path), faults or Faults(strict=False)):
            count += 1
            if format in COLUMNED:
                igt = words.with_columns(igt)
            if format != "conllu" and options.split:
                igt = words.split(igt, habits, keep_hyphens=options.keep_hyphens)
            yield _with_unique_id(_with_tree(igt), count, seen)


def _with_tree(igt: Sentence) -> Sentence:
    """With the tree that was written back into the file (`igt_back`), when it fits the words."""
    said = dict(igt.meta)
    if igt.tree is not None or "hd" not in said or "rl" not in said:
        return igt
    heads = [int(x) if x.isdecimal() and x.isascii() else NO_HEAD for x in said["hd"].split()]
    deprels = ["" if rel == "_" else rel for rel in said["rl"].split()]
    n = len(igt.words)
    if len(heads) != n or len(deprels) != n or any(head > n for head in heads):
        return igt
    tree = tree_of(igt.words, heads, deprels, igt.tags)
    return replace(igt, tree=tree, meta=tuple(pair for pair in igt.meta if pair[0] not in ("hd", "rl")))


def _one_form(igt: Sentence) -> Sentence:
    """English alone is not listed among the translations."""
    return replace(igt, translations=()) if igt.translations == (("en", igt.translation),) else igt


GUESSED = frozenset(
    (
        "plain",
        "toolbox",
        "sigmorphon",
        "latex",
        "elan",
        "cldf",
        "table",
        "document",
        "textgrid",
        "exmaralda",
        "wikitext",
        "pandoc",
    )
)
"""Formats that do not state which gloss belongs to which word."""


COLUMNED = frozenset(("plain", "latex", "cldf", "odin"))
"""Formats whose glosses stand in columns under the words, where an author may set an affix apart."""


def _refuse(instances: Sequence[Sentence], format: str, path: str, misaligned: bool, faults: Faults) -> None:  # noqa: A002
    """FormatError, or with `misaligned` a remark for the summary, when fewer than half of the glossed sentences have about as many glosses as words."""
    glossed = [igt for igt in instances if igt.glosses and igt.words]
    fitting = sum(_near(igt) for igt in glossed)
    if len(glossed) < FEWEST_GLOSSED or 2 * fitting >= len(glossed):
        return
    problem = f"read as {format}, only {fitting} of {len(glossed)} sentences have a gloss under each word"
    remedy = "name the format, tiers or markers if this is something else (proj check shows what does not fit); `misaligned` reads it as it is"
    if not misaligned:
        raise FormatError(problem, Where(path), remedy)
    faults.reading.refusal = problem


def _near(igt: Sentence) -> bool:
    n, m = len(igt.words), len(igt.glosses)
    return abs(n - m) <= max(NEAR_COUNT * n, 1 if n > 2 else 0)


def _with_unique_id(igt: Sentence, number: int, seen: dict[str, int]) -> Sentence:
    """With an id that no other sentence of the file has; `seen` counts them."""
    name = "_".join(igt.sent_id.split()) or str(number)
    seen[name] = seen.get(name, 0) + 1
    while seen[name] > 1:
        again = f"{name}-{seen[name]}"
        if again not in seen:
            seen[again] = 1
            name = again
            break
        seen[name] += 1
    if name == igt.sent_id:
        return igt
    sentence = igt.rows
    if sentence is not None:
        return igt  # rows that were read stay as they are
    return replace(igt, sent_id=name, where=replace(igt.where, sent_id=name))


def _with_languages(instances: list[Sentence], lang: str, where: Where, faults: Faults) -> Iterator[Sentence]:
    """Translations of no stated language, with the one that their words are in."""
    rows = [_translations(igt) for igt in instances]
    correct_codes(rows, where, faults)
    slots = max((sum(not code for code, _ in row) for row in rows), default=0)
    for slot in range(slots):
        places = []
        for k, row in enumerate(rows):
            open_ones = [j for j, (code, _) in enumerate(row) if not code]
            if open_ones:  # each round names the first that is left
                places.append((k, open_ones[0]))
        guesses = language_id.of_each(rows[k][j][1] for k, j in places)
        for (k, j), language in zip(places, guesses, strict=True):
            rows[k][j] = (language.code or UNKNOWN_LANGUAGE, rows[k][j][1])
        del slot
    for igt, row in zip(instances, rows, strict=True):
        if igt.rows is not None or not row:
            yield igt
            continue
        more: list[tuple[str, str]] = []
        translation, translations = choose_translation(_distinct(row, more), lang)
        meta = (*igt.meta, *(("note", aside) for aside in _asides(igt)), *more)
        yield replace(igt, translation=translation, translations=translations, meta=meta)


def _translations(igt: Sentence) -> list[tuple[str, str]]:
    given = list(igt.translations)
    if igt.translation and igt.translation not in [text for _, text in given]:
        given.insert(0, ("", igt.translation))
    tidy = ((lang_code(code), _tidy(text)[0]) for code, text in given)
    return [(code, text) for code, text in tidy if text]


_DOUBLE = frozenset('“”«»„"')


def _asides(igt: Sentence) -> list[str]:
    """Remarks in brackets after the closing quote of a translation."""
    return [
        aside for text in dict.fromkeys((igt.translation, *(text for _, text in igt.translations))) if (aside := _tidy(text)[1])
    ]


def _tidy(text: str) -> tuple[str, str]:
    """A translation without tags, outer quotes and a quote that was never opened; and a remark in brackets after the quotes.

    >>> _tidy("‘That’s it.’ (laughs)"), _tidy("many springs’"), _tidy("‘Come!’ he said.")
    (('That’s it.', 'laughs'), ('many springs', ''), ('‘Come!’ he said.', ''))
    """
    bare = normalize_space(words.clean(text))
    inner, source = strip_quotes(bare)
    closed = bool(source) or bare[-1:] in tuple("'’”\"»›」´")
    if (
        inner != bare
        and inner
        and closed
        and not any(mark in inner for mark in (bare[0], *_DOUBLE) if mark in bare[0] + bare[-1])
    ):
        return inner, source
    if bare[-1:] in ("’", "”", "»") and not re.search("[‘“«„\"]|(?<!\\w)['’]", bare[:-1]):
        return bare[:-1].strip(), ""
    return bare, ""


def _distinct(row: list[tuple[str, str]], more: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """One translation for each language; a second one of a language is appended to `more`, as a remark."""
    by_language: dict[str, str] = {}
    for code, text in row:
        if code in by_language and (other := language_id.of_text(text).code) and other != code and other not in by_language:
            by_language[other] = text  # a second text under one code is often in another language
        elif code in by_language and text != by_language[code]:
            more.append((f"text_{code}_alt", text))
        else:
            by_language.setdefault(code, text)
    return list(by_language.items())


__all__ = ["FORMATS", "dump", "dumps", "guess", "load", "load_bytes", "loads", "rank_formats", "read"]


FORMATS = {
    "plain": "plain",
    "conllu": "rows",
    "xigt": "xigt",
    "odin": "odin",
    "toolbox": "toolbox",
    "flextext": "flextext",
    "elan": "elan",
    "cldf": "cldf",
    "sigmorphon": "markup.read_sigmorphon",
    "latex": "latex",
    "table": "sheets",
    "document": "documents",
    "textgrid": "timelines",
    "exmaralda": "timelines",
    "chat": "chat",
    "pangloss": "archives",
    "eopas": "archives",
    "toolbox-xml": "archives",
    "json": "archives",
    "scription": "markup",
    "wikitext": "markup",
    "pandoc": "markup",
    "typst": "markup",
}
"""Names of the formats and the modules whose `read` reads them; a module of several formats knows them apart by their content."""


def load(
    source: Source,
    format: str | None = None,  # noqa: A002
    faults: Faults | None = None,
    reader: ReaderOptions | None = None,
    digest: Digest | None = None,
    **options: Any,
) -> Iterator[Sentence]:
    """Instances of a file in any of the `FORMATS`, guessed from its content when none is named.

    What cannot be read exactly is reported to `faults` (None: raise). Options are given as `reader`, or as its fields one by
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
) -> list[Sentence]:
    """Instances of what a file holds."""
    settings = reader or ReaderOptions()
    stream = cast(BinaryIO, io.BytesIO(data))
    return list(_any(stream, path, format or settings.format or None, faults or Faults(), settings))


def loads(text: str, format: str | None = None, faults: Faults | None = None, **options: Any) -> list[Sentence]:  # noqa: A002
    """Instances of a text.

    >>> loads("(1) Der Hund bell-t.\\nDEF dog bark-3SG\\n'The dog barks.'")[0].glosses
    ('DEF', 'dog', 'bark-3SG', '')
    """
    stream = cast(BinaryIO, io.BytesIO(text.encode("utf-8", "surrogatepass")))
    return list(_any(stream, "", format, faults or Faults(), ReaderOptions.of(options)))


def _any(stream: BinaryIO, path: str, name: str | None, faults: Faults, options: ReaderOptions) -> Iterator[Sentence]:
    head = stream.read(HEAD)
    if not head.strip(b" \t\r\n\0\xef\xbb\xbf"):
        raise FormatError("nothing in the file", Where(path), "is it the right one?")
    format_name = name or _guess_format(head, path, faults, options)
    if format_name not in FORMATS:
        raise ProjError(f"unknown format {format_name!r}, one of {', '.join(FORMATS)} expected")
    count = 0
    faults.reading = Reading(format_name)
    module, _, function = FORMATS[format_name].partition(".")
    read_all = getattr(importlib.import_module(f"divproj.io.interlinear.{module}"), function or "read")
    for igt in normalize_instances(read_all(rewind(head, stream), path, faults, options), options, format_name, path, faults):
        count += 1
        faults.reading.sentences = count
        faults.reading.glossed += bool(igt.glosses)
        faults.reading.translated += bool(igt.translation)
        codes = [code for code, _ in igt.translations] or ["en"] * bool(igt.translation)
        faults.reading.languages.update(NAMES.get(code, code) for code in codes if code != UNKNOWN_LANGUAGE)
        yield igt
    if count and (warning := faults.reading.warning()):
        faults.file(FormatError(warning, Where(path)))
    if not count:
        raise FormatError(
            f"no sentence found (file read as {format_name})", Where(path), "use `format` if it is another format"
        )


def _guess_format(head: bytes, path: str, faults: Faults, options: ReaderOptions) -> str:
    """The format that fits best; a file that none fits is refused, and one that two fit is remarked on."""
    if path.removesuffix(".gz").endswith(".conllu"):
        return "conllu"
    named_table = path.endswith((".csv", ".tsv", ".csv.gz", ".tsv.gz"))
    if named_table and cldf.of_file(path).named:
        return "cldf"
    if named_table and options.tiers:
        return "table"
    try:
        scores = rank_formats(head)
    except FormatError as error:
        raise FormatError(error.message, Where(path), error.remedy) from None
    best, score = scores[0]
    if named_table and best == "plain":
        return "table"  # which says what it lacks
    if score < LEAST_SCORE and not options.as_written:
        problem = f"no format fits well (best: {best}, {score:.2f}); is this a dictionary, a table or running text?"
        raise FormatError(problem, Where(path), f"name the format if it is one of {', '.join(FORMATS)}")
    if len(scores) > 1 and score - scores[1][1] < CLOSE_SCORES:
        problem = f"read as {best} ({score:.2f}), but {scores[1][0]} ({scores[1][1]:.2f}) fits nearly as well"
        faults.file(FormatError(problem, Where(path), f"`format={scores[1][0]}` reads it so"))
    return best
