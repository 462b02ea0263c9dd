"""Read and write FLEx interlinear texts (.flextext): texts of paragraphs of phrases of words of morphemes, each with typed items.

Older exports call a phrase `word`. Punctuation is a word of its own, glossed by itself.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, BinaryIO, TextIO

from divproj.core.errors import Faults, Reading, Where
from divproj.core.sentence import Sentence
from divproj.io.files import Source
from divproj.io.interlinear.languages import lang_code
from divproj.io.interlinear.parts import (
    EDGES,
    Options,
    choose_translation,
    from_file,
    from_text,
    glue,
    instance,
    join_morphemes,
    normalize_space,
)
from divproj.io.interlinear.words import aligned, pieces_of, translations_by_code, tree_lines
from divproj.io.interlinear.xml import XmlNode, escape_xml, units

TAGS = frozenset({"document", "interlinear-text", "paragraphs", "paragraph", "phrases", "phrase", "words", "word", "morphemes",
                  "morph", "item", "languages", "language", "media-files", "media"})  # fmt: skip
_OPENING = "([{¿¡«‹“‘„‚「"


def load(source: Source, faults: Faults | None = None, **options: Any) -> Iterator[Sentence]:
    return from_file(read, source, faults, options)


def loads(text: str, faults: Faults | None = None, **options: Any) -> list[Sentence]:
    return from_text(read, text, faults, options)


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Sentence]:
    for _, igt in _find_phrases(stream, path, faults, options):
        yield igt


def places(stream: BinaryIO, path: str, faults: Faults, options: Options) -> list[int]:
    """Which phrase of the file each sentence is, in the order of `read`."""
    return [place for place, _ in _find_phrases(stream, path, faults, options)]


def _find_phrases(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[tuple[int, Sentence]]:
    """Phrases that have words or a translation, and which of all they are."""
    last, number = XmlNode(""), 0
    for place, (phrase, above) in enumerate(units(stream, path, faults, options, lambda _, parent: parent == "phrases", TAGS)):
        text = next((node for node in above if node.tag == "interlinear-text"), last)
        number = number + 1 if text is last else 1
        last = text
        igt = _instance(phrase, text, number, path, options)
        if igt.words or igt.translation:
            _describe(faults.reading, phrase, options.lang)
            yield place, igt
        elif igt.glosses or igt.meta:
            faults.reading.omit("phrases without words", sentences=False)


def _describe(reading: Reading, phrase: XmlNode, lang: str) -> None:
    """Say which items, in which writing systems, were read as what."""
    for node in (node for node in phrase.walk() if node.tag in ("word", "morph") or node is phrase):
        roles = (
            {"gls": "translation"}
            if node is phrase
            else {"txt": "words" if node.tag == "word" else "morphemes", "gls": "glosses"}
        )
        for kind, role in roles.items():
            codes = [code for code, _ in _items(node, kind)]
            first = next((code for code in codes if lang_code(code) == lang_code(lang)), codes[0] if codes else "")
            for code in codes:
                name = f"{kind} ({code})" if code else kind
                read_names = reading.parts.setdefault(role, [])
                names = read_names if code == first or role == "translation" else reading.kept
                if name not in (*names, *read_names):
                    names.append(name)


def _items(node: XmlNode, kind: str) -> list[tuple[str, str]]:
    """(language, text) of the items of a type."""
    return [
        (item.get("lang"), normalize_space(item.text))
        for item in node.all("item")
        if item.get("type") == kind and item.text.strip()
    ]


def _best(node: XmlNode, kind: str, lang: str) -> str:
    """The item of a type in the preferred language, or the first there is."""
    items = _items(node, kind)
    return next((text for code, text in items if lang_code(code) == lang_code(lang)), items[0][1] if items else "")


def _instance(phrase: XmlNode, text: XmlNode, number: int, path: str, options: Options) -> Sentence:
    title = _best(text, "title", options.lang) or _best(text, "title-abbreviation", options.lang)
    segment = _best(phrase, "segnum", options.lang) or str(number)
    sent_id = ".".join(filter(None, (title.replace(" ", "_"), segment)))
    words, segments, glosses, tags, word_glosses = [], [], [], [], []
    punct = []
    language = ""
    for node in (word for words in phrase.all("words") for word in words.all("word")):
        mark = _items(node, "punct")
        form = _items(node, "txt") or mark
        pieces, meanings, kinds = _morphs(node, options.lang)
        if not form and not pieces:
            continue
        punct.append(bool(mark) and not _items(node, "txt"))
        language = language or (form[0][0] if form else "")
        spelled = form[0][1] if form else "".join(piece.strip(EDGES) for piece in pieces)
        words.append(spelled)
        segments.append(join_morphemes(pieces) or spelled)
        word_gloss = _best(node, "gls", options.lang)
        below = join_morphemes(meanings, glue(pieces)[1])
        glosses.append(spelled if punct[-1] else below or word_gloss)
        word_glosses.append(word_gloss if word_gloss != (below or word_gloss) else "")
        tags.append(_best(node, "pos", options.lang) or join_morphemes(kinds, glue(pieces)[1]))
    if all(mark or not gloss for mark, gloss in zip(punct, glosses, strict=True)):
        glosses = []
    free = [("" if code and code == language else code, said) for code, said in _items(phrase, "gls")]  # not in the text's own
    translation, translations = choose_translation(free, options.lang, stated=True)
    meta = [(key, value) for key, value in phrase.attrs.items() if key != "guid"]
    meta += [(kind, said) for kind in ("lit", "note", "hd", "rl") for _, said in _items(phrase, kind)]
    of_text = [(f"text-{item.get('type')}", normalize_space(item.text)) for item in text.all("item") if item.text.strip()]
    meta += dict.fromkeys(of_text)  # the same in every writing system, mostly
    if any(word_glosses):
        meta.append(("word_glosses", " ".join(gloss.replace(" ", ".") or "_" for gloss in word_glosses)))
    meta += _other_glosses(phrase, options.lang)
    meta += _other_forms(phrase)
    written = _items(phrase, "txt")
    return instance(
        words or (written[0][1].split() if written else ()),
        segments,
        glosses,
        tags,
        text=written[0][1] if written else _join_words(words, punct),
        translation=translation,
        translations=translations,
        sent_id=sent_id,
        language=language or (written[0][0] if written else ""),
        meta=meta,
        where=Where(path, phrase.line, sent_id),
    )


def _morphs(word: XmlNode, lang: str) -> tuple[list[str], list[str], list[str]]:
    """Morphemes of a word, their glosses, and their categories."""
    pieces, meanings, kinds = [], [], []
    for morph in (node for group in word.all("morphemes") for node in group.all("morph")):
        forms = _items(morph, "txt") or _items(morph, "cf")
        if forms:
            pieces.append(forms[0][1])
            gloss = _best(morph, "gls", lang)
            meanings.append(_best(morph, "glsPrepend", lang) + gloss + _best(morph, "glsAppend", lang))
            kinds.append(_best(morph, "msa", lang))
    return pieces, meanings, kinds


def _other_glosses(phrase: XmlNode, lang: str) -> list[tuple[str, str]]:
    """Glosses in languages that were not chosen, a line each."""
    by_language: dict[str, list[str]] = {}
    for node in phrase.walk():
        items = _items(node, "gls") if node.tag in ("word", "morph") and node is not phrase else []
        chosen = next((code for code, _ in items if lang_code(code) == lang_code(lang)), items[0][0] if items else "")
        for code, text in items:
            if code != chosen:
                by_language.setdefault(code, []).append(text)
    return [(f"gloss_{code}", " ".join(texts)) for code, texts in by_language.items()]


def _other_forms(phrase: XmlNode) -> list[tuple[str, str]]:
    """The words in writing systems other than the first, a line each."""
    by_language: dict[str, list[str]] = {}
    for node in (word for words in phrase.all("words") for word in words.all("word")):
        for code, text in _items(node, "txt")[1:]:
            by_language.setdefault(code, []).append(text)
    return [(f"form_{code}", " ".join(texts)) for code, texts in by_language.items()]


def _join_words(words: list[str], punct: list[bool]) -> str:
    """The sentence with punctuation where it belongs.

    >>> _join_words(["Oh", ",", "(", "well", ")"], [False, True, True, False, True])
    'Oh, (well)'
    """
    text = ""
    for k, word in enumerate(words):
        opens = k and punct[k - 1] and words[k - 1][-1:] in _OPENING
        closes = punct[k] and word[:1] not in _OPENING
        text += word if not k or opens or closes else f" {word}"
    return text


def dump(instances: Iterable[Sentence], out: TextIO, language: str = "") -> None:
    """Write a new file, which FLEx imports (*File, Import, FLExText Interlinear*); trees are the items `hd` and `rl`.

    `language` is the code of the text's writing system where the sentences do not say it.
    """
    code = "und"
    out.write('<?xml version="1.0" encoding="utf-8"?>\n<document version="2">\n')
    codes: dict[str, None] = {}
    for title, some in groupby(instances, key=lambda igt: dict(igt.meta).get("text-title", "")):
        out.write("  <interlinear-text>\n")
        if title:
            out.write(f"    {_item('title', 'en', title)}\n")
        out.write("    <paragraphs><paragraph><phrases>\n")
        for number, igt in enumerate(some, 1):
            code = igt.language if len(igt.language) in (2, 3) else language or code
            codes |= dict.fromkeys((code, *(c for c, _ in translations_by_code(igt))))
            out.write(_phrase(aligned(igt), code, igt.sent_id.removeprefix(f"{title.replace(' ', '_')}.") or str(number)))
        out.write("    </phrases></paragraph></paragraphs>\n  </interlinear-text>\n")
    vernacular = ' vernacular="true"'
    listed = "".join(f'<language lang="{escape_xml(c, quote=True)}"{vernacular * (c == code)}/>' for c in codes)
    out.write(f"  <languages>{listed}</languages>\n</document>\n")


def dumps(instances: Iterable[Sentence]) -> str:
    """
    >>> text = dumps([Sentence(("Hunde",), ("Hund-e",), ("dog-PL",), translation="Dogs", language="de")])
    >>> [(igt.segments, igt.glosses, igt.translation) for igt in loads(text)]
    [(('Hund-e',), ('dog-PL',), 'Dogs')]
    """
    out = io.StringIO()
    dump(instances, out)
    return out.getvalue()


def _item(kind: str, code: str, text: str) -> str:
    return f'<item type="{kind}" lang="{escape_xml(code, quote=True)}">{escape_xml(text)}</item>'


def _phrase(igt: Sentence, code: str, number: str) -> str:
    """A phrase: its words with morphemes, glosses and tags, its translations, and its tree."""
    gloss_code = next((c for c, _ in translations_by_code(igt)), "en")
    text = igt.text or " ".join(igt.words)
    rows = [f"    <phrase>{_item('segnum', 'en', number)}{_item('txt', code, text)}\n      <words>\n"]
    for word, segment, gloss, tag in zip(igt.words, igt.segments, igt.glosses, igt.tags, strict=True):
        if not any(map(str.isalnum, word)) and gloss in ("", word):
            rows.append(f"        <word>{_item('punct', code, word)}</word>\n")
            continue
        morphemes = "".join(_morph(piece, text, code, gloss_code) for piece, text in pieces_of(segment, gloss))
        if segment == word and len(pieces_of(segment, gloss)) == 1:
            inside = _item("gls", gloss_code, gloss) if gloss else ""
        else:
            inside = f"<morphemes>{morphemes}</morphemes>"
        tagged = _item("pos", "en", tag) if tag else ""
        rows.append(f"        <word>{_item('txt', code, word)}{inside}{tagged}</word>\n")
    free = "".join(_item("gls", c, said) for c, said in translations_by_code(igt))
    tree = tree_lines(igt)
    trees = _item("hd", "en", tree[0]) + _item("rl", "en", tree[1]) if tree else ""
    more = "".join(_item(key, "en", value) for key, value in igt.meta if key in ("lit", "note"))
    rows.append(f"      </words>\n      {free}{more}{trees}\n    </phrase>\n")
    return "".join(rows)


def _morph(piece: str, gloss: str, code: str, gloss_code: str) -> str:
    before, after = piece[:1] if piece[:1] in EDGES else "", piece[-1:] if piece[-1:] in EDGES else ""
    names = {("=", ""): "enclitic", ("", "="): "proclitic", ("-", ""): "suffix", ("", "-"): "prefix", ("", ""): "stem"}
    kind = names.get((before, after), "suffix" if before else "prefix")
    said = _item("gls", gloss_code, gloss) if gloss else ""
    return f'<morph type="{kind}">{_item("txt", code, piece)}{said}</morph>'
