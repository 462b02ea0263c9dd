"""What `# key = value` lines say of an instance, in CoNLL-U and above plain text alike.

`text_en`, `english`, `translation` and their like are translations (`translation_language.translation_key`); `words_en`, `tags_en`, `heads_en`, `rels_en` and `align_en` (Pharaoh, F-E) the
translation side; `gloss`, `segments`, `tags`, `heads` and `rels` what the lines below cannot hold. Lists are separated by
blanks; in them `\\s` is a blank, `\\_` an underscore, `\\\\` a backslash, and `_` nothing. Any other key is kept as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from divproj.data.errors import Faults, FormatError, Where
from divproj.data.igt import Igt
from divproj.data.links import Links
from divproj.data.tree import NO_HEAD, DepTree
from divproj.io import pharaoh
from divproj.io.igt_parts import cell, one_line, preferred, tokens, tree_of
from divproj.io.translation_language import translation_key

Pairs = list[tuple[str, str]]
_COMMENT = re.compile(r"#\s*([\w.:\[\]-]+(?: [\w.:\[\]-]+)?)\s*=(?:\s+(.*)|\s*)$", re.DOTALL)
_KEYS = {
    "sent_id", "text", "language", "lang", "judgement", "grammaticality", "lines", "gloss", "segments", "tags", "heads", "rels",
    "words_en", "tags_en", "heads_en", "rels_en", "align_en",
}  # fmt: skip
_ESCAPES = {"\\": "\\\\", " ": "\\s"}


def parsed(line: str) -> tuple[str, str] | None:
    """(key, value) of a comment line, None when it is none.

    >>> parsed("# text_en = It rains."), parsed("# the dog")
    (('text_en', 'It rains.'), None)
    """
    found = _COMMENT.match(line)
    return (found[1], (found[2] or "").strip()) if found else None


def listed(values: Iterable[str]) -> str:
    """
    >>> listed(["a b", "", "_"])
    'a\\\\sb _ \\\\_'
    """
    return " ".join(
        "_" if not value else "\\_" if value == "_" else "".join(_ESCAPES.get(c, c) for c in cell(value)) for value in values
    )


def unlisted(text: str) -> tuple[str, ...]:
    """Values of a list as `listed` wrote it."""
    return tuple("" if item == "_" else _unescaped(item) for item in tokens(text))


def _unescaped(item: str) -> str:
    back = {"\\\\": "\\", "\\s": " ", "\\_": "_"}
    return re.sub(r"\\[\\s_]", lambda found: back[found[0]], item)


def of_instance(igt: Igt, *, rows: bool) -> Pairs:
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
        pairs.append(("segments", listed(igt.segments)))
    if rows and igt.glosses and len(igt.glosses) != n:
        pairs.append(("gloss", listed(igt.glosses)))
    if igt.tags and not (rows and len(igt.tags) == n):
        pairs.append(("tags", listed(igt.tags)))
    if igt.tree and not rows:
        pairs += _tree_pairs(igt.tree, "")
    if igt.e_words:
        pairs.append(("words_en", listed(igt.e_words)))
    if igt.e_tags:
        pairs.append(("tags_en", listed(igt.e_tags)))
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
    return [*pairs, (f"rels{suffix}", listed("" if rel == "_" else rel for rel in tree.rels))] if tree.rels else pairs


def read(pairs: Iterable[tuple[str, str]], n: int, lang: str, where: Where, faults: Faults) -> dict[str, Any]:
    """Fields of an Igt with `n` words from its comments: `meta` has the keys that mean nothing more."""
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
    e_words = unlisted(known.get("words_en", ""))
    e_tags = unlisted(known.get("tags_en", ""))
    coded = {text for code, text in texts if code}
    distinct = dict.fromkeys((code, text) for code, text in texts if code or text not in coded)
    translation, translations = preferred(distinct, lang)
    fields: dict[str, Any] = {
        "sent_id": known.get("sent_id", ""),
        "text": known.get("text", ""),
        "language": known.get("language", "") or known.get("lang", ""),
        "judgement": known.get("grammaticality", "") or known.get("judgement", ""),
        "segments": unlisted(known.get("segments", "")),
        "glosses": unlisted(known.get("gloss", "")),
        "tags": unlisted(known.get("tags", "")),
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
    heads: str, rels: str, forms: tuple[str, ...], tags: tuple[str, ...], where: Where, faults: Faults
) -> DepTree | None:
    """A tree from its two comments; None, and a fault, when they do not fit the words."""
    numbers = [int(x) if x.isdecimal() and x.isascii() else NO_HEAD for x in tokens(heads)]
    if len(numbers) != len(forms) or any(h > len(forms) for h in numbers):
        faults.word(FormatError(f"heads of {len(numbers)} words for {len(forms)} words", where, "left out"))
        return None
    names = unlisted(rels)
    return tree_of(forms, numbers, names if len(names) == len(forms) else ("",) * len(forms), tags)
