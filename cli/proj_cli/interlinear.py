"""`proj check` and `proj convert`: interlinear text graded, and carried from format to format."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proj_cli import common
from proj_cli.common import talk

if TYPE_CHECKING:
    from rich.console import Console

    from divproj.errors import Faults
    from divproj.gloss.grade import Grade
    from divproj.gloss.igt import Igt


class Format(StrEnum):
    plain = "plain"
    conllu = "conllu"
    xigt = "xigt"
    odin = "odin"
    toolbox = "toolbox"
    flextext = "flextext"
    elan = "elan"
    cldf = "cldf"
    sigmorphon = "sigmorphon"
    latex = "latex"


class Target(StrEnum):
    conllu = "conllu"
    xigt = "xigt"
    plain = "plain"


ENDINGS = {
    ".conllu": Target.conllu,
    ".conll": Target.conllu,
    ".xml": Target.xigt,
    ".xigt": Target.xigt,
    ".txt": Target.plain,
    ".igt": Target.plain,
}
SHOWN = 20

FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="Interlinear text in any format; - is stdin.")]
FormatOption = Annotated[
    Format | None, typer.Option("--format", "-f", help="Its format; guessed from the content when not given.")
]
TiersOption = Annotated[
    list[str] | None,
    typer.Option("--tiers", metavar="ROLE=TIER,…", help="ELAN: the tiers of text, words, morphs, glosses, pos, translation."),
]
MarkersOption = Annotated[
    list[str] | None,
    typer.Option(
        "--markers", metavar="ROLE=MARKER,…", help="Toolbox: markers of record, words, morphs, glosses, pos, translation."
    ),
]
LangOption = Annotated[str, typer.Option("--lang", metavar="CODE", help="Preferred language of glosses and translations.")]
EncodingOption = Annotated[
    str, typer.Option("--encoding", metavar="NAME", help="Of the file, when it is not UTF-8 and does not say.")
]
LimitOption = Annotated[int, typer.Option("--max-mb", min=1, help="An XML file with more megabytes is not read.")]


def check(
    file: FileArgument,
    format: FormatOption = None,  # noqa: A002
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a sentence, and one with the sums.")] = False,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Where to; - is stdout.", allow_dash=True)
    ] = Path("-"),
    grams: Annotated[
        Path | None, typer.Option("--grams", metavar="FILE", help="A table with abbreviations of your own.")
    ] = None,
    tiers: TiersOption = None,
    markers: MarkersOption = None,
    lang: LangOption = "en",
    encoding: EncodingOption = "",
    max_mb: LimitOption = 200,
    strict: common.Strict = False,
    quiet: common.Quiet = False,
    verbose: common.Verbose = False,
) -> None:
    """Say for each sentence what does not line up and how to mend it, and its level by the Leipzig Glossing Rules.

    Level 1: every word has a gloss; 2: and every morpheme; 3: and all abbreviations are known.

    Example: proj check texts.flextext --json > report.jsonl
    """
    talk.set(quiet, verbose)
    from divproj.gloss.grade import KINDS, grade

    faults = common.faults_for(strict)
    known = _known(grams)
    levels: Counter[int] = Counter()
    kinds: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    with _console(output) as console:
        for igt in talk.progress(_instances(file, format, faults, tiers, markers, lang, encoding, max_mb), "sentences"):
            found = grade(igt, known)
            levels[found.level] += 1
            kinds.update({finding.kind for finding in found.findings})
            unknown.update(found.unknown)
            if as_json:
                _say(console, json.dumps(_as_json(igt, found), ensure_ascii=False))
            else:
                _print(console, igt, found)
        sign = common.signature(cmd="check", format=format or "guessed", lang=lang, known=len(known))
        if as_json:
            sums = {
                "signature": sign,
                "sentences": levels.total(),
                "levels": {str(level): levels[level] for level in range(4)},
                "findings": {kind: kinds[kind] for kind in KINDS if kinds[kind]},
                "unknown": dict(sorted(unknown.items(), key=lambda item: (-item[1], item[0]))),
                "faults": [str(fault) for fault in faults.noted],
            }
            _say(console, json.dumps(sums, ensure_ascii=False))
        else:
            _print_sums(console, levels, kinds, unknown, sign)
    _tell(faults)


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="Interlinear text in any format; - is stdin.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="Where to: .conllu, .xml (Xigt) or .txt; - is stdout.")],
    format: FormatOption = None,  # noqa: A002
    to: Annotated[Target | None, typer.Option("--to", help="Format of OUT; by its ending when not given.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace OUT if it exists.")] = False,
    bare: Annotated[bool, typer.Option("--bare", help="Plain text without the # key = value lines.")] = False,
    tiers: TiersOption = None,
    markers: MarkersOption = None,
    lang: LangOption = "en",
    encoding: EncodingOption = "",
    max_mb: LimitOption = 200,
    strict: common.Strict = False,
    quiet: common.Quiet = False,
    verbose: common.Verbose = False,
) -> None:
    """Carry interlinear text to CoNLL-U, Xigt or plain text; trees and tags that are there are kept as they are.

    Example: proj convert story.eaf story.conllu --tiers words=word,glosses=gl,translation=ft
    """
    talk.set(quiet, verbose)
    from divproj.errors import FormatError, ProjError, Where
    from divproj.gloss.grade import grade
    from divproj.io import igt as plain
    from divproj.io import igt_conllu, xigt
    from divproj.io.files import writing

    kind = to or _target(target)
    if target != "-" and Path(target).exists() and not force:
        raise ProjError("this file exists already", Where(target), "--force replaces it")
    faults = common.faults_for(strict)
    counts = [0, 0]

    def watched() -> Iterator[Igt]:
        for igt in _instances(source, format, faults, tiers, markers, lang, encoding, max_mb):
            found = grade(igt)
            counts[0] += 1
            if not found.level:
                counts[1] += 1
                talk.warn(FormatError(found.findings[0].what, igt.where, found.findings[0].remedy))
            yield igt

    with writing(target) as out:
        instances = talk.progress(watched(), "sentences")
        if kind is Target.plain:
            plain.dump(instances, out, bare=bare)
        else:
            (igt_conllu if kind is Target.conllu else xigt).dump(instances, out)
    _tell(faults)
    broken = f", {counts[1]} of them with lines that do not fit (proj check says which)" if counts[1] else ""
    talk.say(f"{counts[0]} sentence{'s' * (counts[0] != 1)} written{broken}: {target}")


def _target(name: str) -> Target:
    if name == "-":
        return Target.conllu
    path = Path(name)
    ending = (path.with_suffix("") if path.suffix == ".gz" else path).suffix.lower()
    if ending not in ENDINGS:
        raise typer.BadParameter(f"OUT ends in '{ending}', one of {', '.join(ENDINGS)} expected; or say --to")
    return ENDINGS[ending]


def _instances(
    file: str, kind: Format | None, faults: Faults, tiers: list[str] | None, markers: list[str] | None,
    lang: str, encoding: str, max_mb: int,
) -> Iterator[Igt]:  # fmt: skip
    from divproj.io import igt

    options: dict[str, Any] = {"lang": lang, "encoding": encoding, "max_bytes": max_mb << 20}
    named = {"tiers": _named(tiers, "--tiers"), "markers": _named(markers, "--markers")}
    return igt.load(file, kind.value if kind else None, faults, **options, **named)


def _named(given: list[str] | None, option: str) -> dict[str, str]:
    """`words=tx,glosses=ge` as a mapping."""
    found: dict[str, str] = {}
    for pair in (part for text in given or () for part in text.split(",") if part.strip()):
        role, eq, name = pair.partition("=")
        if not eq or not name.strip():
            raise typer.BadParameter(f"{option} takes ROLE=NAME, separated by commas, not '{pair}'")
        found[role.strip()] = name.strip()
    return found


def _known(own: Path | None) -> frozenset[str]:
    """Abbreviations of the shipped table and of the user's."""
    from divproj.gloss.grade import LEIPZIG
    from divproj.gloss.grams import Grams

    tables = [Grams.shipped(), *([Grams.load(own)] if own else [])]
    return LEIPZIG | {name for table in tables for row in table.rows for name in (row.name, *row.synonyms)}


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
    console.print(text, markup=False, highlight=False, soft_wrap=True, emoji=False)


def _as_json(igt: Igt, found: Grade) -> dict[str, Any]:
    return {
        "path": igt.where.path,
        "line": igt.where.line,
        "sent_id": igt.sent_id,
        "level": found.level,
        "words": len(igt.words),
        "findings": [{"kind": x.kind, "word": x.word, "what": x.what, "remedy": x.remedy} for x in found.findings],
        "unknown": list(found.unknown),
    }


def _print(console: Console, igt: Igt, found: Grade) -> None:
    if found.findings:
        _say(console, common.harmless(f"{igt.where}: level {found.level}"))
    for finding in found.findings:
        place = f", word {finding.word}" if finding.word else ""
        _say(console, common.harmless(f"  {finding.kind}{place}: {finding}"))


def _print_sums(console: Console, levels: Counter[int], kinds: Counter[str], unknown: Counter[str], sign: str) -> None:
    from divproj.gloss.grade import KINDS, LEVELS

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
    _say(console, f"{total} sentence{'s' * (total != 1)}")
    _say(console, sign)


def _tell(faults: Faults) -> None:
    if faults.noted:
        n = len(faults.noted)
        talk.say(f"proj: {n} fault{'s' * (n != 1)} in the file itself; what could be read was")
