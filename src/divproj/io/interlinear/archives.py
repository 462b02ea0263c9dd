r"""Read texts of archives and other programs whose files say what everything is.

| format | sentence | word | morpheme | gloss | translation |
|---|---|---|---|---|---|
| Pangloss, `<TEXT>` | `S` | `W` | `M` | `TRANSL` in `W`, `M` | `TRANSL` in `S` |
| EOPAS, `<eopas>` | `phrase` | `word` | `morpheme` | `text kind="gloss"` | `translation` |
| Toolbox XML, `<database>` | the group with words | `txGroup` | `mb`, `mr` | `ge`, `mg` | `ft`, `fg` |
| DLx, JSON | `utterances` | `words` | `morphemes` | `gloss` | `translation` |
| LingView, JSON | `sentences` | a tier with several values in a sentence | | | |
| FieldDB, JSON | a datum | fields `utterance`, `morphemes`, `gloss`, `translation` | | | |

JSON is read one sentence at a time, whatever the length of the file.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple

from divproj.core.errors import Faults, FormatError, Reading, Where, why
from divproj.core.sentence import Sentence
from divproj.io.files import Source
from divproj.io.interlinear import elan
from divproj.io.interlinear.languages import lang_code
from divproj.io.interlinear.parts import (
    Options,
    choose_translation,
    from_file,
    lines,
    normalize_space,
    one_line,
    strip_quotes,
    tokens,
)
from divproj.io.interlinear.sheets import Word, aligned, role_of, sentence_of
from divproj.io.interlinear.toolbox import MARKERS
from divproj.io.interlinear.xml import XmlNode, units

MOST_CHARACTERS = 32 << 20
"""Characters of one sentence in JSON; more, and its end is never found."""
PIECE = 1 << 16
"""Characters of JSON that are read at a time."""


def load(source: Source, faults: Faults | None = None, **options: Any) -> Iterator[Sentence]:
    return from_file(read, source, faults, options)


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Sentence]:
    head = stream.peek(4096)[:4096]  # type: ignore[attr-defined]
    text = head.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    if not text.startswith(b"<"):
        return _json(stream, path, faults, options)
    return _xml(stream, path, faults, options)


class ArchivedPhrase(NamedTuple):
    """What a sentence of any of these formats has."""

    words: list[Word]
    text: str = ""
    free: list[tuple[str, str]] = []
    sent_id: str = ""
    meta: list[tuple[str, str]] = []


def _made(phrase: ArchivedPhrase, where: Where, options: Options, language: str = "") -> Sentence | None:
    """The sentence of a phrase; None when it has no words."""
    text = normalize_space(one_line(phrase.text))
    words = phrase.words or [Word(form) for form in tokens(text)]
    if not any(char.isalnum() for word in words for char in word.form + word.segment):
        return None
    free = [(code, normalize_space(one_line(value))) for code, value in phrase.free if value.strip()]
    translation, translations = choose_translation(free, options.lang, stated=True)
    sent_id = normalize_space(phrase.sent_id)
    return sentence_of(
        words, text=text if phrase.words else "", translation=translation, translations=translations, sent_id=sent_id,
        language=language, meta=[(key, normalize_space(one_line(value))) for key, value in phrase.meta], where=Where(where.path, where.line, sent_id),
    )  # fmt: skip


# XML.


_TAGS = frozenset(["TEXT", "ARCHIVE", "HEADER", "TITLE", "S", "W", "M", "FORM", "TRANSL", "NOTE", "AUDIO", "eopas", "interlinear", "phrase", "transcription", "translation", "wordlist", "word", "text", "morphemelist", "morpheme", "graid", "FOREIGN"])  # fmt: skip
_ROLES_OF = {marker: role for role, names in MARKERS.items() for marker in names}
_CODE_OF = {"gn": "", "fn": "", "fg": "en", "fe": "en", "ge": "en", "mg": "en"}


def _xml(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Sentence]:
    left = faults.reading
    root = ""
    language = ""
    for node, above in units(stream, path, faults, options, _is_unit, _TAGS):
        root = root or (above[0].tag if above else node.tag)
        where = Where(path, node.line)
        if node.tag == "S":
            language = next((x.get("lang") for x in reversed(above) if x.tag == "TEXT"), "")
            phrase = _pangloss(node)
        elif node.tag == "phrase":
            phrase = _eopas(node)
        elif node.tag in ("TEXT", "ARCHIVE", "eopas"):
            for child in node.children:
                if child.tag == "TRANSL":
                    left.omit("translations of the whole text", sentences=False)
                elif child.tag == "W":
                    left.omit("words outside of sentences", sentences=False)
            continue
        else:
            phrase_ = _toolbox(node, left)
            if phrase_ is None:
                continue
            phrase = phrase_
        igt = _made(phrase, where, options, language)
        if igt is None:
            left.omit("sentences without words", sentences=False)
        else:
            yield igt


def _is_unit(tag: str, above: str) -> bool:
    return tag in ("S", "phrase", "TEXT", "eopas") or (tag.endswith("Group") and tag[:-5] in _RECORDS)


_RECORDS = frozenset((*MARKERS["record"], "id", "ref"))


def _pangloss(node: XmlNode) -> ArchivedPhrase:
    """A sentence of Pangloss: the forms of words or, where these are not divided, of the sentence."""
    words = []
    for word in node.all("W"):
        morphs = word.all("M")
        words.append(
            Word(
                _form(word),
                [_form(m) for m in morphs],
                [_of_language(m.all("TRANSL"), "en") for m in morphs],
                _of_language(word.all("TRANSL"), "en"),
                next((m.get(key) for m in (word, *morphs[:1]) for key in ("sclass", "class") if m.get(key)), ""),
            )
        )
    free = [(x.get("lang"), x.full_text()) for x in node.all("TRANSL")]
    audio = next(iter(node.all("AUDIO")), None)
    meta = [] if audio is None else [("begin", _ms(audio.get("start"))), ("end", _ms(audio.get("end")))]
    meta.insert(0, ("speaker", node.get("who")))
    meta += [("note", note.get("message") or note.full_text()) for note in node.all("NOTE")]
    forms = node.all("FORM")
    meta += [(f"form_{x.get('kindOf') or k}", x.full_text()) for k, x in enumerate(forms) if x is not _best_form(forms)]
    return ArchivedPhrase(words, _form(node), free, node.get("id"), meta)


def _best_form(forms: Sequence[XmlNode]) -> XmlNode | None:
    return next(
        (x for kind in ("ortho", "phono", "transliter") for x in forms if x.get("kindOf").startswith(kind)),
        forms[0] if forms else None,
    )


def _form(node: XmlNode) -> str:
    best = _best_form(node.all("FORM"))
    return normalize_space(one_line(best.full_text())) if best else ""


def _of_language(nodes: Sequence[XmlNode], lang: str) -> str:
    """The gloss in a language, or else the first."""
    best = next((x for x in nodes if lang_code(x.get("lang")) == lang), nodes[0] if nodes else None)
    return normalize_space(one_line(best.full_text())) if best else ""


def _ms(seconds: str) -> str:
    """Milliseconds of a time in seconds; '' where there is none."""
    return str(round(float(seconds) * 1000)) if re.fullmatch(r"\d{1,9}(\.\d+)?", seconds) else ""


def _eopas(node: XmlNode) -> ArchivedPhrase:
    words = []
    for word in (w for part in node.all("wordlist") for w in part.all("word")):
        morphs = [m for part in word.all("morphemelist") for m in part.all("morpheme")]
        form = next(
            (x.full_text() for x in word.all("text") if x.get("kind") in ("", "word", "transcription", "utterance", "base")), ""
        )
        words.append(Word(form.strip(), [_kind(m, "morpheme", 0) for m in morphs], [_kind(m, "gloss", 1) for m in morphs], _kind(word, "gloss", 9), _kind(word, "pos", 9)))  # fmt: skip
    text = " ".join(x.full_text() for x in node.all("transcription"))
    free = [(x.get("lang"), x.full_text()) for x in node.all("translation")]
    meta = [("speaker", node.get("participant")), ("begin", _ms(node.get("startTime"))), ("end", _ms(node.get("endTime")))]
    bare = re.fullmatch(r"\s*\[[^\[\]]*\]\s*", text)
    return ArchivedPhrase([] if bare else words, "" if bare and not words else text, free, node.get("id"), meta)


def _kind(node: XmlNode, kind: str, place: int) -> str:
    """The text of a kind in a word or morpheme; that at a place where none says its kind."""
    parts = node.all("text")
    found = next((x for x in parts if x.get("kind") == kind), None)
    if found is None and place < len(parts) and not any(x.get("kind") for x in parts):
        found = parts[place]
    return normalize_space(one_line(found.full_text())) if found else ""


def _toolbox(node: XmlNode, left: Reading) -> ArchivedPhrase | None:
    """A record of Toolbox's XML: groups of a word and what stands below it; None for a group that holds records."""
    groups = [
        x for x in node.walk() if x.tag.endswith("Group") and _role_of(x.tag[:-5]) in ("words", "morphs") and x is not node
    ]
    plain = {_role_of(x.tag): x for x in node.children if not x.tag.endswith("Group") and _role_of(x.tag)}
    free, meta = [], []
    for child in node.children:
        role = _role_of(child.tag)
        if role == "translation":
            free.append((_language_of(child.tag), child.full_text()))
        elif (
            not child.tag.endswith("Group")
            and role not in ("words", "morphs", "glosses", "pos", "record")
            and child.tag not in _RECORDS
        ):
            meta.append((child.tag, child.full_text()))
    name = next((x.full_text() for x in node.children if x.tag == node.tag[:-5]), "")
    if not groups and not {"words", "morphs"} & set(plain):
        if free:
            left.omit("records without text")
        return None
    if not groups:
        lines_: dict[str, str] = {
            role: normalize_space(plain[role].full_text()) for role in ("words", "morphs", "glosses", "pos") if role in plain
        }
        igt = aligned(lines_, {})
        words = [
            Word(
                form,
                [igt.segments[k]] if igt.segments else [],
                [],
                igt.glosses[k] if len(igt.glosses) == len(igt.words) else "",
            )
            for k, form in enumerate(igt.words)
        ]
        return ArchivedPhrase(words, "", free, name, meta)
    inner = {id(x) for group in groups for x in group.walk() if x is not group}
    words = [_group(group) for group in groups if id(group) not in inner]
    return ArchivedPhrase(words, "", free, name, meta)


def _group(node: XmlNode) -> Word:
    """A word: its form, and morphemes each followed by what is said of it."""
    word = Word("")
    for part in node.walk():
        role = _role_of(part.tag)
        value = normalize_space(one_line(part.text))
        if part.tag.endswith("Group") or not value:
            continue
        if role == "words" and not word.form:
            word.form = value
        elif role == "morphs":
            word.morphs.append(value)
            word.morph_glosses.append("")
        elif role == "glosses":
            if word.morphs and not word.morph_glosses[-1]:
                word.morph_glosses[-1] = value
            elif not word.morphs:
                word.gloss = word.gloss or value
        elif role == "pos":
            word.tag = word.tag or value
    return word


def _role_of(tag: str) -> str:
    return _ROLES_OF.get(tag, _ROLES_OF.get(tag.partition("_")[0], ""))


def _language_of(tag: str) -> str:
    base, mark, code = tag.partition("_")
    return lang_code(code) if mark else _CODE_OF.get(base, "")


# JSON.


_ARRAY = re.compile(r'"(utterances|sentences|phrases|rows|docs|datums|datumArray|data)"\s*:\s*\[')


def _json(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Sentence]:
    left = faults.reading
    tiers: dict[str, str] | None = None
    items = _items(lines(stream, path, faults, options.encoding), path, faults)
    held: list[tuple[int, Any]] = []
    about: dict[str, Any] = {}
    for line, item in items:
        if isinstance(item, _Around):
            about = item.values
            continue
        if isinstance(item, dict) and ("dependents" in item or "num_slots" in item):
            if tiers is None:
                held.append((line, item))
                if len(held) < 300:
                    continue
                tiers = _lingview_roles([x for _, x in held], about, options)
                for begin, one in held:
                    yield from _one(_lingview(one, tiers), Where(path, begin), options, left)
                held = []
                continue
            yield from _one(_lingview(item, tiers), Where(path, line), options, left)
            continue
        phrase = _dlx(item, options) if _is_dlx(item) else _fielddb(item)
        if phrase is None:
            left.omit("entries without sentences", sentences=False)
        else:
            yield from _one(phrase, Where(path, line), options, left)
    if held:
        tiers = _lingview_roles([x for _, x in held], about, options)
        for begin, one in held:
            yield from _one(_lingview(one, tiers), Where(path, begin), options, left)


def _one(phrase: ArchivedPhrase | Sentence, where: Where, options: Options, left: Reading) -> Iterator[Sentence]:
    if isinstance(phrase, Sentence):
        yield phrase
        return
    igt = _made(phrase, where, options)
    if igt is None:
        left.omit("sentences without words", sentences=False)
    else:
        yield igt


class _Around(NamedTuple):
    """What a file says before its sentences."""

    values: dict[str, Any]


def _items(numbered: Iterator[tuple[int, str]], path: str, faults: Faults) -> Iterator[tuple[int, Any]]:
    """(line, value) of the sentences: the items of the array that has them, or of the file where it is one array, or lines of JSON."""
    decoder = json.JSONDecoder()
    buffer, line, at = "", 1, 0
    done = False

    def more(least: int = PIECE) -> bool:
        nonlocal buffer, done, at, line
        line += buffer.count("\n", 0, at)
        pieces = [buffer[at:]]
        at, size = 0, 0
        for _, text in numbered:
            pieces.append(text + "\n")
            size += len(text) + 1
            if size >= least:
                break
        else:
            done = True
        buffer = "".join(pieces)
        return size > 0

    def value() -> Any:
        """The value at this place, with as much text as it needs."""
        nonlocal at
        wanted = PIECE
        while True:
            try:
                item, end = decoder.raw_decode(buffer, at)
            except RecursionError as error:
                raise FormatError(f"JSON {why(error)}", Where(path, line)) from None
            except ValueError as error:
                if done or len(buffer) - at > MOST_CHARACTERS:
                    raise FormatError(
                        f"not JSON: {why(error)}",
                        Where(path, line + buffer.count("\n", 0, at)),
                        "the file breaks off or is damaged",
                    ) from None
                wanted = max(PIECE, len(buffer) - at)
                more(wanted)
                continue
            if end < len(buffer) or done or isinstance(item, (dict, list, str)):
                at = end
                return item
            more(PIECE)

    def skip(characters: str) -> str:
        """The next character that is none of these."""
        nonlocal at
        while True:
            while at < len(buffer) and buffer[at] in characters:
                at += 1
            if at < len(buffer):
                return buffer[at]
            if done or not more():
                return ""

    more()
    skip(" \t\r\n\ufeff")
    if buffer[at : at + 1] == "{":
        match = _ARRAY.search(buffer, at)
        while match is None and not done and len(buffer) < 8 * PIECE:
            more(len(buffer))
            match = _ARRAY.search(buffer, at)
        if match is not None and _is_outer(buffer, at, match.start()):
            yield line, _Around(_before(buffer[at : match.start()]))
            at = match.end()
        else:
            while skip(" \t\r\n,"):
                begin = line + buffer.count("\n", 0, at)
                yield from ((begin, x) for x in _inner(value()))
            return
    elif buffer[at : at + 1] == "[":
        at += 1
    count = 0
    while (char := skip(" \t\r\n,")) and char != "]":
        begin = line + buffer.count("\n", 0, at)
        try:
            item = value()
        except FormatError as error:
            if not count:
                raise
            faults.sentence(error)
            return
        count += 1
        yield from ((begin, x) for x in _inner(item))


def _is_outer(text: str, begin: int, end: int) -> bool:
    """Whether a place is in the outermost object, not in one within it."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", text[begin:end])
    return bare.count("{") - bare.count("}") == 1 and bare.count("[") == bare.count("]")


def _before(text: str) -> dict[str, Any]:
    """What an object says before its sentences."""
    try:
        value = json.loads(text.rstrip().rstrip(",") + "}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _inner(item: Any) -> Iterator[Any]:
    """Sentences of a text within an array of texts; a row of CouchDB gives its document."""
    if not isinstance(item, dict):
        yield item
        return
    for key in ("utterances", "sentences", "phrases"):
        if isinstance(item.get(key), list):
            yield _Around({k: v for k, v in item.items() if k != key})
            yield from item[key]
            return
    for key in ("doc", "value"):
        if isinstance(item.get(key), dict):
            yield item[key]
            return
    yield item


def _is_dlx(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    record = any(isinstance(value, str) and role_of(str(key)) == "glosses" for key, value in item.items())
    words = item.get("words")
    listed = isinstance(words, list) and all(isinstance(word, str) for word in words)
    has_words = words is not None and not listed
    return has_words or "transcript" in item or (isinstance(item.get("transcription"), (dict, str)) and not record)


def _texts(value: Any) -> list[tuple[str, str]]:
    """(code, text) of a text in several languages or orthographies: `{"eng": "…"}`, `[{"language": …, "text": …}]` or one string."""
    if isinstance(value, str):
        return [("", value)]
    if isinstance(value, dict):
        return [("" if code == "default" else str(code), text) for code, text in value.items() if isinstance(text, str)]
    if isinstance(value, list):
        return [pair for part in value[:100] for pair in _texts(part.get("text", part) if isinstance(part, dict) else part)]
    return []


def _text_of(value: Any, lang: str = "") -> str:
    given = _texts(value)
    return next((text for code, text in given if lang and lang_code(code) == lang), given[0][1] if given else "")


def _dlx(item: Any, options: Options) -> ArchivedPhrase | None:
    """An utterance of the data format of Digital Linguistics."""
    words = []
    lang = lang_code(options.lang)
    for word in item.get("words") or () if isinstance(item.get("words"), list) else ():
        if not isinstance(word, dict):
            continue
        morphs = (
            [m for m in word.get("morphemes") or () if isinstance(m, dict)] if isinstance(word.get("morphemes"), list) else []
        )
        form = _text_of(word.get("transcription") or word.get("token") or word.get("transcript"))
        analysis = _text_of(word.get("analysis"))
        pieces = [_text_of(m.get("transcription") or m.get("token") or m.get("form")) for m in morphs]
        glosses = [_text_of(m.get("gloss"), lang) for m in morphs]
        gloss = _text_of(word.get("gloss"), lang)
        if analysis and gloss and not any(glosses):
            pieces, glosses = [analysis], [gloss]
        elif analysis and "".join(pieces) and len(re.split(r"[-=~]", analysis)) == len(pieces):
            pieces = re.split(r"(?<=.)(?=[-=~])", analysis)  # with the marks that join them
        tag = word.get("category") or word.get("partOfSpeech") or ""
        words.append(
            Word(
                form,
                [one_line(p) for p in pieces if p],
                [one_line(g) for g in glosses] if any(pieces) else [],
                gloss or " ".join(filter(None, glosses)),
                _text_of(tag),
            )
        )
    text = _text_of(item.get("transcript")) or _text_of(item.get("transcription"))
    free = [(code, strip_quotes(text_)[0]) for code, text_ in _texts(item.get("translation"))]
    meta = [("lit", _text_of(item.get("literal"), lang)), ("speaker", str(item.get("speaker") or ""))]
    notes = item.get("notes")
    if isinstance(notes, list):
        meta += [("note", _text_of(note.get("text") if isinstance(note, dict) else note)) for note in notes[:20]]
    for key, times in (("begin", ("startTime", "start_time")), ("end", ("endTime", "end_time"))):
        meta += [(key, _ms(str(item[name]))) for name in times if name in item]
    name = next((str(item[key]) for key in ("key", "id", "metadata") if isinstance(item.get(key), (str, int))), "")
    if not words and not text:
        return None if not item.get("translation") else ArchivedPhrase([])
    return ArchivedPhrase(words, text, free, name, meta)


def _values(item: Mapping[str, Any]) -> Iterator[tuple[str, list[tuple[int, int, str]]]]:
    """Tiers that depend on a sentence of LingView, each with the slots of its values."""
    dependents = item.get("dependents")
    for part in dependents if isinstance(dependents, list) else ():
        if isinstance(part, dict) and isinstance(part.get("values"), list):
            rows = []
            for value in part["values"]:
                if isinstance(value, dict) and isinstance(value.get("value"), str):
                    begin, end = value.get("start_slot"), value.get("end_slot")
                    rows.append((begin if isinstance(begin, int) else 0, end if isinstance(end, int) else 1, value["value"]))
            yield str(part.get("tier", "")), rows


def _lingview_roles(items: Sequence[Any], about: Mapping[str, Any], options: Options) -> dict[str, str]:
    """The role of each tier, by its name or, where that is a number, by what the file says of it, and by its values."""
    metadata = about.get("metadata")
    named = metadata.get("tier IDs") if isinstance(metadata, dict) else None
    named = named if isinstance(named, dict) else {}
    tiers: dict[str, elan.Tier] = {}
    divided: Counter[str] = Counter()
    for item in items:
        for name, rows in _values(item):
            said = named.get(name)
            label = (
                str(said.get("name", "") or name) if isinstance(said, dict) else str(said) if isinstance(said, str) else name
            )
            tier = tiers.setdefault(name, elan.Tier(label, "", "", "", ""))
            tier.annotations = [*tier.annotations, *(elan.Annotation("", value, 0) for _, _, value in rows)]
            divided[name] += len(rows) > 1
    roles: dict[str, str] = {}
    for name, tier in tiers.items():
        role = (
            next((role for role, wanted in options.tiers.items() if wanted in (name, tier.name)), "")
            or elan.by_name(tier)[0]
            or role_of(tier.name)
        )
        look = elan.content(tier)
        if role in ("text", "translation") and divided[name] > len(items) / 4 and look.width < elan.SENTENCE_WIDTH:
            role = "glosses" if look.grams > elan.TIER_GRAMS else "words" if role == "text" else "glosses"
        if not role:
            role = (
                "glosses"
                if look.grams > elan.TIER_GRAMS
                else "translation"
                if look.language and not divided[name]
                else "words"
                if divided[name] and "words" not in roles.values()
                else ""
            )
        roles[name] = role
    return roles


def _lingview(item: Any, tiers: Mapping[str, str]) -> ArchivedPhrase:
    """A sentence of LingView: its tiers divide it into slots."""
    by_role: dict[str, list[tuple[int, int, str]]] = {}
    free: list[tuple[str, str]] = []
    meta = [("speaker", str(item.get("speaker") or ""))]
    for key, name in (("begin", "start_time_ms"), ("end", "end_time_ms")):
        if isinstance(item.get(name), int):
            meta.append((key, str(item[name])))
    for name, rows in _values(item):
        role = tiers.get(name, "")
        if role == "translation":
            free.append((elan.language(elan.Tier(name, "", "", "", "")), " ".join(value for _, _, value in rows)))
        elif role in ("words", "morphs", "glosses", "pos") and role not in by_role:
            by_role[role] = rows
        else:
            meta.append((name or "tier", " ".join(value for _, _, value in rows)))
    text = item.get("text") if isinstance(item.get("text"), str) else ""
    words: list[Word] = []
    basis = by_role.get("words") or by_role.get("morphs") or by_role.get("glosses") or []
    forms = tokens(text)
    for k, (begin, end, value) in enumerate(basis):
        inside = {role: [v for b, e, v in rows if begin <= b < max(end, begin + 1)] for role, rows in by_role.items()}
        form = value if "words" in by_role else forms[k] if "morphs" not in by_role and len(forms) == len(basis) else ""
        pieces = inside.get("morphs", [])
        glosses = inside.get("glosses", [])
        words.append(
            Word(
                form.strip(),
                pieces,
                glosses if len(pieces) == len(glosses) and pieces else [],
                " ".join(glosses),
                " ".join(inside.get("pos", [])),
            )
        )
    if "words" not in by_role and "morphs" not in by_role and len(forms) != len(basis):
        words = []
    return ArchivedPhrase(words, text, free, str(item.get("sentence_id") or ""), meta)


def _as_line(value: Any) -> str:
    """A line, or a list of words as one."""
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        return " ".join(".".join(part.split()) or "_" for part in value)
    return value if isinstance(value, str) else ""


def _fielddb(item: Any) -> ArchivedPhrase | Sentence | None:
    """A datum of FieldDB: fields with labels and values, or one object."""
    if not isinstance(item, dict):
        return None
    fields = item.get("fields") or item.get("datumFields")
    said: dict[str, str] = {}
    if isinstance(fields, list):
        for part in fields:
            if isinstance(part, dict):
                value = part.get("mask") or part.get("value")
                if isinstance(value, str) and value.strip():
                    said[str(part.get("label") or part.get("id") or "")] = value
    elif isinstance(fields, dict):
        said = {str(k): v for k, v in fields.items() if isinstance(v, str)}
    else:
        said = {str(k): text for k, v in item.items() if (text := _as_line(v))}
    by_role: dict[str, str] = {}
    free, meta = [], []
    for name, value in said.items():
        role = _FIELDS.get(name) or role_of(name)
        if role == "translation":
            free.append((lang_code(name.removeprefix("translation").strip("_- ")) if name != "translation" else "", value))
        elif role in ("text", "words", "morphs", "glosses", "pos", "judgement") and role not in by_role:
            by_role[role] = normalize_space(one_line(value))
        elif name not in ("_id", "_rev", "type", "pouchname", "dbname", "collection", "jsonType"):
            meta.append((name, normalize_space(one_line(value))))
    if not (by_role.get("text") or by_role.get("words") or by_role.get("morphs")):
        return None
    translation, translations = choose_translation(free, "en")
    sent_id = str(item.get("_id") or item.get("id") or "")
    about = {
        "translation": translation,
        "translations": translations,
        "sent_id": sent_id,
        "judgement": by_role.get("judgement", ""),
        "meta": meta,
    }
    return aligned(by_role, about)


_FIELDS = {"utterance": "text", "orthography": "text", "transcription": "text", "allomorphs": "-", "morphemes": "morphs", "gloss": "glosses", "translation": "translation", "judgement": "judgement", "syntacticCategory": "pos"}  # fmt: skip
