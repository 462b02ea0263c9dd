r"""Read and write interlinear text as CoNLL-U; and the comments `# key = value`, which plain text has too.

    # text_en = Dogs bark.
    1  canes  …  Gloss=dog-PL|MGloss=dog-PL|MSeg=can-es

Rows that were read are written byte for byte; only values that they lack are added. In MISC `\p` stands for `|`, and `\\` for a
backslash before `p` or another one; `=` and blanks need no escape there. A blank in XPOS is written `\s`.

Comments: `text_en`, `english`, `translation` and the like are translations (`languages.translation_key`); `words_en`,
`tags_en`, `heads_en`, `rels_en` and `align_en` (Pharaoh, F-E) describe the translation; `gloss`, `segments`, `tags`, `heads`
and `rels` hold what the lines below cannot. Values of a list are separated by blanks; in them `\s` is a blank, `\_` an
underscore, `\\` a backslash, and `_` an empty value. Any other key is kept as metadata.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, BinaryIO, TextIO

from divproj.core.errors import Faults, FormatError, Where
from divproj.core.links import Links
from divproj.core.sentence import Rows, Sentence, morphs
from divproj.core.tree import NO_HEAD, DepTree
from divproj.io.files import Source
from divproj.io.interlinear.languages import translation_key
from divproj.io.interlinear.parts import (
    Options,
    cell,
    choose_translation,
    from_file,
    from_text,
    instance,
    one_line,
    tag_columns,
    tokens,
    tree_of,
)
from divproj.io.trees import conllu, pharaoh

Pairs = list[tuple[str, str]]
_COMMENT = re.compile(r"#\s*([\w.:\[\]-]+(?: [\w.:\[\]-]+)?)\s*=(?:\s+(.*)|\s*)$", re.DOTALL)
_KEYS = {
    "sent_id", "text", "language", "lang", "judgement", "grammaticality", "lines", "gloss", "segments", "tags", "heads", "rels",
    "words_en", "tags_en", "heads_en", "rels_en", "align_en",
}  # fmt: skip
_ESCAPES = {"\\": "\\\\", " ": "\\s"}


def parse_comment(line: str) -> tuple[str, str] | None:
    """(key, value) of a comment line, None when it is none.

    >>> parse_comment("# text_en = It rains."), parse_comment("# the dog")
    (('text_en', 'It rains.'), None)
    """
    match = _COMMENT.match(line)
    return (match[1], (match[2] or "").strip()) if match else None


def format_list(values: Iterable[str]) -> str:
    """
    >>> format_list(["a b", "", "_"])
    'a\\\\sb _ \\\\_'
    """
    return " ".join(
        "_" if not value else "\\_" if value == "_" else "".join(_ESCAPES.get(c, c) for c in cell(value)) for value in values
    )


def parse_list(text: str) -> tuple[str, ...]:
    """Values of a list as `format_list` wrote it."""
    return tuple("" if item == "_" else _unescape_item(item) for item in tokens(text))


def _unescape_item(item: str) -> str:
    back = {"\\\\": "\\", "\\s": " ", "\\_": "_"}
    return re.sub(r"\\[\\s_]", lambda match: back[match[0]], item)


def of_instance(igt: Sentence, *, rows: bool) -> Pairs:
    """The comments that hold an instance; with `rows` CoNLL-U rows below hold the words and what lines up with them."""
    n = len(igt.words)
    pairs: Pairs = [("sent_id", igt.sent_id)] if igt.sent_id else []
    if rows or igt.text:
        pairs.append(("text", igt.text or " ".join(igt.words)))
    others = list(igt.translations)
    if rows and not others and igt.translation:
        others = [("en", igt.translation)]
    elif others and igt.translation not in {text for _, text in others}:
        others.insert(0, ("", igt.translation))
    pairs += [("translation" if not code else _text_key(code, text), text) for code, text in others]
    if igt.language:
        pairs.append(("language", igt.language))
    if igt.judgement and rows:
        pairs.append(("grammaticality", igt.judgement))
    if rows and igt.segments and len(igt.segments) != n:
        pairs.append(("segments", format_list(igt.segments)))
    if rows and igt.glosses and len(igt.glosses) != n:
        pairs.append(("gloss", format_list(igt.glosses)))
    if igt.tags and not (rows and len(igt.tags) == n):
        pairs.append(("tags", format_list(igt.tags)))
    if igt.tree and not rows:
        pairs += _tree_pairs(igt.tree, "")
    if igt.e_words:
        pairs.append(("words_en", format_list(igt.e_words)))
    if igt.e_tags:
        pairs.append(("tags_en", format_list(igt.e_tags)))
    if igt.e_tree:
        pairs += _tree_pairs(igt.e_tree, "_en")
    if igt.links is not None:
        shape = (max([n, *(i for i, _ in igt.links)]), max([len(igt.e_words), *(j for _, j in igt.links)]))
        pairs.append(("align_en", pharaoh.dumps(Links(igt.links, shape)) or "_"))
    pairs += [(meta_key(key), value) for key, value in igt.meta]
    return [(key, one_line(value)) for key, value in pairs]


def meta_key(key: str) -> str:
    """A key that a comment can have and that means nothing else.

    >>> meta_key("newdoc id"), meta_key("text"), meta_key("a=b")
    ('newdoc id', 'x_text', 'a_b')
    """
    key = re.sub(r"[^\w.:\[\] -]+", "_", one_line(key)) or "note"
    key = key.replace(" ", "_") if key.count(" ") > 1 else key
    return f"x_{key}" if key in _KEYS or translation_key(key, "any text") is not None else key


def _text_key(code: str, text: str) -> str:
    return f"text_{code}" if translation_key(f"text_{code}", text) == code else f"text[{code}]"


def _tree_pairs(tree: DepTree, suffix: str) -> Pairs:
    heads = ("_" if head == NO_HEAD else str(head) for head in tree.heads)
    pairs = [(f"heads{suffix}", " ".join(heads))]
    return (
        [*pairs, (f"rels{suffix}", format_list("" if rel == "_" else rel for rel in tree.deprels))] if tree.deprels else pairs
    )


def comment_fields(pairs: Iterable[tuple[str, str]], n: int, lang: str, where: Where, faults: Faults) -> dict[str, Any]:
    """Return the fields of a sentence with `n` words from its comments: `meta` has the keys that mean nothing more."""
    known: dict[str, str] = {}
    texts: Pairs = []
    meta: Pairs = []
    for key, value in pairs:
        if (code := translation_key(key, value)) is not None:
            texts.append((code, value))
        elif key in _KEYS and key not in known:
            known[key] = value
        else:
            meta.append((key, value))
    e_words = parse_list(known.get("words_en", ""))
    e_tags = parse_list(known.get("tags_en", ""))
    coded = {text for code, text in texts if code}
    distinct = dict.fromkeys((code, text) for code, text in texts if code or text not in coded)
    translation, translations = choose_translation(distinct, lang)
    fields: dict[str, Any] = {
        "sent_id": known.get("sent_id", ""),
        "text": known.get("text", ""),
        "language": known.get("language", "") or known.get("lang", ""),
        "judgement": known.get("grammaticality", "") or known.get("judgement", ""),
        "segments": parse_list(known.get("segments", "")),
        "glosses": parse_list(known.get("gloss", "")),
        "tags": parse_list(known.get("tags", "")),
        "translation": translation,
        "translations": translations,
        "e_words": e_words,
        "e_tags": e_tags,
        "meta": tuple(meta),
    }
    if "heads_en" in known:
        fields["e_tree"] = _tree(known, "_en", e_words, e_tags, where, faults)
    if "align_en" in known:
        line = "" if known["align_en"] == "_" else known["align_en"]
        fields["links"] = pharaoh.parse(line, (n, len(e_words)), where, faults).links
    return {**fields, "heads": known.get("heads", ""), "rels": known.get("rels", "")}


def _tree(
    known: dict[str, str], suffix: str, forms: tuple[str, ...], tags: tuple[str, ...], where: Where, faults: Faults
) -> DepTree | None:
    return tree_from(known["heads" + suffix], known.get("rels" + suffix, ""), forms, tags, where, faults)


def tree_from(
    heads: str, deprels: str, forms: tuple[str, ...], tags: tuple[str, ...], where: Where, faults: Faults
) -> DepTree | None:
    """A tree from its two comments; None, and a fault, when they do not fit the words."""
    numbers = [int(x) if x.isdecimal() and x.isascii() else NO_HEAD for x in tokens(heads)]
    if len(numbers) != len(forms) or any(h > len(forms) for h in numbers):
        faults.word(FormatError(f"heads of {len(numbers)} words for {len(forms)} words", where, "left out"))
        return None
    names = parse_list(deprels)
    return tree_of(forms, numbers, names if len(names) == len(forms) else ("",) * len(forms), tags)


GLOSS, MSEG, MGLOSS = "Gloss", "MSeg", "MGloss"
_EMPTY = ("1", *["_"] * 8, "Empty=Yes")
"""The row of an instance without words: CoNLL-U has no sentence without rows."""


def load(source: Source, faults: Faults | None = None, **options: Any) -> Iterator[Sentence]:
    return from_file(read, source, faults, options)


def loads(text: str, faults: Faults | None = None, **options: Any) -> list[Sentence]:
    """
    >>> loads("# text_en = Dogs\\n1\\tHunde\\t_\\t_\\t_\\t_\\t_\\t_\\t_\\tGloss=dog.PL\\n")[0].glosses
    ('dog.PL',)
    """
    return from_text(read, text, faults, options)


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Sentence]:
    for line, block, end in conllu.blocks(stream):
        try:
            sentence = conllu.parse(block, path, line, end)
        except FormatError as error:
            faults.sentence(error)
            mended = _repair(block, path, line, end)
            if mended is None:
                continue
            sentence = mended
        yield from_sentence(sentence, faults, options)


def _repair(block: bytes, path: str, line: int, end: str) -> Rows | None:
    """Return a repaired sentence for one that breaks the format: no cell is lost, IDs may be renumbered; None without rows."""
    try:
        text = block.decode("utf-8")
    except UnicodeDecodeError:
        text = block.decode("cp1252", "replace")
    rows = text.replace("\0", "").split("\n")
    comments = [row for row in rows if row.startswith("#")]
    cells = [row.split("\t") if "\t" in row else row.split() for row in rows if row and not row.startswith("#")]
    if not cells:
        return None
    fixed = [[cell or "_" for cell in (row + ["_"] * 10)[:10]] for row in cells]
    for row, given in zip(fixed, cells, strict=True):
        if len(given) > 10:
            row[9] = "|".join(cell or "_" for cell in given[9:])
    body = "\n".join("\t".join(row) for row in fixed)
    try:
        return conllu.parse("\n".join([*comments, body]).encode(), path, line, end)
    except FormatError:
        anew = "\n".join("\t".join([str(k), *row[1:]]) for k, row in enumerate(fixed, 1))
        return conllu.parse("\n".join([*comments, anew]).encode(), path, line, end)


def from_sentence(sentence: Rows, faults: Faults | None = None, options: Options | None = None) -> Sentence:
    """Return a sentence of CoNLL-U as an instance, which keeps its rows."""
    options = options or Options()
    words = sentence.forms
    empty = sentence.lines == (_EMPTY,)
    pairs = [parse_comment(line) or ("comment", line[1:].strip()) for line in sentence.comments]
    lenient = faults or Faults(strict=False)
    said = comment_fields(pairs, len(words), options.lang, sentence.where, lenient)
    said.pop("heads"), said.pop("rels")
    misc = [_values(text) for text in sentence.column(9)]
    glosses = tuple(values.get(MGLOSS) or values.get(GLOSS, "") for values in misc)
    segments = tuple(values.get(MSEG, "") for values in misc)
    if any(segments):
        segments = tuple(part or word for part, word in zip(segments, words, strict=True))
    glosses = _from_multiword(sentence, glosses, GLOSS)
    said["glosses"] = glosses if any(glosses) else said["glosses"]
    said["segments"] = segments if any(segments) else said["segments"]
    tags = next((sentence.column(k) for k in (3, 4) if any(tag != "_" for tag in sentence.column(k))), ())
    said["tags"] = tuple("" if tag == "_" else tag.replace("\\s", " ") for tag in tags) or said["tags"]
    tree = None
    if any(head != "_" for head in sentence.column(6)):
        tree, _ = sentence.usable_tree()
        tree = replace(
            tree, deprels=_column_or_empty(tree.deprels), upos=_column_or_empty(tree.upos), xpos=_column_or_empty(tree.xpos)
        )
    said["sent_id"] = sentence.sent_id
    return instance(() if empty else words, tree=tree, rows=sentence, where=sentence.where, **said)


def _column_or_empty(values: tuple[str, ...]) -> tuple[str, ...]:
    return values if any(value != "_" for value in values) else ()


def _from_multiword(sentence: Rows, glosses: tuple[str, ...], key: str) -> tuple[str, ...]:
    """Glosses that stand on a multiword token go to its words, a morpheme each where that fits."""
    if len(sentence.word_rows) == len(sentence.columns[0]):
        return glosses
    word_glosses = list(glosses)
    for row_id, text in zip(sentence.columns[0], sentence.columns[9], strict=True):
        low, dash, high = row_id.partition("-")
        gloss = _values(text).get(key, "") if dash else ""
        span = range(int(low) - 1, int(high)) if gloss else range(0)
        if gloss and not any(word_glosses[k] for k in span):
            parts = morphs(gloss)
            for k, part in zip(span, parts if len(parts) == len(span) else (gloss,), strict=False):
                word_glosses[k] = part
    return tuple(word_glosses)


def _values(text: str) -> dict[str, str]:
    by_key: dict[str, str] = {}
    for pair in text.split("|"):
        key, eq, value = pair.partition("=")
        if eq and key in (GLOSS, MSEG, MGLOSS):
            by_key.setdefault(key, "" if value == "_" else _unescape_misc(value))
    return by_key


def _escape_misc(value: str) -> str:
    r"""
    >>> _escape_misc("a|b"), _escape_misc("man\\PL"), _escape_misc("man\\pl")
    ('a\\pb', 'man\\PL', 'man\\\\pl')
    """
    return re.sub(r"\\(?=[p\\|])|\\$", r"\\\\", cell(value)).replace("|", "\\p")


def _unescape_misc(value: str) -> str:
    return re.sub(r"\\[p\\]", lambda match: "|" if match[0] == "\\p" else "\\", value)


def dump(instances: Iterable[Sentence], out: TextIO) -> None:
    """Write interlinear text as CoNLL-U."""
    conllu.dump(map(to_sentence, instances), out)


def dumps(instances: Iterable[Sentence]) -> str:
    """
    >>> print(dumps([Sentence(("Hunde",), (), ("dog.PL",), translation="Dogs")]).replace("\\t", " "), end="")
    # text = Hunde
    # text_en = Dogs
    1 Hunde _ _ _ _ _ _ _ Gloss=dog.PL
    """
    out = io.StringIO()
    dump(instances, out)
    return out.getvalue()


def to_sentence(igt: Sentence) -> Rows:
    """The CoNLL-U sentence of an instance; where it has one, that one with what it lacked."""
    if igt.rows is not None:
        return _add_missing(igt, igt.rows)
    comments = tuple(f"# {key} = {value}" for key, value in of_instance(igt, rows=True))
    rows = _rows(igt) if igt.words else [_EMPTY]
    return Rows(comments, tuple(zip(*rows, strict=True)), Where(sent_id=igt.sent_id))


def _rows(igt: Sentence) -> list[tuple[str, ...]]:
    n = len(igt.words)
    columns = tag_columns(igt.tags) if len(igt.tags) == n else {}
    tree = igt.tree if igt.tree and len(igt.tree) == n else None
    spaces = _no_space_after(igt.words, igt.text)
    rows: list[tuple[str, ...]] = []
    for k, word in enumerate(igt.words):
        upos, xpos = (_tag(_at(columns.get(name, ()) or (getattr(tree, name) if tree else ()), k)) for name in ("upos", "xpos"))
        head = "_" if tree is None or tree.heads[k] == NO_HEAD else str(tree.heads[k])
        rel = _tag(_at(tree.deprels, k)) if tree else "_"
        misc = _misc(igt, k)
        if spaces[k]:
            misc.append("SpaceAfter=No")
        rows.append((str(k + 1), cell(word) or "_", "_", upos, xpos, "_", head, rel, "_", "|".join(misc) or "_"))
    return rows


def _misc(igt: Sentence, k: int) -> list[str]:
    """Gloss, segmentation and glosses of the morphemes of a word, as MISC has them."""
    gloss = igt.glosses[k] if len(igt.glosses) == len(igt.words) else ""
    word = igt.words[k]
    part = igt.segments[k] if len(igt.segments) == len(igt.words) else word
    pairs = [(GLOSS, gloss)]
    if part != word or (len(morphs(part)) == len(morphs(gloss)) > 1 and len(igt.segments) in (0, len(igt.words))):
        pairs += [(MGLOSS, gloss), (MSEG, part)]
    return [f"{key}={_escape_misc(value)}" for key, value in pairs if value and value != "_"]


def _at(values: tuple[str, ...], k: int) -> str:
    return values[k] if k < len(values) else "_"


def _tag(value: str) -> str:
    return cell(value).replace(" ", "\\s") or "_"


def _no_space_after(words: tuple[str, ...], text: str) -> list[bool]:
    """For each word whether the next follows without a blank; all False when the text is not made of these words."""
    flags, at = [], 0
    for k, word in enumerate(words):
        if not text.startswith(word, at):
            return [False] * len(words)
        at += len(word)
        blank = text.startswith(" ", at)
        flags.append(not blank and k + 1 < len(words))
        at += blank
    return flags if at == len(text) else [False] * len(words)


def _add_missing(igt: Sentence, sentence: Rows) -> Rows:
    """The sentence with the values that it lacks: comments after its own, MISC values after those of each word."""
    base = from_sentence(sentence)
    lacking = replace(
        igt,
        sent_id="" if base.sent_id else igt.sent_id,
        translation="" if base.translation else igt.translation,
        translations=() if base.translation else igt.translations,
        language="" if base.language else igt.language,
        judgement="" if base.judgement else igt.judgement,
        e_words=() if base.e_words else igt.e_words,
        e_tags=() if base.e_tags else igt.e_tags,
        e_tree=None if base.e_tree else igt.e_tree,
        links=None if base.links is not None else igt.links,
        meta=tuple(pair for pair in igt.meta if pair not in set(base.meta)),
    )
    if len(igt.words) != len(base.words):
        lacking = replace(lacking, words=(), segments=(), glosses=(), tags=())
    held = {"text"} | {key for key, has in (("gloss", base.glosses), ("segments", base.segments), ("tags", base.tags)) if has}
    more = [f"# {key} = {value}" for key, value in of_instance(lacking, rows=True) if key not in held]
    return replace(sentence, comments=(*sentence.comments, *more), columns=_columns(lacking, base, sentence))


def _columns(igt: Sentence, base: Sentence, sentence: Rows) -> tuple[tuple[str, ...], ...]:
    """The columns with Gloss=, MSeg= and MGloss= where a word has none, and tags where there are none at all."""
    if not igt.words:
        return sentence.columns
    columns = [list(column) for column in sentence.columns]
    for k, row in enumerate(sentence.word_rows):
        has = {pair.partition("=")[0] for pair in columns[9][row].split("|")}
        same = set(_misc(base, k))
        fresh = [pair for pair in _misc(igt, k) if pair not in same and pair.partition("=")[0] not in has]
        if fresh:
            old = [] if columns[9][row] == "_" else [columns[9][row]]
            columns[9][row] = "|".join(old + fresh)
    if not base.tags and len(igt.tags) == len(sentence.word_rows):
        for name, values in tag_columns(igt.tags).items():
            for row, value in zip(sentence.word_rows, values, strict=True):
                columns[3 if name == "upos" else 4][row] = _tag(value)
    return tuple(map(tuple, columns))
