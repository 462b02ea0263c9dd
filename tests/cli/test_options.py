"""One vocabulary of options: the same name, meaning and declaration in every command."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest
from cli.commands import ROOT, proj
from cli.test_help import COMMANDS

import divproj
from proj_cli import commands, options
from proj_cli.common import ARGUMENTS, as_options

CORPUS = ROOT / "corpora" / "deu-eng"
READER = {"--format", "--tiers", "--markers", "--columns", "--gloss-lang", "--encoding"}
READS_TEXT = [("project",), ("review",), ("words",), ("check",), ("convert",), ("parse",)]
"""Commands that read interlinear text, as their own input or beside it."""
SHARED = {
    "--scheduler": "Number of processes, 0 for one per core; or the Dask scheduler of a cluster. The output is the same.",
    "--strict": "Stop at the first error, or leave faulty sentences out with a warning.",
    "--quiet": "Print errors only.",
    "--verbose": "Show every warning.",
    "--e-style": "Heads of E trees: ud (content words), function, adpositions, determiners; or as-is.",
    "--ignore-ids": "Pair sentences by their order even if their ids differ.",
    "--grams": "Your own gloss abbreviations (TSV).",
    "--tiers": "Which tier, marker or column has the text, words, morphs, glosses, pos, translation.",
    "--encoding": "Encoding of a file that is not UTF-8 and does not name it.",
}
"""Options that mean the same wherever they are."""


def named(command: Any) -> dict[str, Any]:
    return {name: param for param in command.params for name in (*param.opts, *param.secondary_opts) if name.startswith("-")}


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_shared_options_are_the_same_everywhere(words: tuple[str, ...]):
    found = named(COMMANDS[words])
    for name, about in SHARED.items():
        if name in found:
            assert found[name].help == about
    if "-j" in found:
        assert found["-j"] is found["--jobs"]
    assert "--force" not in found or found["--force"].is_flag, "--force replaces a file"
    if "--format" in found:
        assert found["--format"].help.startswith(
            "Format of the text; by default recognised from its content. One of plain, conllu"
        )
    assert "--links" not in found or found["--links"].metavar == "FILE"
    assert "--lang" not in found or words == ("parse",), "--lang is the language of a parser"


@pytest.mark.parametrize("words", READS_TEXT, ids=" ".join)
def test_whoever_reads_interlinear_text_takes_the_options_of_readers(words: tuple[str, ...]):
    assert set(named(COMMANDS[words])) >= READER


def test_links_are_a_file_wherever_pairs_are_read():
    for words in (
        ("project",),
        ("review",),
        ("parse",),
        ("align", "pairs"),
        ("induce", "train"),
    ):
        assert named(COMMANDS[words])["--links"].metavar == "FILE"


def test_groups_become_options():
    def own(*, source: str, reader: options.Reader, keep: options.Keep) -> None:
        seen.append((source, reader, keep))

    seen: list[Any] = []
    own.__annotations__ = {"source": str, "reader": options.Reader, "keep": options.CheckpointOptions}
    made = options.command(own)
    names = list(inspect.signature(made).parameters)
    expected = ["source", "format", "tiers", "gloss_lang", "encoding", "resume", "checkpoint", "quiet", "verbose"]
    assert names == expected
    made("text.txt", gloss_lang="es", resume=True)
    [(source, reader, keep)] = seen
    assert (source, reader.gloss_lang, reader.tiers, keep.resume) == ("text.txt", "es", None, True)


def test_options_of_readers_are_refused_where_no_interlinear_text_is_read():
    done = proj("parse", CORPUS / "igt.txt", "--lang", "en", "--encoding", "latin-1")
    assert done.returncode == 2
    assert "--gloss-lang and --encoding are for" in " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_one_rule_about_overwriting(words: tuple[str, ...]):
    """What an option names is replaced unless it is an input; an argument is replaced only with --force. All are guarded."""
    command = COMMANDS[words]
    assert isinstance(command, commands.Guarded)
    for param in command.params:
        written = param.name in commands.OUTPUTS or (words[-1], param.name) in commands.ALSO
        if written and param.param_type_name == "argument":
            assert "--force" in named(command)
        about = (getattr(param, "help", None) or "").lower()
        if getattr(param, "metavar", None) in ("FILE", "DIR", "MODEL", "OUT") and re.match(
            r"(write|save|folder to write|plot of)\b", about
        ):
            assert written, f"{param.name} is written: name it in guard.OUTPUTS"


@pytest.mark.parametrize(
    ("words", "lists"),
    [
        (["project", CORPUS, "--system", "s9"], "s1-r"),
        (["project", CORPUS, "--rules", "xxx"], "deu"),
        (["project", CORPUS, "--e-style", "xxx"], "function"),
        (["analyze", "xxx-eng"], "deu-eng"),
        (["parse", CORPUS / "igt.txt", "--lang", "xx"], "en"),
        (["project", CORPUS / "igt.txt", "--e-parser", "xx"], "en"),
    ],
    ids=["system", "rules", "style", "corpus", "language", "parser"],
)
def test_an_unknown_name_lists_what_there_is(words: list[Any], lists: str):
    done = proj(*words)
    assert done.returncode in (1, 2)
    assert lists in done.stderr.replace("\n", " ")


def test_messages_of_the_library_name_arguments_and_those_of_commands_options():
    with pytest.raises(divproj.ProjError) as error:
        list(divproj.read("x.elan", format="elam"))
    assert "`format" in str(error.value) or "--" not in str(error.value)
    assert as_options("name it with `format=elan`, or give `e_parser`") == "name it with --format elan, or give --e-parser"
    done = proj("analyze", "no-such-corpus")
    assert "the files of F, E and the links" in done.stderr


def test_no_message_of_the_library_names_an_option():
    """Remedies name arguments in backticks; what the command line asks of others, or names of its own files, is no remedy."""
    allowed = ("run/", "review/workbench.py", "drawing/", "divproj/review/page")
    found = []
    for path in sorted((ROOT / "src" / "divproj").rglob("*.py")):
        name = path.relative_to(ROOT / "src" / "divproj").as_posix()
        if name.startswith(allowed):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            asked = ("raise " in line or "Error(" in line or "remedy" in line.lower()) and " --" in line
            if asked and "proj " not in line and "UDPipe" not in line:
                found.append(f"{name}:{number}: {line.strip()}")
    assert found == []


def test_every_argument_that_messages_name_is_an_option():
    known = {name for command in COMMANDS.values() for name in named(command)}
    assert {f"--{name.replace('_', '-')}" for name in ARGUMENTS.split()} <= known
