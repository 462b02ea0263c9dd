"""Interlinear text: the one door to all its formats, and plain text in and out.

Plain text is lines between blank lines: language, gloss and translation; with four the orthography comes first, with two
there is no gloss. How many there are is decided for each instance. `# key = value` lines above say more (`igt_comments`).
"""

from __future__ import annotations

import importlib
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, BinaryIO, TextIO, cast

from divproj.errors import Faults, FormatError, ProjError, Where
from divproj.gloss.igt import Igt
from divproj.io import igt_comments, igt_parts
from divproj.io.files import Source, name_of, reading
from divproj.io.igt_text import Options, blocks, lines, rewound

FORMATS = {
    "plain": "igt",
    "conllu": "igt_conllu",
    "xigt": "xigt",
    "odin": "odin",
    "toolbox": "toolbox",
    "flextext": "flextext",
    "elan": "elan",
    "cldf": "cldf",
    "sigmorphon": "sigmorphon",
    "latex": "latex",
}
"""Names of the formats and the modules that read them."""
HEAD = 1 << 16
_ROOT = re.compile(r"<([A-Za-z_][\w:.-]*)[\s/>]")
_ASIDE = re.compile(  # none looks past the next of its kind, so that many that are not closed cost no more than one
    r"<!--(?:(?!<!--).)*?-->|<\?(?:(?!<\?).)*?\?>|<!DOCTYPE[^\[<>]*(?:\[(?:(?!<!DOCTYPE).)*?\]\s*)?>", re.DOTALL
)
_ROOTS = {
    "xigt-corpus": "xigt",
    "igt": "xigt",
    "ANNOTATION_DOCUMENT": "elan",
    "document": "flextext",
    "interlinear-text": "flextext",
}
_NOT_TEXT = {
    b"PK\x03\x04": "a zip archive (Word, Excel, FLEx backup?)",
    b"%PDF": "a PDF file",
    b"{\\rtf": "an RTF file",
    b"\xd0\xcf\x11\xe0": "an old Word or Excel file",
    b"SQLite": "a database",
}
_SIGNS = (
    ("conllu", re.compile(r"^\d+(?:-\d+|\.\d+)?\t[^\t\n]*(?:\t[^\t\n]*){4,}$", re.MULTILINE)),
    ("odin", re.compile(r"^(?:doc_id=\S+ |line=\d+\s+tag=)", re.MULTILINE)),
    ("latex", re.compile(r"\\(?:gll+\b|begingl\b|[a-z]{1,3}g\. |begin\s*\{|documentclass\b)")),
)
_MARKER = re.compile(r"^\\([\w+-]+)", re.MULTILINE)
_GRAM = re.compile(r"(?:^|[-=~.:])(?:[A-Z]{2,}\w*|[123](?:SG|PL|DU|sg|pl|du|s|p)?|[A-Z][a-z]{1,4})(?=$|[-=~.:])")


def guess(head: bytes) -> str:
    """The format of a file by its first bytes; FormatError when it is no text.

    >>> guess(b"\\\\t sa\\n\\\\g one\\n"), guess(b"Hund bellt\\ndog bark\\n")
    ('sigmorphon', 'plain')
    """
    for magic, what in _NOT_TEXT.items():
        if head.startswith(magic):
            raise FormatError(f"this is {what}, not interlinear text", remedy="export it as text first")
    text = _text(head)
    if text.lstrip().startswith("<"):
        if "<!ENTITY" in text:
            raise FormatError("the XML defines entities, which is refused", remedy="remove the DOCTYPE from the file")
        root = _ROOT.match(_ASIDE.sub("", text).lstrip())
        if not root:
            raise FormatError(f"no XML element in the first {HEAD >> 10} KB", remedy="name the format if it is XML")
        name = root[1].rpartition(":")[2]
        if name not in _ROOTS:
            known = "xigt-corpus, document (FLEx) or ANNOTATION_DOCUMENT (ELAN)"
            raise FormatError(f"the XML begins with <{name}>, {known} expected", remedy="or name its format")
        return _ROOTS[name]
    header = text.lstrip().partition("\n")[0].lower()
    if "primary_text" in header or ("analyzed_word" in header and "gloss" in header):
        return "cldf"
    for name, sign in _SIGNS:
        if sign.search(text):
            return name
    markers = _MARKER.findall(text)
    if 2 * len(markers) < len([line for line in text.split("\n") if line.strip()]):
        return "plain"
    return "sigmorphon" if set(markers) <= set("tmpgl") else "toolbox"


def _text(head: bytes) -> str:
    encoding = "utf-8"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif head[:200].count(0) * 3 > len(head[:200]):
        encoding = "utf-16-be" if head[0:200:2].count(0) > head[1:200:2].count(0) else "utf-16-le"
    return head.decode(encoding, "replace").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def load(
    source: Source,
    format: str | None = None,  # noqa: A002
    faults: Faults | None = None,
    **options: Any,
) -> Iterator[Igt]:
    """Instances of a file in any of the `FORMATS`, guessed from its content when none is named.

    What cannot be read as it stands goes to `faults` (None: raise); options are those of `igt_text.Options`.
    """
    settings = Options.of(options)
    with reading(source) as stream:
        yield from _any(stream, name_of(source), format, faults or Faults(), settings)


def loads(text: str, format: str | None = None, faults: Faults | None = None, **options: Any) -> list[Igt]:  # noqa: A002
    """Instances of a text.

    >>> loads("(1) Der Hund bell-t.\\nDEF dog bark-3SG\\n'The dog barks.'")[0].glosses
    ('DEF', 'dog', 'bark-3SG')
    """
    stream = cast(BinaryIO, io.BytesIO(text.encode("utf-8", "surrogatepass")))
    return list(_any(stream, "", format, faults or Faults(), Options.of(options)))


def _any(stream: BinaryIO, path: str, name: str | None, faults: Faults, options: Options) -> Iterator[Igt]:
    head = stream.read(HEAD)
    if not head.strip(b" \t\r\n\0\xef\xbb\xbf"):
        raise FormatError("nothing in the file", Where(path), "is it the right one?")
    try:
        found = name or guess(head)
    except FormatError as error:
        raise FormatError(error.what, Where(path), error.remedy) from None
    if found not in FORMATS:
        raise ProjError(f"unknown format {found!r}, one of {', '.join(FORMATS)} expected")
    count = 0
    module = importlib.import_module(f"divproj.io.{FORMATS[found]}")
    for igt in module.read(rewound(head, stream), path, faults, options):
        count += 1
        yield igt
    if not count:
        raise FormatError(f"no instance in the file, read as {found}", Where(path), "name its format if this is not it")


def dump(instances: Iterable[Igt], out: TextIO, *, bare: bool = False) -> None:
    """Plain text; `bare` leaves out the `# key = value` lines."""
    for igt in instances:
        out.write(dumps([igt], bare=bare))


def dumps(instances: Iterable[Igt], *, bare: bool = False) -> str:
    """
    >>> print(dumps([Igt(("Hund", "bell-t"), (), ("dog", "bark-3SG"), translation="A dog barks.")]), end="")
    Hund bell-t
    dog bark-3SG
    A dog barks.
    """
    return "".join("\n".join(_written(igt, bare)) + "\n\n" for igt in instances)


LINES = ("words", "segments", "glosses", "translation")
"""What the lines of an instance may be."""


def _written(igt: Igt, bare: bool) -> list[str]:
    """The plainest lines that are read as the same instance again."""
    said = igt_comments.of_instance(igt, rows=False)
    number = igt.sent_id if re.fullmatch(r"\d+[a-z]?", igt.sent_id) else ""
    if number:
        said.remove(("sent_id", number))
    body = (igt.words, igt.segments, igt.glosses, (igt.translation,) if igt.translation else ())
    used = [(role, values) for role, values in zip(LINES, body, strict=True) if values]
    front = f"({number}) " if number and not bare else ""
    for separator in (" ", "\t"):
        found = [_line(role, values, separator) for role, values in used]
        if used and used[0][0] == "words":
            found[0] = front + igt.judgement + found[0]
        if bare:
            return found or ["_"]
        above = [f"# {key} = {value}" for key, value in said]
        if _same(above + found, igt):
            return above + found
    explicit = [("lines", " ".join(role for role, _ in used) or "nothing"), *igt_comments.of_instance(igt, rows=False)]
    if igt.judgement:
        explicit.append(("judgement", igt.judgement))
    return [*(f"# {key} = {value}" for key, value in explicit), *(_line(role, values, "\t") for role, values in used)]


def _line(role: str, values: tuple[str, ...], separator: str) -> str:
    if role == "translation":
        return igt_parts.one_line(values[0])
    return separator.join(igt_parts.cell(value) or "_" for value in values)


def _same(written: list[str], igt: Igt) -> bool:
    faults = Faults(strict=False)
    again = list(_instances(list(enumerate(written, 1)), "", faults, Options(), [])) if written else []
    if len(again) != 1 or faults.noted:
        return False
    for name in ("tree", "e_tree"):  # one tag a word is all that comments hold
        has, got = getattr(igt, name), getattr(again[0], name)
        if has and got:
            igt = replace(igt, **{name: replace(has, upos=got.upos, xpos=got.xpos)})
    return again[0] == igt


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Igt]:
    """Instances of plain text."""
    waiting: list[tuple[int, str]] = []
    for block in blocks(lines(stream, path, faults, options.encoding)):
        block = waiting + block
        waiting = []
        yield from _instances(block, path, faults, options, waiting)


def _instances(
    block: list[tuple[int, str]], path: str, faults: Faults, options: Options, waiting: list[tuple[int, str]]
) -> Iterator[Igt]:
    first = igt_comments.parsed(block[0][1])
    roles = [role for role in first[1].split() if role != "nothing"] if first and first[0] == "lines" else []
    literal = first is not None and first[0] == "lines" and set(roles) <= set(LINES)
    if not literal:
        roles = []
    pairs, body = [], []
    for k, (number, line) in enumerate(block):
        comment = igt_comments.parsed(line) if k < len(block) - len(roles) else None
        if comment:
            pairs.append(comment)
        else:
            body.append((number, line.rstrip(" ")))
    if not body and not literal:
        waiting += block
        return
    said = dict(reversed(pairs))
    where = Where(path, body[0][0] if body else block[0][0], said.get("sent_id", ""))
    if literal:
        named = dict(zip(roles, (line for _, line in body[-len(roles) :]), strict=False)) if roles else {}
        yield _told(_literal(named), pairs, where, faults, options)
        return
    texts = _closed_quotes([line for _, line in body])
    for start, group in _split(texts):
        place = replace(where, line=body[min(start, len(body) - 1)][0])
        yield _told(_one(group, place, faults), pairs, place, faults, options)


def _closed_quotes(texts: list[str]) -> list[str]:
    """A translation that goes on in the next line is one line."""
    found: list[str] = []
    for text in texts:
        opened = found and igt_parts.is_quoted(found[-1] + "'") and not _closes(found[-1], "'’´”\"»)]")
        if opened and len(found) > 1 and _closes(text, "'’´”\"»"):
            found[-1] = f"{found[-1]} {text.strip()}"
        else:
            found.append(text)
    return found


def _closes(text: str, marks: str) -> bool:
    """Whether one of the marks stands after the last letter or digit."""
    for char in reversed(text):
        if char in marks:
            return True
        if char.isalnum() or char == "_":
            return False
    return False


def _split(texts: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Instances that no blank line separates, where the quotes of their translations do."""
    ends = [k for k, text in enumerate(texts) if igt_parts.is_quoted(text)]
    gaps = {end - before for before, end in zip([-1, *ends], ends, strict=False)}
    if len(ends) > 1 and ends[-1] == len(texts) - 1 and gaps <= {3, 4}:
        starts = [0, *(end + 1 for end in ends[:-1])]
        for start, end in zip(starts, ends, strict=True):
            yield start, texts[start : end + 1]
    else:
        yield 0, texts


def _glossy(text: str, others: int) -> bool:
    """Whether a line looks like glosses of that many words: no quotes, and grams at morpheme boundaries."""
    found = igt_parts.tokens(text)
    return (
        len(found) == others
        and not igt_parts.is_quoted(text)
        and any(_GRAM.search(token) and re.search(r"\w[-=~.]\w", token) for token in found)
    )


def _roles(texts: list[str]) -> dict[str, str] | None:
    """Which line is what; None when nobody can tell."""
    n = len(texts)
    counts = [len(igt_parts.tokens(text)) for text in texts]
    if n == 1:
        return {"words": texts[0]}
    if n == 2:
        return {"words": texts[0], ("glosses" if _glossy(texts[1], counts[0]) else "translation"): texts[1]}
    if n == 3:
        if _glossy(texts[2], counts[1]) and not _glossy(texts[1], counts[0]) and counts[0] == counts[1]:
            return dict(zip(("words", "segments", "glosses"), texts, strict=True))
        return dict(zip(("words", "glosses", "translation"), texts, strict=True))
    if n == 4:
        if igt_parts.is_quoted(texts[2]) or (_glossy(texts[1], counts[0]) and not _glossy(texts[2], counts[1])):
            return dict(zip(("words", "glosses", "translation", "note"), texts, strict=True))
        return dict(zip(("words", "segments", "glosses", "translation"), texts, strict=True))
    for roles in (("words", "glosses"), ("words", "segments", "glosses")):
        size = len(roles)
        last = n % size
        groups = [counts[k : k + size] for k in range(0, n - last, size)]
        if last < 2 and all(group[-1] == group[-2] for group in groups):
            wrapped = {role: " ".join(texts[k : n - last : size]) for k, role in enumerate(roles)}
            return {**wrapped, "translation": texts[-1]} if last else wrapped
    return None


def _one(texts: list[str], where: Where, faults: Faults) -> dict[str, Any]:
    """Fields of the instance that lines make."""
    roles = _roles(texts)
    meta: igt_comments.Pairs = []
    if roles is None:
        what = f"{len(texts)} lines without a blank one, 2 to 4 expected"
        faults.file(FormatError(what, where, "put a blank line between sentences; lines after the third are kept as notes"))
        roles = dict(zip(("words", "glosses", "translation"), texts, strict=False))
        meta = [("note", text.strip()) for text in texts[3:]]
    if "note" in roles:
        meta.append(("note", roles["note"].strip()))
    line = roles["words"]
    number, first = igt_parts.without_number(line)
    indent = "" if number else line[: len(line) - len(line.lstrip("\t"))]
    judgement, first = igt_parts.without_judgement(first)
    aligned = [role for role in ("segments", "glosses") if role in roles]
    words, *rest = igt_parts.columns([indent + first, *(roles[role] for role in aligned)])
    if len(rest) == 2 and len(words) != len(rest[0]):
        rest = igt_parts.columns([roles[role] for role in aligned])
    cells = {role: tuple("" if x == "_" else x for x in values) for role, values in zip(aligned, rest, strict=True)}
    glosses, segments, text = cells.get("glosses", ()), cells.get("segments", ()), ""
    if segments and len(words) != len(segments) == len(glosses):
        words, text = segments, igt_parts.squeezed(first)
    if glosses and not number:
        number, words = igt_parts.without_bare_number(words, len(glosses))
    translation, source = igt_parts.unquoted(roles.get("translation", ""))
    return {
        "words": words,
        "segments": segments,
        "glosses": glosses,
        "translation": translation,
        "text": text,
        "sent_id": number,
        "judgement": judgement,
        "meta": (*meta, ("source", source)),
    }


def _literal(roles: dict[str, str]) -> dict[str, Any]:
    """Fields of lines whose roles a comment names: cells between tabs, taken as they are."""
    cells = {role: tuple(line.split("\t")) for role, line in roles.items() if role != "translation"}
    words = cells.pop("words", ())
    rest = {role: tuple("" if cell == "_" else cell for cell in values) for role, values in cells.items()}
    return {"words": words, "translation": roles.get("translation", ""), **rest}


def _told(fields: dict[str, Any], pairs: igt_comments.Pairs, where: Where, faults: Faults, options: Options) -> Igt:
    """The instance of some lines and of the comments above them; a comment goes before what was guessed."""
    words = fields.pop("words")
    given = [pair for pair in pairs if pair[0] != "lines"]
    said = igt_comments.read(given, len(words), options.lang, where, faults)
    heads, rels = said.pop("heads"), said.pop("rels")
    meta = (*said.pop("meta"), *fields.pop("meta", ()))
    line = fields["translation"]
    others = said["translations"] or ((("en", said["translation"]),) if said["translation"] else ())
    if line and others and line not in [text for _, text in others]:
        said["translations"] = (*others, ("", line))
    elif line:
        del said["translation"]
    made = {**fields, **{key: value for key, value in said.items() if value or key not in fields}}
    if heads:
        made["tree"] = igt_comments.tree_from(heads, rels, words, made["tags"], where, faults)
    return igt_parts.instance(words, meta=meta, where=replace(where, sent_id=made["sent_id"]), **made)
