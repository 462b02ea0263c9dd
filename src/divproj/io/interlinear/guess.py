"""Which format an interlinear file is in, by its structure, with a score for each that it may be."""

from __future__ import annotations

import codecs
import itertools
import re

from divproj.core.errors import FormatError
from divproj.io.interlinear import parts as igt_parts
from divproj.io.interlinear import sheets

LONGEST_BLOCK = 14
"""Lines without a blank one in plain text; more are a list or a table."""


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
    "basic-transcription": "exmaralda",
    "TEXT": "pangloss",
    "ARCHIVE": "pangloss",
    "eopas": "eopas",
    "database": "toolbox-xml",
}
_OTHER_ROOTS = {
    "lift": ("a LIFT dictionary", "export the texts instead: in FLEx as .flextext"),
    "languageproject": ("a FLEx project (.fwdata)", "in FLEx: File, Export Interlinear"),
    "WORDLIST": ("a word list of Pangloss", "only its texts (<TEXT>) are read"),
    "segmented-transcription": ("a segmented transcription of EXMARaLDA (.exs)", "give the basic transcription, .exb"),
    "list-transcription": ("a list transcription of EXMARaLDA", "give the basic transcription, .exb"),
    "folker-transcription": ("a FOLKER transcription", "in FOLKER or the EXMARaLDA Partitur-Editor, save it as .exb"),
    "Trans": ("a Transcriber file (.trs)", "import it into ELAN or EXMARaLDA and save it there"),
    "CHAT": ("TalkBank XML", "give the .cha file that it was made from"),
    "TEI": ("a TEI document", "export the text from the program that made it as .eaf, .exb or .flextext"),
    "METATRANSCRIPT": ("IMDI metadata", "give the .eaf file that they describe"),
    "CMD": ("CMDI metadata", "give the text that they describe"),
    "preferences": ("the preferences of ELAN (.pfsx)", "give the .eaf file"),
    "html": ("a web page", "save the examples as text, or in a spreadsheet"),
    "svg": ("a picture (SVG)", "give the text itself"),
    "corpus": ("a TIGER treebank", "`proj align` reads its trees"),
    "Workbook": ("an Excel table in XML of 2003", "save it as .xlsx"),
    "wordDocument": ("a Word file in XML of 2003", "save it as .docx"),
    "package": ("a Word file in one XML part", "save it as .docx"),
    "w:document": ("the inner part of a Word file", "give the .docx file"),
    "office:document": ("an OpenDocument file in one XML part", "save it as .odt or .ods"),
}  # fmt: skip
"""Elements with which other kinds of XML begin, what these are, and what to do."""
_PICTURE, _SOUND = (
    "give the text itself; words in pictures are not read",
    "give its transcription: .eaf, .TextGrid, .exb or .cha",
)
_SIGNATURES: tuple[tuple[int, bytes, str, str], ...] = (
    (0, b"%PDF", "a PDF file", "give the document that it was made from, or export it as text first"),
    (0, b"{\\rtf", "an RTF file", "export it as text first, or save it as .docx"),
    (0, b"\xd0\xcf\x11\xe0", "an old Word or Excel file", "save it as .docx or .xlsx"),
    (0, b"SQLite", "a database", "export its texts first"),
    (0, b"\x89PNG", "a picture (PNG)", _PICTURE),
    (0, b"\xff\xd8\xff", "a picture (JPEG)", _PICTURE),
    (0, b"GIF8", "a picture (GIF)", _PICTURE),
    (0, b"II*\0", "a picture (TIFF)", _PICTURE),
    (0, b"MM\0*", "a picture (TIFF)", _PICTURE),
    (8, b"WEBP", "a picture (WebP)", _PICTURE),
    (8, b"WAVE", "a sound file (WAV)", _SOUND),
    (0, b"ID3", "a sound file (MP3)", _SOUND),
    (0, b"\xff\xfb", "a sound file (MP3)", _SOUND),
    (0, b"OggS", "a sound file (Ogg)", _SOUND),
    (0, b"fLaC", "a sound file (FLAC)", _SOUND),
    (4, b"ftyp", "a film or sound file (MP4)", _SOUND),
    (0, b"\x1aE\xdf\xa3", "a film (Matroska, WebM)", _SOUND),
    (8, b"AVI ", "a film (AVI)", _SOUND),
    (0, b"ooBinaryFile", "a binary Praat file", "in Praat: Save, Save as text file"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it"),
    (0, b"Rar!", "a RAR archive", "unpack it"),
    (0, b"BZh", "a bzip2 archive", "unpack it"),
    (0, b"\xfd7zXZ", "an xz archive", "unpack it"),
    (0, b"\x28\xb5\x2f\xfd", "a zstd archive", "unpack it"),
    (257, b"ustar", "a tar archive", "unpack it"),
    (0, b"\x7fELF", "a program", "give a text"),
    (0, b"MZ\x90", "a program", "give a text"),
)  # fmt: skip
"""Bytes at a place in files that are no text, what these are, and what to do."""
_MEMBERS = (
    ("word/", "document"),
    ("xl/", "table"),
    ("ppt/", "slides of PowerPoint"),
    ("META-INF/container.xml", "an EPUB book"),
    (".fwdata", "a backup of FLEx"),
    ("pangloss", "an archive"),
)
"""Names of members of zip archives, and what the archive is."""
_OPENDOCUMENT = {"text": "document", "text-template": "document", "spreadsheet": "table", "presentation": "slides of Impress"}
_TEXTS: tuple[tuple[str, str, str], ...] = (
    (r"\s*<!doctype html|\s*<html", "a web page", "save the examples as text, or in a spreadsheet"),
    (r"WEBVTT|\s*1\s*\n\d\d:\d\d:\d\d[,.]\d+ -->", "subtitles", "import them into ELAN and save that as .eaf"),
    (r"\s*@(?:article|book|in\w+|misc|phdthesis|techreport|unpublished|online|string|comment)\s*[{(]", "a bibliography (BibTeX)", "give the text"),
    (r"#!.*\n|\s*(?:import|from) [\w.]+(?: import .*)?\n", "a program", "give a text"),
    (r'"?Praat chronological TextGrid', "a chronological TextGrid", "in Praat: Save, Save as text file"),
)  # fmt: skip
"""Beginnings of text files of other kinds, what these are, and what to do."""
_CONLLU = re.compile(r" *(\d+)(?:-\d+|\.\d+)?(?:\t[^\t\n]*(?:\t[^\t\n]*){4,}|(?: +\S+){9} *)$")
_TEX_FRAME = re.compile(r"\\(?:begin\s*\{|documentclass\b|(?:sub)*section\b|chapter\b|ea\b|ex\b|gl[t]\b|trans\b)")
FEW_COMMANDS = 0.3
"""Share of lines with a macro that a file in LaTeX has at least."""
_ODIN = re.compile(r"^(?:doc_id=\S+ |line=\d+\s+tag=)", re.MULTILINE)
_CHAT = re.compile(r"(?:@UTF8|@PID:.*|@Window:.*|@Color words:.*|@Font:.*|@Begin)[ \t]*(?:\n|$)")
_JSON = re.compile(r'\{\s*"|\[\s*(?:\{\s*"|\[|"|\d)')
_LATEX = re.compile(
    r"\\(?:gll+\b|begingl\b|[a-z]{1,3}g\. |begin\s*\{|documentclass\b|(?:di|tri)gloss\b|exg\.|(?:re)?newcommand\b|NewDocumentCommand\b|usepackage\b)"
)
_CALL = re.compile(r"^\\[A-Za-z]+[ ]*[\[{]", re.MULTILINE)
FEWEST_CALLS = 3
"""Lines that begin with a macro and its argument, from which on a text may be LaTeX that has only macros of its author."""
_SCRIPTION = frozenset(("trs", "txn", "phon", "wlt", "tln", "m", "gl", "w", "lit", "n", "sp", "s", "t", "wcl", "cl"))
_SCRIPTION_HEAD = re.compile(r"---[ ]*\n(?:.*\n){0,500}?---[ ]*\n")
_SCRIPTION_LINE = re.compile(r"\\([a-z]{1,4})(?:-[A-Za-z-]+)?(?:[ \t]|$)")
_MARKED_UP = (
    ("wikitext", re.compile(r"\{\{\s*(?:fs )?interlinear\s*\|", re.IGNORECASE)),
    ("typst", re.compile(r"#(?:numbered-)?gloss\s*\(|#import\s+\"[^\"\n]*(?:leipzig-gloss|eggs)")),
    ("pandoc", re.compile(r"^:{3,}[ ]*(?:ex\b|\{[^}\n]*\.ex\b).*\n(?:(?!:::).*\n)*?\|", re.MULTILINE)),
)
_TEX_DOCUMENT = re.compile(r"^\\documentclass\b|^\\begin\{document\}", re.MULTILINE)
_MARKDOWN = (
    re.compile(r"^#{1,6} [^=\n]+$", re.MULTILINE), re.compile(r"^(?:```|~~~)", re.MULTILINE), re.compile(r"\]\((?:https?:|[\w./#-]+\))"),
    re.compile(r"^\s*[-*+] \S", re.MULTILINE), re.compile(r"\*\*\S"), re.compile(r"`[^`\n]+`"),
)  # fmt: skip
"""What Markdown has and interlinear text has not; three of them together are enough."""
_MARKER = re.compile(r"^\\([\w+@.-]+)(?![\[{*])\b", re.MULTILINE)
"""Markers of Toolbox; a macro of LaTeX has its argument at once."""
_TEX = frozenset(
    {
        "gll", "glll", "gllll", "glt", "trans", "ea", "eal", "z", "zl", "ex", "exg", "ag", "bg", "begin", "end", "label", "xe", "pex",
        "a", "b", "begingl", "endgl", "gla", "glb", "glc", "glft", "glpreamble", "sn", "item", "documentclass", "usepackage",
        "newcommand", "section", "subsection", "chapter", "paragraph", "langinfo", "digloss", "trigloss", "lb", "exi", "glend",
    }
)  # fmt: skip
"""Macros that begin a line of LaTeX and are no markers of Toolbox where others of LaTeX are."""


def guess(head: bytes) -> str:
    """The format of a file by its first bytes; FormatError when it is no text, or none that is read.

    >>> guess(b"\\\\t sa\\n\\\\g one\\n"), guess(b"Hund bellt\\ndog bark\\n"), guess(b"@UTF8\\n@Begin\\n")
    ('sigmorphon', 'plain', 'chat')
    """
    return rank_formats(head)[0][0]


def rank_formats(head: bytes) -> list[tuple[str, float]]:
    """Formats that a file may be in, the best first, each with a score from 0 to 1; FormatError when it is of another kind."""
    name = _by_signature(head)
    if name:
        return [(name, 1.0)]
    text = _text(head)
    if text.lstrip().startswith("<") and not text.lstrip().startswith("<nowiki"):
        return [(_by_root(text), 1.0)]
    header = text.lstrip().partition("\n")[0].lower()
    if "primary_text" in header or ("analyzed_word" in header and "gloss" in header):
        return [("cldf", 1.0)]
    name = _by_beginning(text)
    if name:
        return [(name, 1.0)]
    scores = rank_text_formats(text)
    if scores[0][0] == "plain":
        _refuse_markdown(text)
    return scores


def _by_signature(head: bytes) -> str:
    """The format of a zip archive, '' for text; FormatError for files of other kinds."""
    for place, magic, kind, remedy in _SIGNATURES:
        if head.startswith(magic, place):
            raise FormatError(f"this is {kind}, not interlinear text", remedy=remedy)
    if head.startswith(b"PK\x05\x06"):
        raise FormatError("this is an empty zip archive, not interlinear text", remedy="is it the right one?")
    if not head.startswith(b"PK\x03\x04"):
        return ""
    if head[30:38] == b"mimetype":
        match = re.match(rb"application/vnd\.oasis\.opendocument\.([a-z-]+)", head[38:120])
        name = _OPENDOCUMENT.get(match[1].decode(), "") if match else ""
        if name in ("document", "table"):
            return name
        raise FormatError(
            f"this is {name or 'an EPUB book or the like'}, not interlinear text", remedy="save its text as .odt or .docx"
        )
    places = [match.start() for match in re.finditer(b"PK\x03\x04", head)]
    names = [head[k + 30 : k + 30 + int.from_bytes(head[k + 26 : k + 28], "little")].decode("utf-8", "replace") for k in places]
    for member, kind in _MEMBERS:
        if any(name.startswith(member) or name.endswith(member) for name in names):
            if kind in ("document", "table"):
                return kind
            raise FormatError(f"this is {kind}, not interlinear text", remedy="export the text itself first")
    raise FormatError(
        "this is a zip archive (Word, Excel, FLEx backup?), not interlinear text",
        remedy="unpack it; .docx, .odt, .xlsx and .ods are read",
    )


def _by_root(text: str) -> str:
    if "<!ENTITY" in text:
        raise FormatError("the XML defines entities, which is refused", remedy="remove the DOCTYPE from the file")
    root = _ROOT.match(_ASIDE.sub("", text).lstrip())
    if not root:
        raise FormatError(f"no XML element in the first {HEAD >> 10} KB", remedy="name the format if it is XML")
    name = root[1].rpartition(":")[2]
    for key in (root[1], name):
        if key in _OTHER_ROOTS:
            kind, remedy = _OTHER_ROOTS[key]
            raise FormatError(f"this is {kind}, not interlinear text", remedy=remedy)
    if name not in _ROOTS:
        known = "xigt-corpus, document (FLEx) or ANNOTATION_DOCUMENT (ELAN)"
        raise FormatError(f"the XML begins with <{name}>, {known} expected", remedy="or name its format")
    return _ROOTS[name]


def _by_beginning(text: str) -> str:
    """The format of a text by how it begins or what it has, '' where only its lines can tell; FormatError for other kinds."""
    start = text.lstrip()
    if start.startswith(('File type = "ooTextFile', '"ooTextFile')):
        if '"TextGrid' in text[:300]:
            return "textgrid"
        raise FormatError("this is an object of Praat, not interlinear text", remedy="give a TextGrid")
    if _CHAT.match(start):
        return "chat"
    if _JSON.match(start):
        if re.search(
            r'"(?:utterances|dependents|num_slots|datumFields|transcript|utterance|phrases|gloss(?:es|ed)?)"\s*:', text
        ) or ('"label"' in text and re.search(r'"(?:mask|value)"\s*:', text)):
            return "json"
        known = "texts of Digital Linguistics (DLx), LingView and FieldDB are read"
        raise FormatError("this is JSON without sentences, not interlinear text", remedy=known)
    for pattern, kind, remedy in _TEXTS:
        if re.match(pattern, text, re.IGNORECASE):
            raise FormatError(f"this is {kind}, not interlinear text", remedy=remedy)
    for name, pattern_ in () if _TEX_DOCUMENT.search(text) else _MARKED_UP:
        if pattern_.search(text):
            return name
    return "scription" if is_scription(text) else ""


def is_scription(text: str) -> bool:
    """Whether a text has the head of the format scription and blocks of one shape, or its markers in the first block."""
    head = _SCRIPTION_HEAD.match(text)
    rest = text[head.end() :] if head else text
    bodies = [
        [line for line in part.strip().split("\n") if not line.startswith("#")]
        for part in re.split(r"\n\s*\n", rest[:20_000])
        if part.strip()
    ]
    bodies = [body for body in bodies if body]
    if not bodies:
        return False
    markers = {match[1] if (match := _SCRIPTION_LINE.match(line)) else "" for line in bodies[0]}
    if markers <= _SCRIPTION and markers & {"trs", "txn", "tln", "gl", "wlt"} and not markers <= set("tmpgl"):
        return True
    same = sum(len(body) == len(bodies[0]) for body in bodies)
    signs = sum(bool(pattern.search(rest)) for pattern in _MARKDOWN)
    return (
        head is not None
        and ":" in head[0]
        and len(bodies[0]) <= 8
        and same > 0.6 * len(bodies)
        and signs < 3
        and "\\" not in bodies[0][0][:1]
    )


def _refuse_markdown(text: str) -> None:
    """FormatError for Markdown that has no examples, such as a README."""
    signs = sum(bool(pattern.search(text)) for pattern in _MARKDOWN)
    quoted = sum(igt_parts.is_quoted(line) for line in text.split("\n")[:3000])
    if signs >= 3 and _MARKDOWN[0].search(text) and quoted < 3:
        raise FormatError(
            "this is Markdown without examples (a README?), not interlinear text",
            remedy="examples in `::: ex` or with quoted translations are read",
        )


def rank_text_formats(text: str) -> list[tuple[str, float]]:
    """Formats of lines, by their structure.

    >>> rank_text_formats("ABL\\tablative\\nACC\\taccusative\\n" * 10)[0]
    ('plain', 0.0)
    """
    rows = [line for line in text.split("\n") if line.strip()][:2000]
    latex = len(_LATEX.findall(text))
    calls = len(_CALL.findall(text))
    latex = latex or (calls if calls >= max(FEWEST_CALLS, FEW_COMMANDS * len(rows)) else 0)
    markers = [name for name in _MARKER.findall(text) if not (latex and name in _TEX)]
    marked = min(1.0, len(markers) / max(1, len(rows)))
    scores = {"plain": _plain(text), "conllu": _conllu(rows), "odin": 0.9 if _ODIN.search(text) else 0.0}
    scores["latex"] = min(1.0, 0.8 + 0.05 * latex) if latex else 0.0
    if 0 < latex < 3 and scores["plain"] > scores["latex"] / 2 and not _TEX_FRAME.search(text):
        commands = sum("\\" in row for row in rows)
        scores["latex"] *= min(1.0, commands / (FEW_COMMANDS * len(rows)))  # a macro in a remark makes no LaTeX
    scores["table"] = sheets.table_likeness(text) if max(scores["conllu"], scores["odin"]) < 0.6 else 0.0
    if max(scores["conllu"], scores["odin"], scores["latex"], scores["table"]) > 0.6:  # their lines would do for plain text too
        scores["plain"] = min(scores["plain"], 0.2)
    if 2 * len(markers) >= len(rows) and markers:
        shared = set(markers) <= set("tmpgl")
        scores["sigmorphon" if shared else "toolbox"] = 0.5 + 0.5 * marked
        scores["plain"] = min(scores["plain"], 0.2)
    best = sorted(scores.items(), key=lambda item: -item[1])
    return [pair for pair in best if pair[1]] or [("plain", 0.0)]


def _conllu(rows: list[str]) -> float:
    """Rows of numbered cells, numbered from 1 on; cells under a tab are columns of a text."""
    cells = [row for row in (row.strip(" ") for row in rows) if not row.startswith("#")]
    matches = [match for row in cells if (match := _CONLLU.match(row))]
    if not matches or len(matches) < 0.6 * len(cells):
        return 0.0
    follow = sum(int(later[1]) in (int(before[1]) + 1, int(before[1]), 1) for before, later in itertools.pairwise(matches))
    wide = sum(match[0].count("\t") == 9 for match in matches) / len(matches)
    if not wide and not _CONLLU.match(cells[0]) and "\t" in cells[0]:
        return 0.0  # headings of a table
    return 0.3 + 0.3 * len(matches) / len(cells) + 0.2 * (follow + 1) / len(matches) + 0.2 * wide


def _plain(text: str) -> float:
    """Share of lines that stand in blocks which look like words, glosses and a translation."""
    good = total = 0.0
    block: list[str] = []
    for line in [*text.split("\n")[:3000], ""]:
        if line.strip():
            if not re.match(r"#\s*\S+(?: \S+)?\s*=|#\s*[\w.:-]+\s*$", line):
                block.append(line)
            continue
        if block:
            total += len(block)
            good += len(block) * _block(block)
        block = []
    return good / total if total else 0.0


def _block(lines: list[str]) -> float:
    counts = [len(igt_parts.tokens(line)) for line in lines]
    n = len(lines)
    if n == 1:
        return 0.4
    if is_table(lines):
        return 0.0
    equal = sum(left == right for left, right in itertools.pairwise(counts))
    if n <= 6:
        return 0.9 if equal or igt_parts.is_quoted(lines[-1]) else 0.6 if n < 5 else 0.3
    if period(lines[: n - n % 12] if n > 100 else lines):  # of a long block only the beginning may be known
        return 0.8
    quoted = sum(map(igt_parts.is_quoted, lines))
    if quoted >= n / 5 or 3 * equal >= n - 1:
        return 0.8 if quoted or n <= LONGEST_BLOCK else 0.1
    return 0.3 if n <= LONGEST_BLOCK else 0.0


def period(lines: list[str]) -> int:
    """Lines of each example where no blank line stands between examples: 3, or 4 with a line of text above; 0 when they are not so.

    >>> period(["kolu uva-n", "fish swim-PST", "The fish swam away.", "ku", "big", "It is big."])
    3
    """
    n = len(lines)
    counts = [len(igt_parts.tokens(igt_parts.without_number(line)[1])) for line in lines]
    if all(counts[k] == counts[k + 1] for k in range(0, n - 1, 2)):
        return 0  # words and glosses that go on below
    for size, first in ((3, 0), (4, 1)):
        fitting = sum(counts[k + first] == counts[k + first + 1] for k in range(0, n - size + 1, size))
        if n >= 2 * size and not n % size and fitting * size >= FITTING * n:
            return size
    return 0


FITTING = 0.9
"""Share of the examples without blank lines whose words and glosses have as many tokens."""


def is_table(lines: list[str]) -> bool:
    """Whether lines are a list of pairs, such as abbreviations and what they stand for, or a dictionary.

    >>> is_table(["ABL = ablative", "ACC = accusative", "ADJ = adjective", "ADV = adverb", "AGR = agreement", "ALL = allative"])
    True
    """
    if len(lines) < 6 or any(map(igt_parts.is_quoted, lines)):
        return False
    for mark in ("\t", " = ", " - ", " – ", ": ", ",", ";", "  "):
        parts = [[cell for cell in line.strip().split(mark) if cell.strip()] for line in lines]
        if all(len(cells) in (2, 3) for cells in parts) and sum(len(cells[0].split()) == 1 for cells in parts) > 0.8 * len(
            parts
        ):
            return True
    firsts = [line.split()[0].casefold() for line in lines if line.split()]
    return len(firsts) > 8 and firsts == sorted(firsts) and len(set(firsts)) > 0.8 * len(firsts)


def _text(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        encoding = "utf-32"
    elif head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    else:
        encoding = igt_parts.unmarked_encoding(head[:200]) or "utf-8"
    return head.decode(encoding, "replace").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
