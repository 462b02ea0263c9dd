"""What commands write on shipped texts, pinned line by line: a change of any tree, table or link is noticed here.

`outputs.toml` has, for each case, its commands and a fingerprint of every result: of the standard output of each command (`stdout 1`) and of
each file written to `out/`. Texts are not kept, so that the file stays small; a test that fails prints the lines that are new.
When a change of results is meant:

    pytest tests/golden/test_outputs.py --update-outputs

then look at `git diff tests/golden/outputs.toml`, and list the change in CHANGELOG.md under **Results**. A new case needs only its
`commands` in the file; the switch adds the rest.

A fingerprint has one hash for the text, a short one for each line, and the sum of the decimal numbers. These are not part of the hashes and
their sum has a tolerance, because the last digit of a confidence may depend on the machine. Versions, times and dates are left out.
"""

from __future__ import annotations

import difflib
import fcntl
import hashlib
import re
import shlex
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli.commands import ROOT, proj

RECORD = Path(__file__).with_name("outputs.toml")
SENTENCES = 8
"""Taken from each text."""
VOLATILE = (
    (r"divproj[: ]\d+\.\d+[\w.+-]*", "divproj:VERSION"),
    (r'("divproj"|"version"): "\d+\.\d+[\w.+-]*"', r'\1: "VERSION"'),
    (r" *\b\d+\.\d+ s\b", " TIME s"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?", "DATE"),
)
DECIMAL = re.compile(r"(?<![\w.])-?(?:\d+\.\d+(?:e[+-]?\d+)?|\d+e-\d+)(?![\w.])")
SHOWN = 6
"""Lines shown of a result that differs."""
SHORT = 3
"""Hexadecimal digits of the hash of a line."""
HEADER = "# Written by `pytest tests/golden/test_outputs.py --update-outputs`; the commands are written by hand.\n"
OLD = """(S (NP (DT the) (JJ old) (NN miller)) (VP (VBD slept) (PP (IN under) (NP (DT the) (NN tree)))) (. .))
(S (NP (NNS children)) (VP (VBP collect) (NP (JJ white) (NNS stones))))
(S (NP (PRP she)) (VP (VBD showed) (NP (PRP him)) (NP (DT the) (NN way))))
(S (NP (NNS bees)) (VP (VBP make) (NP (NN honey)) (ADVP (RB here))))
"""
NEW = """(S (PP (IN under) (NP (DT the) (NN tree))) (, ,) (NP (DT the) (JJ old) (NN miller)) (VP (VBD slept)) (. .))
(S (NP (JJ white) (NNS stones)) (VP (VBP are) (VP (VBN collected) (PP (IN by) (NP (NNS children))))))
(S (NP (PRP she)) (VP (VBD showed) (NP (DT the) (NN way)) (PP (TO to) (NP (PRP him)))))
(S (ADVP (RB here)) (NP (NN honey)) (VP (VBZ is) (VP (VBN made) (PP (IN by) (NP (NNS bees))))))
"""


@dataclass(frozen=True)
class Fingerprint:
    """What is kept of a text: a hash, the hashes of its lines, and the sum of its decimal numbers."""

    text: str
    lines: str
    decimals: float

    @classmethod
    def of(cls, text: str) -> Fingerprint:
        whole = "\n".join(line for line, _ in parts(text))
        total = sum(float(number) for _, numbers in parts(text) for number in numbers)
        return cls(hashed(whole, 16), "".join(hashed(line, SHORT) for line, _ in parts(text)), round(total, 3))

    def differences(self, text: str) -> list[str]:
        """Return the lines of a text that are not the recorded ones, and whether its decimals have another sum."""
        now, rows = Fingerprint.of(text), []
        if now.text != self.text:
            old, new = ([one.lines[k : k + SHORT] for k in range(0, len(one.lines), SHORT)] for one in (self, now))
            for kind, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
                rows += [f"line {k + 1}: {j - i} lines are missing here"] if kind == "delete" else []
                rows += [f"line {at}: {text.splitlines()[at - 1]}" for at in range(k + 1, m + 1) if kind != "equal"]
            rows = [*rows[:SHOWN], f"… {len(rows) - SHOWN} more"] if len(rows) > SHOWN else rows
        if now.decimals != pytest.approx(self.decimals, rel=1e-4, abs=0.025):
            rows.append(f"the sum of its decimal numbers is {now.decimals}, not {self.decimals}")
        return rows


def hashed(text: str, digits: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:digits]


def parts(text: str) -> list[tuple[str, list[str]]]:
    """Return each line without what is volatile and without decimal numbers, and these numbers."""
    for pattern, instead in VOLATILE:
        text = re.sub(pattern, instead, text)
    return [(DECIMAL.sub("#", line), DECIMAL.findall(line)) for line in text.splitlines()]


def read(record: Path) -> dict[str, dict[str, object]]:
    return tomllib.loads(record.read_text(encoding="utf-8"))


def update(record: Path, name: str, results: dict[str, Fingerprint]) -> None:
    """Replace the results of one case; workers of pytest take turns."""
    with open(record, "r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        cases = tomllib.loads(file.read())
        cases[name]["results"] = {each: vars(fingerprint) for each, fingerprint in results.items()}
        file.seek(0)
        file.truncate()
        file.write(written(cases))


def written(cases: dict[str, dict[str, object]]) -> str:
    """Return the record as TOML."""
    rows = [HEADER]
    for name, case in cases.items():
        rows += [f'["{name}"]', "commands = [", *(f"  '{command}'," for command in case["commands"]), "]"]
        for result, fingerprint in case.get("results", {}).items():
            rows.append(f'["{name}".results."{result}"]')
            rows += [
                f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {value}" for key, value in fingerprint.items()
            ]
        rows.append("")
    return "\n".join(rows)


def texts() -> dict[str, str]:
    """Return the inputs by name: two bilingual corpora as one folder, a glossed text with gold trees, and bracketed trees."""
    inputs = {"own/old.mrg": OLD, "own/new.mrg": NEW}
    for name, between in (("f.conllu", "\n\n"), ("e.conllu", "\n\n"), ("align.txt", "\n"), ("igt.txt", "\n\n")):
        inputs[f"mixed/{name}"] = "".join(first(ROOT / "corpora" / code / name, between) for code in ("hin-eng", "spa-eng"))
        inputs[f"deu/{name}"] = first(ROOT / "corpora" / "deu-eng" / name, between)
    for name in ("turkish.txt", "gold.conllu"):
        inputs[f"turkish/{name}"] = first(ROOT / "tutorial" / name, "\n\n")
    return inputs


def first(path: Path, between: str) -> str:
    """Return the first sentences of a file."""
    return "".join(block + between for block in path.read_text(encoding="utf-8").split(between)[:SENTENCES])


def results_of(commands: list[str], folder: Path) -> dict[str, str]:
    """Run commands in a folder and return what they wrote to standard output and to `out/`."""
    for name, text in texts().items():
        path = folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "out").mkdir()
    results = {}
    for number, command in enumerate(commands, 1):
        done = proj(*shlex.split(command), cwd=folder)
        assert done.returncode == 0, f"proj {command}\n{done.stderr}"
        if done.stdout:
            results[f"stdout {number}"] = done.stdout
    for path in sorted((folder / "out").rglob("*")):
        if path.is_file() and path.name != ".lock":
            results[path.relative_to(folder / "out").as_posix()] = path.read_text(encoding="utf-8")
    return {name: text.replace(str(folder), "WORK") for name, text in results.items()}


@pytest.mark.skipif(sys.platform != "linux", reason="digests are recorded on Linux")
@pytest.mark.parametrize("name", read(RECORD))
def test_results(name: str, tmp_path: Path, request: pytest.FixtureRequest):
    case = read(RECORD)[name]
    results = results_of(case["commands"], tmp_path)
    assert results, "the commands write nothing"
    if request.config.getoption("--update-outputs"):
        update(RECORD, name, {each: Fingerprint.of(text) for each, text in results.items()})
        return
    recorded = {each: Fingerprint(**values) for each, values in case["results"].items()}
    report = [f"{each}: not written" for each in recorded if each not in results]
    report += [f"{each}: not in the record" for each in results if each not in recorded]
    for each in recorded.keys() & results.keys():
        if rows := recorded[each].differences(results[each]):
            report.append("\n    ".join([f"{each} differs:", *rows]))
    update_it = "If this is meant: pytest tests/golden/test_outputs.py --update-outputs"
    assert not report, "\n".join([f"case {name}", *(f"  proj {command}" for command in case["commands"]), *report, update_it])


def test_every_system_of_the_list_has_a_case():
    """But for variants that differ from others only in the trees they learn from or see."""
    names = set(re.findall(r"^ *(s\d(?:-\w)?\+?) ", proj("systems").stdout, re.M))
    assert {"s1-r", "s6+"} <= names
    assert names - {"s3-2", "s3-3", "s3-4", "s3-5", "s4-3"} <= set(read(RECORD))


def test_a_difference_is_shown():
    text = "1\tHund\tProjConf=0.90\n2\tbellt\tProjConf=0.80\n3\t.\tProjConf=1.00\n"
    recorded = Fingerprint.of(text)
    assert recorded.differences(text) == []
    assert recorded.differences(text.replace("0.90", "0.91")) == []  # the last digit of one word
    assert recorded.differences(text.replace("0.90", "0.50")) == ["the sum of its decimal numbers is 2.3, not 2.7"]
    assert recorded.differences(text.replace("bellt", "schläft")) == ["line 2: 2\tschläft\tProjConf=0.80"]
    assert recorded.differences(text.replace("2\tbellt\tProjConf=0.80\n", "")) == [
        "line 2: 1 lines are missing here",
        "the sum of its decimal numbers is 1.9, not 2.7",
    ]
    many = recorded.differences("\n".join("abcdefghij"))
    assert many[-2] == "… 4 more"
    assert Fingerprint.of("divproj:1.2.0 0.31 s") == Fingerprint.of("divproj:3.0 7.5 s")


def test_a_record_is_written_as_it_is_read(tmp_path: Path):
    record = tmp_path / "outputs.toml"
    record.write_text("['a']\ncommands = ['x --y', 'z']\n['b.c']\ncommands = ['w']\n")
    update(record, "a", {"stdout 1": Fingerprint.of("1 0.25"), "a/b.txt": Fingerprint.of("")})
    cases = read(record)
    assert cases["a"]["commands"] == ["x --y", "z"]
    assert Fingerprint(**cases["a"]["results"]["stdout 1"]) == Fingerprint.of("1 0.25")
    assert cases["b.c"] == {"commands": ["w"]}
    assert written(cases) == record.read_text()
