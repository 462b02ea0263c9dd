"""Write a config for a folder of texts (`proj new`): its files are recognised and filled in, and every key is explained.

Also: copy the files of the tutorial (`proj tutorial`).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from divproj.core.errors import Faults, FormatError, ProjError, Where
from divproj.io.files import replacing
from divproj.io.interlinear import formats as interlinear
from divproj.io.interlinear.guess import guess
from divproj.io.interlinear.rows import from_sentence
from divproj.io.trees import conllu
from divproj.io.trees.conllu import is_conllu
from divproj.runtime.resources import folder

SAME_TEXT = 0.9
"""Share of a text's sentences that another text must have for the two to be one; not tuned."""


CONFIG, README = "divproj.toml", "README.md"
MOST = 2000
"""Files of a folder that are examined."""
BLOCK = 12
"""Lines of the longest glossed sentence, wrapped; not tuned."""
HEAD = 1 << 18
"""Bytes of a file that are examined."""
_OTHER = {
    ".md",
    ".toml",
    ".json",
    ".html",
    ".py",
    ".csv~",
    ".pdf",
    ".zip",
    ".png",
    ".jpg",
    ".wav",
    ".mp3",
    ".doc",
    ".docx",
    ".log",
    ".svg",
}
_LINKS = re.compile(r"(?:\d+[-?]\d+(?::[\d.]+)?(?:\s+|$))+")
_E_SIDE = re.compile(r"(?:^|[._-])(?:e|en|eng|english|trans\w*)(?=[._-])", re.I)


@dataclass
class FolderContents:
    """The files of a folder by their use; names as they are written into the config."""

    text: list[str] = field(default_factory=list)
    gold: list[str] = field(default_factory=list)
    trees: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    projected: list[str] = field(default_factory=list)
    """Trees that `proj project` made and nobody has marked as gold."""
    bitext: tuple[str, str] | None = None
    messages: list[str] = field(default_factory=list)


def look(folder: Path) -> FolderContents:
    """Recognise the files of a folder, without its subfolders."""
    contents = FolderContents()
    lined: dict[str, str] = {}
    for path in sorted(folder.iterdir())[:MOST]:
        name = path.name
        if name.startswith(".") or not path.is_file() or path.suffix.lower() in _OTHER or not name.isprintable():
            continue
        kind = _kind(path)
        if kind == "lines":
            lined[Path(name).stem.lower()] = name
        elif kind:
            for use in kind.split("+"):
                getattr(contents, use).append(name)
            contents.messages.append(f"{name}: {_SAID[kind]}")
    if not contents.text and {"f", "e"} <= set(lined):
        contents.bitext = (lined["f"], lined["e"])
        contents.messages.append(f"{lined['f']} and {lined['e']}: a bitext, one sentence per line")
    plain = [name for name in contents.text if name not in contents.gold]
    if plain and len(plain) < len(contents.text):  # gold trees of the same text: it is not to be read twice
        contents.text = plain
    if not contents.text and not contents.bitext:
        contents.text = list(contents.gold or contents.projected)
    contents.text = _once(folder, contents)
    return contents


def _once(folder: Path, contents: FolderContents) -> list[str]:
    """Return the texts without those whose sentences are in a longer one, such as one text exported in two formats."""
    if len(contents.text) < 2:
        return contents.text
    texts = {name: _sentences(folder / name) for name in contents.text}
    kept: list[str] = []
    for name in sorted(texts, key=lambda name: -len(texts[name])):
        same = next((other for other in kept if len(texts[name] & texts[other]) >= max(1, SAME_TEXT * len(texts[name]))), None)
        if same is None:
            kept.append(name)
        else:
            contents.messages.append(f"{name}: has the same sentences as {same} and is left out")
    return [name for name in contents.text if name in kept]


def _sentences(path: Path) -> set[str]:
    """The sentences of a text, letters alone."""
    try:
        read = list(interlinear.load(path, faults=Faults(strict=False)))
    except ProjError:
        return set()
    return {"".join(char for word in igt.words for char in word.casefold() if char.isalnum()) for igt in read}


_SAID = {
    "text": "interlinear text",
    "text+gold": "interlinear text with trees",
    "gold": "gold trees",
    "trees": "trees of translations",
    "links": "word links",
    "projected": "projected trees; mark sentences as gold in `proj review` to learn from them",
}


def _kind(path: Path) -> str:
    """What a file is for: text, gold, text+gold, projected, trees, links, lines (of plain text), or '' where that cannot be told."""
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD)
    except OSError:
        return ""
    if is_conllu(path):
        return _conllu_kind(path)
    text = head.decode("utf-8", "replace")
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if not lines or b"\0" in head[:200]:
        return ""
    if all(_LINKS.fullmatch(line) for line in lines[:50]):
        return "links"
    try:
        name = guess(head)
        if name != "plain":
            return "" if name == "latex" and "\\gl" not in text and "\\begingl" not in text else "text"
        if path.suffix.lower() not in (".txt", ".igt", ""):
            return ""
        whole = text[: text.rfind("\n\n")] if len(head) == HEAD and "\n\n" in text else text
        instances = interlinear.loads(whole, "plain", Faults(strict=False))
    except (FormatError, ProjError):
        return ""
    unbroken = (
        len(instances) == 1 and len(lines) > BLOCK
    )  # lines without a blank one between them: no glossed sentence has so many
    if not unbroken and 2 * sum(1 for igt in instances if igt.lines_up and igt.translation) >= len(instances):
        return "text"
    return "lines" if path.suffix.lower() == ".txt" else ""


def _conllu_kind(path: Path) -> str:
    try:
        rows = [row for row in conllu.load(path, Faults(strict=False)) if row is not None]
    except ProjError:
        return ""
    if not rows:
        return ""
    if all(row.is_draft for row in rows):
        return "projected"
    first = rows[0]
    glossed = bool(first.glosses) or bool(from_sentence(first).translation)
    headed = any(head.isdecimal() for head in first.column(6))
    if glossed:
        return "text+gold" if headed else "text"
    if headed:
        return "trees" if _E_SIDE.search(path.name) else "gold"
    return ""


def begin(language: str, folder: Path) -> FolderContents:
    """Write the config, and a README where there is none; ProjError where there is a config already."""
    if not folder.is_dir():
        raise ProjError("no such folder", Where(str(folder)), "make it, and put your texts there")
    target = folder / CONFIG
    if target.exists():
        raise ProjError("there is a config already", Where(str(target)), "rename it if you want a new one; nothing was changed")
    contents = look(folder)
    if not contents.text and not contents.bitext:
        contents.messages.append("no interlinear text was recognised: name yours in the config")
    _write_new(target, config_text(language, contents))
    try:
        _write_new(folder / README, README_TEXT.format(language=" ".join(language.split())))
    except ProjError:
        contents.messages.append(f"{README} is there already and was left as it is")
    return contents


def _write_new(path: Path, text: str) -> None:
    """Write a file, which must not exist yet."""
    try:
        with path.open("x", encoding="utf-8", newline="\n") as out:
            out.write(text)
    except FileExistsError:
        raise ProjError("is there already", Where(str(path)), "nothing was changed") from None
    except OSError as error:
        raise ProjError(f"cannot write here: {error.strerror}", Where(str(path))) from None


def toml_string(text: str) -> str:
    r"""A TOML string.

    >>> toml_string('ǃXóõ "east"')
    '"ǃXóõ \\"east\\""'
    """
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _toml_value(names: list[str]) -> str:
    return toml_string(names[0]) if len(names) == 1 else f"[{', '.join(map(toml_string, names))}]"


def _line(key: str, names: list[str], example: str) -> str:
    """A key with its files, or as a comment where there are none."""
    return f"{key} = {_toml_value(names)}" if names else f"# {key} = {example}"


def config_text(language: str, contents: FolderContents) -> str:
    """Return the text of a config for the files of a folder."""
    f, e = contents.bitext or ("", "")
    text = _line("text", contents.text, '"texts.txt"')
    if not contents.text and not contents.bitext:
        text = f"{text[2:]}   # <- put the name of your file here"
    return CONFIG_TEXT.format(
        language=toml_string(" ".join(language.split())),
        text=text,
        f=f"f = {toml_string(f)}" if f else '# f = "sentences.txt"',
        e=f"e = {toml_string(e)}" if e else '# e = "translations.txt"',
        trees=_line("trees", contents.trees, '"translations.conllu"'),
        links=_line("links", contents.links, '"links.txt"'),
        gold=_line("gold", contents.gold, '"gold.conllu"'),
    )


CONFIG_TEXT = """\
# What `proj run` does with this folder. Lines that begin with # are comments. File names are relative to the folder of this file.
# `proj run --dry-run` shows what would be done and why.

language = {language}
results = "results"          # all output goes into this folder
seed = 1                     # the same seed gives the same result
# strict = true              # stop at the first error in the data, instead of leaving faulty sentences out with a warning

[input]
# Interlinear text, in any format: plain text (lines with words, glosses, translation), CoNLL-U, Toolbox, FLEx, ELAN, Xigt, CLDF, LaTeX.
# Several files: ["a.txt", "b.txt"].
{text}
# format = "toolbox"         # only if it is not recognised
# lang = "es"                # which translations to take if a file has several; encoding = "cp1252" if it is not UTF-8
# tiers = "words=tx@A"       # which tier is what; for Toolbox: markers = "words=tx", for tables: columns = "words=Text"
# Instead of text: a bitext, one sentence per line.
{f}
{e}
# Trees of the translations in CoNLL-U, if you have them; otherwise the translations are parsed.
{trees}
# Word links in Pharaoh format (0-0 1-2), one line per sentence, if you have them.
{links}
# Gold trees of some sentences of the text (CoNLL-U; ten or twenty make a difference). Rules and a parser are learned from
# them, and scores are computed.
{gold}

[align]
method = "auto"              # given (the links above), gloss (through the glosses), words (without glosses), or auto
# grams = "my-glosses.tsv"   # your own gloss abbreviations
# dictionary = "words.tsv"   # for words: word pairs that you know
# threshold = 0.3            # for words: a lower value gives more links, a higher one safer links

[parse]
# parser = "en"              # a language for all translations (else each is parsed in its own), the folder of a model from `proj train`, or "given"
# command = "udpipe --tokenizer=presegmented --tag --parse english.udpipe"   # a program: one sentence per line in, CoNLL-U out
style = "as-is"              # or convert the trees to ud (content words are heads) or function (function words are)

[project]
system = "auto"              # auto takes the best system for your files: s6 for glossed text, s6+ or s5+ with gold trees; `proj systems` lists all
# rules = "learn"            # from the gold trees; or a rule file; or none; for text without glosses also a shipped set: hin, deu, spa, kor
# style = "ud"               # heads in the output: content words (ud) or function words (function)
# types = "my.types.tsv"     # word types that you have tagged, from `proj types` (NAME.types.tsv beside the text is found by itself; "none" for no table)
# conventions = "nmod"       # relations that you prefer where annotators differ: nmod or compound, advmod or discourse, mark
# model = "my-model"         # a model from `proj train CORPUS`, instead of system and rules
# phrases = "auto"           # align the phrases of f_forests first; or a file from `proj align`
# f_forests = "trees.xml"    # trees or forests of your sentences: TIGER-XML, brackets, `proj parse --forest`
# paraphrases = false        # true: the "translations" are in the same language
# also = "other-corpus"      # a corpus folder with the same sentences and other translations; the trees vote
# min_coverage = 0.5         # leave out trees with a smaller share of linked words

[train]
# epochs = 10                # number of passes of the parser over the gold sentences

[evaluate]
folds = 5                    # cross-validation on the gold sentences; 0 for none
# held_out = 0.2             # a share of the gold sentences (or a file with others) that is used only for testing
# systems = ["s1-r", "s2+", "s4+"]
# punctuation = false        # whether to count punctuation
# subtypes = true            # whether LAS takes nsubj:pass and nsubj for different relations

[report]
pictures = 500               # number of sentences drawn on each page, least confident first
"""
README_TEXT = """\
# {language}: from interlinear text to trees

- `divproj.toml` is the config; its comments explain every key.
- `proj run` does what the config says. `proj run --dry-run` shows beforehand what would be done, and why.
- `results/report.html` is the place to look first; open it in a browser.
- `results/trees.conllu` has the trees; `proj review results/trees.conllu` lets you correct them.

The corrected sentences are in `results/trees.reviewed.conllu`. Write `gold = "results/trees.reviewed.conllu"` into `divproj.toml`
and run again: the other trees get better. `proj review results/trees.conllu` then goes on with the new trees and your corrections.
"""


@dataclass
class CopyReport:
    """Names of the files that were copied, and of those that were there already and stayed as they are."""

    copied: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


def copy_tutorial(target: Path) -> CopyReport:
    """Copy the tutorial, with its folders, into a folder, which is made; nothing there is replaced."""
    source, report = folder("tutorial"), CopyReport()
    try:
        target.mkdir(parents=True, exist_ok=True)
        for path in sorted(path for path in source.rglob("*") if path.is_file()):
            name = path.relative_to(source).as_posix()
            place = target / name
            if place.exists():
                report.kept.append(name)
                continue
            place.parent.mkdir(exist_ok=True)
            with replacing(place) as out:
                out.write(path.read_bytes())
            report.copied.append(name)
    except OSError as error:
        raise ProjError(
            f"cannot be written: {error.strerror}", Where(str(error.filename or target)), "name another folder"
        ) from None
    return report
