"""`proj check` and `proj convert`: grade interlinear text, and convert it between formats.

`proj check --ud`: report what the UD validator would report on a CoNLL-U file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from divproj.core.errors import Faults, plural
from divproj.core.options import ReleaseOptions
from proj_cli import common, options
from proj_cli.common import talk

if TYPE_CHECKING:
    from rich.console import Console

    from divproj.core.options import ReaderOptions
    from divproj.core.sentence import Sentence
    from divproj.links.grade import Grade


class TargetFormat(StrEnum):
    conllu = "conllu"
    xigt = "xigt"
    plain = "plain"
    cldf = "cldf"
    flextext = "flextext"
    elan = "elan"
    toolbox = "toolbox"
    gb4e = "gb4e"
    langsci = "langsci"
    expex = "expex"
    linguex = "linguex"
    tikz = "tikz"
    leipzig = "leipzig"
    abbreviations = "abbreviations"


ENDINGS = {
    ".conllu": TargetFormat.conllu,
    ".conll": TargetFormat.conllu,
    ".xml": TargetFormat.xigt,
    ".xigt": TargetFormat.xigt,
    ".txt": TargetFormat.plain,
    ".igt": TargetFormat.plain,
    ".csv": TargetFormat.cldf,
    ".flextext": TargetFormat.flextext,
    ".eaf": TargetFormat.elan,
    ".sfm": TargetFormat.toolbox,
    ".db": TargetFormat.toolbox,
    ".tex": TargetFormat.gb4e,
    ".html": TargetFormat.leipzig,
}
SHOWN = 20
LOOKED_AT = 200
"""Sentences by whose glosses, or translations where these do not tell, the language of the abbreviations is chosen."""


FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="Interlinear text in any format; - is stdin.")]


@options.command
def check(
    *,
    file: FileArgument,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per sentence, then the totals.")] = False,
    output: Annotated[Path, options.output("FILE", "Output file; - is stdout.")] = Path("-"),
    grams: options.Grams = None,
    reader: options.Reader,
    max_mb: options.MaxMb = 200,
    ud: Annotated[bool, typer.Option("--ud", help="Check CoNLL-U as the UD validator does (levels 2 and 3).")] = False,
    strict: options.Strict = False,
) -> None:
    """Check glosses by the Leipzig Glossing Rules: what does not line up in each sentence, and how to fix it.

    Level 1: every word has a gloss. Level 2: every morpheme, too. Level 3: all abbreviations are known as well: those
    usual in English, and in the language of the glosses.
    --tiers list shows the tiers of a file of ELAN, Praat or EXMARaLDA, --markers list the markers of a Toolbox file, and what each is
    read as. --grams list writes the abbreviations that are not known as a table, in which you fill in what they mean.

    Example: proj check texts.flextext --json > report.jsonl

    Example: proj check texts.flextext --grams list -o mine.tsv
    """
    if reader.tiers == ["list"]:
        _show_parts(file, replace(reader, tiers=None).options(max_mb=max_mb), output)
        return
    table_of_grams = grams == [Path("list")]
    grams = None if table_of_grams else grams
    from divproj.io.interlinear import formats as interlinear
    from divproj.io.interlinear.languages import gloss_language, text_language
    from divproj.links.grade import KINDS, grade, known_names

    if ud:
        found_faults = common.faults_for(strict)
        with _console(output) as console:
            check_ud(file, lambda text: _say(console, text), found_faults, as_json=as_json)
        _tell(found_faults)
        return
    how = replace(
        reader.options(misaligned=True, max_mb=max_mb), split=False
    )  # what is wrong is said of the lines as their author wrote them
    faults = common.faults_for(strict)
    instances = interlinear.load(file, None, faults, how)
    first = list(islice(instances, LOOKED_AT))
    language = gloss_language(first) or text_language(first) or reader.gloss_lang
    known = known_names(grams or (), language)
    levels: Counter[int] = Counter()
    kinds: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    examples: dict[str, str] = {}
    with _console(output) as console:
        for igt in talk.progress(chain(first, instances), "sentences"):
            assessment = grade(igt, known)
            levels[assessment.level] += 1
            kinds.update({finding.kind for finding in assessment.findings})
            unknown.update(assessment.unknown)
            if table_of_grams:
                examples |= _examples(igt, [name for name in assessment.unknown if name not in examples])
            elif as_json:
                _say(console, json.dumps(_as_json(igt, assessment), ensure_ascii=False))
            else:
                _print(console, igt, assessment)
        if table_of_grams:
            _say(console, _table_of_grams(unknown, examples))
            return
        reading = faults.reading
        sign = common.signature(cmd="check", format=reader.format or "guessed", lang=language, known=len(known))
        if as_json:
            sums = {
                "signature": sign,
                "sentences": levels.total(),
                "levels": {str(level): levels[level] for level in range(4)},
                "findings": {kind: kinds[kind] for kind in KINDS if kinds[kind]},
                "unknown": dict(sorted(unknown.items(), key=lambda item: (-item[1], item[0]))),
                "reading": {
                    "format": reading.format,
                    "speakers": reading.speakers,
                    "parts": reading.parts,
                    "kept": reading.kept,
                    "unused": reading.unused,
                    "left out": dict(reading.left_out + reading.unread),
                    "understood": round(reading.understood, 4),
                },
                "faults": [str(fault) for fault in faults.noted],
            }
            _say(console, json.dumps(sums, ensure_ascii=False))
        else:
            _print_sums(console, levels, kinds, unknown, sign)
            _say(console, common.harmless(f"Read as {reading.in_words()}."))
            _say(console, _HINTS.get(reading.format, _HINTS["plain"]))
    _tell(faults)
    if reading.refusal:
        talk.caution(f"{file}: {reading.refusal}; proj convert and proj project refuse this, unless --misaligned is given")
        raise typer.Exit(1)


_HINTS = {
    "elan": "Other tiers: --tiers words=…,glosses=…,translation=… (--tiers list shows them).",
    "toolbox": "Other markers: --markers words=…,glosses=…,translation=… (--markers list shows them).",
    "flextext": "Another language of glosses and translation: --gloss-lang CODE.",
    "table": "Other columns: --columns words=…,glosses=…,translation=… (headings, or letters such as B).",
    "cldf": "Another language of glosses and translation: --gloss-lang CODE; other columns: --format table --columns words=…,glosses=….",
    "chat": "Other tiers: --tiers glosses=…,translation=… (names without %).",
    "json": "Other tiers: --tiers words=…,glosses=…,translation=….",
    "plain": "If it is another format: --format NAME.",
}
_HINTS |= dict.fromkeys(("textgrid", "exmaralda"), _HINTS["elan"]) | {
    "document": _HINTS["table"],
    "conllu": "Another language of the translation: --gloss-lang CODE.",
}
"""What changes how a file is read, by format."""


def _examples(igt: Sentence, names: list[str]) -> dict[str, str]:
    """A word and its gloss for each abbreviation."""
    rows = list(zip(igt.words, igt.glosses, strict=False))
    return {name: next((f"{word} {gloss}" for word, gloss in rows if name in gloss), "") for name in names}


def _table_of_grams(unknown: Counter[str], examples: dict[str, str]) -> str:
    """The abbreviations that are not known, as a table to fill in."""
    lines = [
        "# Fill in what each abbreviation means and words of the translation that stand for it; delete rows of what is none.",
        "# Then: proj check FILE --grams THIS. Before each row: sentences, and a word with its gloss.",
        "gram\tmeaning\twords\tsynonyms\tkind\tfeats",
    ]
    for name, count in sorted(unknown.items(), key=lambda item: (-item[1], item[0])):
        lines += [common.harmless(f"# {count}: {examples.get(name, '')}").replace("\n", " "), f"{name}\t\t\t\t\t"]
    return "\n".join(lines)


@options.command
def convert(
    *,
    source: Annotated[str, typer.Argument(metavar="IN", help="Interlinear text in any format; - is stdin.")],
    target: Annotated[
        str,
        typer.Argument(
            metavar="OUT",
            help="File to write: .conllu, .xml (Xigt), .csv (CLDF), .flextext, .eaf, .sfm (Toolbox), .tex, .html or .txt; - is stdout.",
        ),
    ],
    to: Annotated[TargetFormat | None, typer.Option("--to", help="Format of OUT; by default its file name says which.")] = None,
    into: Annotated[
        Path | None,
        typer.Option(
            "--into",
            metavar="FILE",
            help="A file of FLEx, ELAN, Toolbox, EXMARaLDA, Praat or Excel; OUT is a copy of it with the trees of IN (CoNLL-U).",
        ),
    ] = None,
    language: Annotated[
        str,
        typer.Option("--language", metavar="NAME", help="Language of a text that does not say it: name, code or Glottocode."),
    ] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace OUT if it exists.")] = False,
    bare: Annotated[bool, typer.Option("--bare", help="Write plain text without `# key = value` lines.")] = False,
    reader: options.Reader,
    keep_hyphens: options.KeepHyphens = False,
    misaligned: options.Misaligned = False,
    max_mb: options.MaxMb = 200,
    strict: options.Strict = False,
) -> None:
    """Convert interlinear text to another format; trees and tags are kept where the format has a place for them.

    Also as it is printed: --to gb4e (usual for .tex), langsci, expex or linguex for examples in LaTeX, tikz for trees (tikz-dependency),
    leipzig (.html) for leipzig.js, abbreviations for the list of abbreviations.
    --into writes the trees of IN into a copy of the file that the text came from; nothing else in it changes.

    Example: proj convert story.eaf story.conllu --tiers words=word,glosses=gl,translation=ft

    Example: proj convert trees.conllu story-with-trees.eaf --into story.eaf

    Example: proj convert trees.conllu examples.tex --to langsci
    """
    from divproj.core.errors import FormatError, ProjError, Where
    from divproj.io.files import is_stream, writing
    from divproj.io.interlinear import cldf, elan, flextext, toolbox, typeset, words, xigt
    from divproj.io.interlinear import formats as interlinear
    from divproj.io.interlinear import plain as igt_plain
    from divproj.io.interlinear import rows as igt_conllu
    from divproj.io.interlinear.languages import find_language
    from divproj.links.grade import abbreviations, grade

    if target != "-" and Path(target).exists() and not force:
        raise ProjError("this file exists already", Where(target), "--force replaces it")
    faults = common.faults_for(strict)
    how = reader.options(keep_hyphens=keep_hyphens, misaligned=misaligned, max_mb=max_mb)
    if into is not None:
        from divproj.io.interlinear.write_back import write_into

        write_into(source, target, into, how, faults)
        _tell(faults)
        talk.say(f"{into} with trees: {target}")
        return
    kind = to or _target(target)
    for name in cldf.names(Path(target).name) if kind is TargetFormat.cldf and target != "-" and not force else ():
        if (Path(target).parent / name).exists():
            raise ProjError(
                "this file exists already and belongs to OUT", Where(str(Path(target).parent / name)), "--force replaces it"
            )
    said = find_language(language)
    code = said.code or said.glottocode or said.name
    counts = [0, 0]
    beside: dict[str, str] = {}

    def grade_each() -> Iterator[Sentence]:
        for igt in interlinear.load(source, None, faults, how):
            assessment = grade(igt)
            counts[0] += 1
            if not assessment.level:
                counts[1] += 1
                talk.warn(FormatError(assessment.findings[0].message, igt.where, assessment.findings[0].remedy))
            yield replace(igt, language=igt.language or code) if code and igt.rows is None else igt

    with writing(target) as out:
        instances = talk.progress(grade_each(), "sentences")
        if kind is TargetFormat.plain:
            igt_plain.dump(map(words.rejoin, instances), out, bare=bare)
        elif kind is TargetFormat.cldf:
            beside = cldf.dump(map(words.as_printed, instances), out, Path(target).name, code)
        elif kind is TargetFormat.abbreviations:
            out.write(typeset.list_abbreviations(abbreviations(instances), "tex" if target.endswith(".tex") else "text"))
        elif kind.value in typeset.PACKAGES:
            typeset.dump(instances, out, kind.value)
        elif kind is TargetFormat.flextext:
            flextext.dump(instances, out, code)
        else:
            dumps = {"conllu": igt_conllu.dump, "xigt": xigt.dump, "elan": elan.dump, "toolbox": toolbox.dump}
            dumps[kind.value](instances, out)
    if target != "-" and not is_stream(Path(target)):
        for name, text in beside.items():
            with writing(Path(target).parent / name) as out:
                out.write(text)
    _tell(faults)
    talk.say(f"Read as {faults.reading.in_words()}.")
    broken = f", {counts[1]} of them with lines that do not fit (proj check says which)" if counts[1] else ""
    talk.say(f"{counts[0]} sentence{'s' * (counts[0] != 1)} written{broken}: {target}")


@options.command
def release(
    *,
    trees: Annotated[list[str], typer.Argument(metavar="TREES...", help="CoNLL-U files, as `proj review` writes them.")],
    how: ReleaseOptions,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="The folder.  \\[default: UD_Language-Treebank]")
    ] = None,
) -> None:
    """Make a treebank for Universal Dependencies: a folder as UD wants it, and a report of what is missing.

    Only sentences that are marked gold, and that the UD validator would accept, are released. Released again into the same
    folder, the treebank keeps what you have written into its README, and its sentences stay in their parts.

    Example: proj release trees.reviewed.conllu --language Turkish --treebank Village --set license="CC BY-SA 4.0"
    """
    from divproj.core.errors import ProjError, Where
    from divproj.ud.release import earlier_files, folder_name, load_documents, make_release

    folder = output or Path(options.usage("", folder_name, how))
    if folder.exists() and not folder.is_dir():
        raise ProjError("this is a file, the folder of the treebank expected", Where(str(folder)), "give another name with -o")
    faults = common.faults_for(False)
    treebank = make_release(load_documents(talk.progress(trees, "files"), faults), how, earlier_files(folder))
    treebank.write(folder)
    talk.summary(faults)
    for part, (sentences, words) in treebank.sizes.items():
        talk.say(f"{part}: {plural(sentences, 'sentence')}, {plural(words, 'word')}")
    for remark in treebank.remarks:
        talk.say(f"- {remark}")
    for problem in treebank.missing:
        talk.caution(f"UD would refuse: {problem}")
    talk.say(f"Treebank written to {folder}; not-to-release/report.txt has this list")
    if treebank.missing:
        raise typer.Exit(1)


def _show_parts(file: str, reader: ReaderOptions, output: Path) -> None:
    """The tiers of a file of ELAN, Praat or EXMARaLDA, or the markers of a Toolbox file, and what they are read as."""
    from divproj.core.errors import Faults
    from divproj.io.files import head_of, name_of, reading
    from divproj.io.interlinear import elan, timelines, toolbox
    from divproj.io.interlinear.guess import guess

    name = reader.format or guess(head_of(file))
    faults = Faults(strict=False)
    rows: list[tuple[Any, ...]] = []
    with reading(file) as stream:
        if name == "toolbox":
            shown = common.table("Markers", "marker", "read as", "because of", "lines", left=3)
            rows = [
                (row.marker, row.role, row.why, row.lines)
                for row in toolbox.list_markers(stream, name_of(file), faults, reader)
            ]
        else:
            shown = common.table("Tiers", "tier", "under", "constraint", "annotations", "read as", "because of", left=6)
            list_tiers = timelines.list_tiers if name in ("textgrid", "exmaralda") else elan.list_tiers
            rows = [tuple(row) for row in list_tiers(stream, name_of(file), faults, reader)]
    for row in rows:
        shown.add_row(*(common.harmless(str(value)) for value in row))
    with _console(output) as console:
        console.print(shown)


def _target(name: str) -> TargetFormat:
    if name == "-":
        return TargetFormat.conllu
    path = Path(name)
    ending = (path.with_suffix("") if path.suffix == ".gz" else path).suffix.lower()
    if ending not in ENDINGS:
        raise typer.BadParameter(f"OUT ends in '{ending}', one of {', '.join(ENDINGS)} expected; or say --to")
    return ENDINGS[ending]


@contextmanager
def _console(output: Path) -> Iterator[Console]:
    if str(output) == "-":
        yield common.stdout()
        return
    from rich.console import Console

    from divproj.io.files import writing

    with writing(output) as out:
        yield Console(file=out, width=200, markup=False, emoji=False)
    talk.say(f"report: {output}")


def _say(console: Console, text: str) -> None:
    console.print(common.wrap(text, console.file), markup=False, highlight=False, soft_wrap=True, emoji=False)


def _as_json(igt: Sentence, assessment: Grade) -> dict[str, Any]:
    return {
        "path": igt.where.path,
        "line": igt.where.line,
        "sent_id": igt.sent_id,
        "level": assessment.level,
        "words": len(igt.words),
        "findings": [{"kind": x.kind, "word": x.word, "what": x.message, "remedy": x.remedy} for x in assessment.findings],
        "unknown": list(assessment.unknown),
    }


def _print(console: Console, igt: Sentence, assessment: Grade) -> None:
    findings = [
        finding for finding in assessment.findings if finding.kind != "abbreviations"
    ]  # these are in a table of their own
    if findings:
        _say(console, common.harmless(f"{igt.where}: level {assessment.level}"))
    for finding in findings:
        place = f", word {finding.word}" if finding.word else ""
        _say(console, common.harmless(f"  {finding.kind}{place}: {finding}"))


def _print_sums(console: Console, levels: Counter[int], kinds: Counter[str], unknown: Counter[str], sign: str) -> None:
    from divproj.links.grade import KINDS, LEVELS

    total = levels.total()
    shown = common.table("Leipzig level", "level", "what it means", "sentences", "percent", left=2)
    for level, meaning in enumerate(LEVELS):
        shown.add_row(str(level), meaning, str(levels[level]), f"{100 * levels[level] / total:.1f}")
    console.print(shown)
    if kinds:
        shown = common.table("What does not fit", "kind", "sentences")
        for kind in (kind for kind in KINDS if kinds[kind]):
            shown.add_row(kind, str(kinds[kind]))
        console.print(shown)
    if unknown:
        shown = common.table("Unknown abbreviations", "abbreviation", "sentences")
        for name, count in sorted(unknown.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]:
            shown.add_row(common.harmless(name), str(count))
        console.print(shown)
        more = f"{len(unknown) - SHOWN} more; " if len(unknown) > SHOWN else ""
        _say(
            console,
            f"{more}to say what they mean: proj check FILE --grams list -o mine.tsv writes a table to fill in; --grams mine.tsv reads it",
        )
    _say(console, f"{total} sentence{'s' * (total != 1)}")
    _say(console, sign)


def _tell(faults: Faults) -> None:
    if faults.noted:
        n = len(faults.noted)
        talk.say(f"{plural(n, 'error')} in the file; the rest was read")


def check_ud(file: str, say: Callable[[str], None], faults: Faults, *, as_json: bool) -> Counter[int]:
    """Say the findings of every sentence, then their sums; findings by level."""
    from divproj.io.trees import conllu
    from divproj.ud.grammar import check_text

    levels: Counter[int] = Counter()
    words = count = 0
    for sentence, findings in check_text(s for s in conllu.load(file, faults) if s is not None):
        count += 1
        words += len(sentence.forms)
        levels.update(finding.level for finding in findings)
        for finding in findings:
            if as_json:
                say(json.dumps({"sent_id": sentence.sent_id, **finding.as_json()}, ensure_ascii=False))
            else:
                say(f"{sentence.sent_id or f'line {sentence.where.line}'}: {finding}")
    share = 100 * levels[3] / max(words, 1)
    if as_json:
        say(json.dumps({"sentences": count, "words": words, "level 2": levels[2], "level 3": levels[3]}))
    else:
        say(
            f"{plural(count, 'sentence')}, {plural(words, 'word')}: {plural(levels[2], 'finding')} at level 2, {levels[3]} at level 3 ({share:.1f} in 100 words)"
        )
    return levels
