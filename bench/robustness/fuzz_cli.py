"""The command line under attack: mutants of good files, options at random, closed streams, odd encodings and names.

python bench/robustness/fuzz_cli.py --count 2000 --seed 1
python bench/robustness/fuzz_cli.py --formats --count 2000 --seed 1   # files of FLEx, ELAN, Toolbox, LaTeX … through every command

Each case is one process, forked from one that has the package loaded, in a folder of its own. Its files know the format that they
break: rows lose columns, heads make cycles, tags are empty or endless, links point nowhere, sentences have no end, JSON no bottom.
Afterwards must hold: exit code 0, 1 (and one line `proj: …` says why) or 2; no traceback; an end within the time for a case; memory
within bounds; what is written to standard output is UTF-8; no input changed; no temporary file left.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:1] = [str(ROOT / "tests"), str(ROOT)]
from bench.common import Table  # noqa: E402

CPU, MEMORY = 60, 4 << 30
"""Seconds of processor time and bytes of address space for one case."""
CODES = {0, 1, 2, 3}
ENCODINGS = ({}, {}, {}, {"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1"}, {"LC_ALL": "C", "PYTHONUTF8": "0"})
FIELDS = (
    "",
    "_",
    "x" * 5000,
    "\0",
    "é",
    "\ud83d\ude00",
    "a b",
    "|",
    "=",
    "[/x]",
    "\x1b[2J",
    "<b>",
    "-1",
    "0",
    "99999",
    "1-2",
    "٣",
    "1e9",
)


@dataclass
class Case:
    """What one process is given."""

    arguments: list[str]
    closed: tuple[int, ...] = ()
    encoding: dict[str, str] = field(default_factory=dict)


def conllu(text: str, chance: random.Random) -> str:
    """A treebank with one of the faults that treebanks have."""
    blocks = [block.split("\n") for block in text.strip().split("\n\n")]
    block = chance.choice(blocks)
    rows = [k for k, row in enumerate(block) if row and not row.startswith("#")]
    k = chance.choice(rows)
    cells = block[k].split("\t")
    what = chance.randrange(9)
    if what == 0:
        cells[chance.randrange(len(cells))] = chance.choice(FIELDS)
    elif what == 1:
        cells[6] = str(chance.choice((0, k, len(rows), len(rows) + 1, cells[0], 10**9)))
    elif what == 2:
        cells = cells[: chance.randrange(len(cells))] if chance.random() < 0.5 else [*cells, "more"]
    elif what == 3:
        block.insert(k, f"{cells[0]}-{chance.randint(0, 9)}\t" + "\t".join(cells[1:]))
    elif what == 4:
        block.insert(k, f"{chance.randint(0, 9)}.1\t" + "\t".join(cells[1:]))
    elif what == 5:
        block.insert(
            0, chance.choice(("#", "# sent_id", "# sent_id = ", "# text = \0", "# gold = yes", "# lines = 9 9 9", "#" * 9999))
        )
    elif what == 6:  # a sentence without end
        n = chance.choice((200, 700, 3000))
        block[:] = [f"{j}\tw{j}\tw\tNOUN\tNN\t_\t{j - 1}\t{'dep' if j > 1 else 'root'}\t_\t_" for j in range(1, n + 1)]
    elif what == 7:
        del block[k]
    else:
        chance.shuffle(block)
    if what in (0, 1, 2) and k < len(block):
        block[k] = "\t".join(cells)
    return "\n\n".join("\n".join(rows) for rows in blocks) + chance.choice(("\n\n", "\n", "", "\r\n\r\n"))


def links(text: str, chance: random.Random) -> str:
    rows = text.splitlines()
    k = chance.randrange(len(rows))
    rows[k] = chance.choice(
        ("", "0-0 0-0", "999-0", "0-999", "a-b", "1", "-", "0-", "1--1", "0-0 " * 3000, "0p0", "²-1", "0-0\t1-1")
    )
    if chance.random() < 0.2:
        rows = rows[:k] if chance.random() < 0.5 else rows * 2
    return "\n".join(rows) + "\n"


def interlinear(text: str, chance: random.Random) -> str:
    rows = text.split("\n")
    k = chance.randrange(len(rows))
    what = chance.randrange(4)
    if what == 0:
        rows[k] = rows[k] + chance.choice((" more", "\tmore", "-", "=", " " * 3000, "'"))
    elif what == 1:
        del rows[k]
    elif what == 2:
        rows[k] = chance.choice(("\\gll a b", "'open", "<!-- ", "\\t x", "# lines = 3", "a-" * 3000, "w " * 2000))
    else:
        rows.insert(k, chance.choice(rows))
    return "\n".join(rows)


def files(here: Path, chance: random.Random) -> Path:
    """A small corpus, with mutants among its files, in a folder whose name may be odd."""
    from fuzz.mutate import of_bytes, of_json

    name = chance.choice(sorted(p.name for p in (ROOT / "corpora").iterdir() if p.is_dir()))
    folder = Path(
        os.fsdecode(os.fsencode(here) + b"/" + chance.choice((b"c", b"c", b"c", b"\xff\xfe", "ду шэ".encode(), b"a'b\"<&>")))
    )
    folder.mkdir()
    few = chance.choice((3, 10, 70))
    for file in ("f.conllu", "e.conllu", "align.txt", "igt.txt"):
        whole = (ROOT / "corpora" / name / file).read_text(encoding="utf-8")
        short = (
            "\n".join(whole.splitlines()[:few]) + "\n"
            if file == "align.txt"
            else "\n\n".join(whole.split("\n\n")[:few]) + "\n\n"
        )
        data = short.encode()
        if chance.random() < 0.5:
            own = {"align.txt": links, "igt.txt": interlinear}.get(file, conllu)
            data = own(short, chance).encode("utf-8", "surrogatepass") if chance.random() < 0.7 else of_bytes(data, chance)
        (folder / file).write_bytes(data)
    deep = chance.choice(
        ('{"source": "(S (N a))", "target": "(S (N b))"}\n', "[" * 50_000 + "\n", '{"tight": [[0, 1, 0, 1]]}\n')
    )
    (folder / "pairs.jsonl").write_bytes(deep.encode() if chance.random() < 0.5 else of_json(deep.encode(), chance))
    (folder / "rules.json").write_bytes(of_json((ROOT / "rules" / "deu.json").read_bytes(), chance))
    (folder / "divproj.toml").write_text(
        '[input]\ntext = "igt.txt"\ntrees = "e.conllu"\n[project]\nsystem = "s1-r"\n', encoding="utf-8"
    )
    return folder


def case(c: Path, o: Path, chance: random.Random) -> Case:
    """A command with options at random over these files."""
    f, e, align = str(c / "f.conllu"), str(c / "e.conllu"), str(c / "align.txt")
    any_file = str(
        c / chance.choice(("f.conllu", "e.conllu", "align.txt", "igt.txt", "pairs.jsonl", "rules.json", "divproj.toml", "none"))
    )
    out = chance.choice(
        (str(o / "out.conllu"), str(o / "out.conllu"), "-", "/dev/null", str(o / "no" / "x"), str(o), f, str(o / "x.gz"))
    )
    few = lambda *options: [x for option in options if chance.random() < 0.35 for x in option]  # noqa: E731
    strict, quiet = ["--strict"], ["-q"]
    made = [
        ["analyze", str(c), *few(strict, ["--json"], ["--edges"], ["--extended"], ["--ignore-ids"], ["--csv", str(o / "t")], ["--html", out])],
        ["analyze", any_file, e, align, *few(strict, ["--ignore-ids"])],
        ["analyze", "-", e, align],
        ["draw", str(c), "--sent", chance.choice(("1", "0", "99", "")), "-o", out],
        ["draw", str(c), "--text"],
        ["project", str(c), "-o", out, *few(["--system", chance.choice(("s1-l", "s2+", "s5", "x"))], ["--rules", "deu"], ["--html", out],
                                            ["--links-out", str(o / "l")], ["--e-out", str(o / "e")], ["--refine-links"])],
        ["project", f, "--e", e, "--links", align, "--rules", str(c / "rules.json"), "-o", out],
        ["project", any_file, "--e", e, "-o", out, *few(["--format", chance.choice(("conllu", "toolbox", "xigt", "odin", "x"))])],
        ["project", "-", "--e", e],
        ["learn", str(c), "-o", out, *few(strict)],
        ["rules", "show", chance.choice((str(c / "rules.json"), any_file, "deu"))],
        ["check", any_file, *few(["--json"], ["-o", out])],
        ["convert", any_file, str(o / chance.choice(("x.conllu", "x.xml", "x.txt", "x.doc"))), *few(["--force"], ["--to", "conllu"])],
        ["convert", f, str(o / "y.xml")],
        ["evaluate", f, chance.choice((f, e, any_file)), *few(["--json"], ["--brackets"], ["--word-links"], ["--phrases"])],
        ["evaluate", align, align, "--word-links"],
        ["words", str(c), "--fast", "-o", out, *few(["--save", str(o / "m")], ["--seed", "3"], ["--shard", "5"])],
        ["words", any_file, e, "--fast", "-o", out],
        ["align", f, e, "--links", align, "-o", out, "--no-lexical", "--set", "max_seconds=1"],
        ["align", str(c / "pairs.jsonl"), "--no-lexical", "-o", out, *few(strict)],
        ["induce", str(c), "-o", str(o / "m"), "--sweeps", "1", "--chains", "1"],
        ["parse", chance.choice((e, any_file)), "--lang", "en", "-o", out, *few(["--keep-lines"], ["--no-confidence"], ["--nbest", "2"])],
        ["parse", "-", "--lang", chance.choice(("en", "xx"))],
        ["run", str(c / "divproj.toml"), "-o", str(o / "r"), "-j", "1"],
        ["corpora"], ["cite"], ["--help"], ["--version"], [chance.choice(("analyze", "project", "words", "nonsense")), "--help"],
        ["project", str(c), chance.choice(("--no-such", "-o", "--system", "--jobs=x", "--e-best=0"))],
    ]  # fmt: skip
    closed = tuple(n for n in (0, 1, 2) if chance.random() < 0.06)
    return Case([*chance.choice(made), *few(quiet)], closed, chance.choice(ENCODINGS))


PIECES = {"<": rb"<[^<>]*>|[^<]+|<", "\\": rb"\\\w+[ ]?|[{}]|[^\\{}]+|\\", "": rb"[^\n]*\n|[^\n]+"}
"""What a file consists of, by the sign that it is full of: tags and texts, macros and braces, lines."""


def pieces(data: bytes, chance: random.Random) -> bytes:
    """A file of which tags, macros or lines are missing, doubled, exchanged, moved, emptied, or from elsewhere in the file."""
    kind = (
        "<"
        if data.count(b"<") > 20
        else "\\"
        if data.count(b"\\") > 10 and data.count(b"{") > 10 and chance.random() < 0.8
        else ""
    )
    parts = re.findall(PIECES[kind], data)
    for _ in range(chance.choice((1, 1, 2, 4))):
        k, other = chance.randrange(len(parts)), chance.randrange(len(parts))
        match chance.randrange(7):
            case 0:
                parts[k] = b""
            case 1:
                parts[k] *= chance.choice((2, 2, min(3000, 1 + 1_000_000 // (1 + len(parts[k])))))
            case 2:
                parts[k], parts[other] = parts[other], parts[k]
            case 3:
                parts.insert(other, parts[k])
            case 4:
                parts[k:] = parts[k : k + 1]
            case 5:  # a value, a cell or a word
                words = re.split(rb"([\"\t ;|{}]+)", parts[k])
                words[2 * chance.randrange((len(words) + 1) // 2)] = chance.choice(FIELDS).encode("utf-8", "surrogatepass")
                parts[k] = b"".join(words)
            case _:
                parts[k] = parts[k].replace(b"=", b"", 1) if chance.random() < 0.5 else parts[k].rstrip(b">\n}")
    return b"".join(parts)


def formats() -> dict[str, list[tuple[str, bytes]]]:
    """File name and content of each sample, by format."""
    from fuzz.igt_seeds import OTHERS
    from fuzz.readers import FIXTURES, SAMPLES

    endings = {
        "latex": "tex",
        "document": "docx",
        "table": "xlsx",
        "json": "json",
        "textgrid": "TextGrid",
        "exmaralda": "exb",
        "chat": "cha",
    }
    samples = {name: [(file, (FIXTURES / file).read_bytes()) for file in files] for name, files in SAMPLES.items()}
    for name, contents in OTHERS.items():
        ending = endings.get(name, "xml" if contents[0].startswith(b"<") else "txt")
        samples.setdefault(name, []).extend(
            (f"x.{ending if data.startswith(b'PK') or ending not in ('docx', 'xlsx') else 'csv'}", data) for data in contents
        )
    return samples


def format_files(here: Path, chance: random.Random) -> Path:
    """A folder with a damaged file of one of the formats, and a config that reads it."""
    from fuzz.igt_seeds import PARTS, with_part
    from fuzz.mutate import of_bytes, of_json

    folder = here / chance.choice(("c", "a folder", "-dash", "ü"))
    folder.mkdir()
    name, data = chance.choice(formats()[chance.choice(sorted(formats()))])
    if data.startswith(b"PK"):
        part = chance.choice(sorted(PARTS))
        name, data = (
            ("x.docx" if part.startswith("word/") else "x.xlsx" if part.startswith("xl/") else "x.ods"),
            with_part(part, pieces(PARTS[part][0], chance)),
        )
    elif name.endswith("json"):
        data = of_json(data, chance)
    else:
        data = pieces(data, chance) if chance.random() < 0.9 else of_bytes(data, chance)
    (folder / name).write_bytes(data)
    (folder / "divproj.toml").write_text(f"[input]\ntext = {json.dumps(name)}\n[report]\npictures = 1\n", encoding="utf-8")
    for more in ("f.conllu", "e.conllu", "align.txt"):
        shutil.copy(ROOT / "corpora" / "deu-eng" / more, here / more)
    return folder


def format_case(folder: Path, o: Path, chance: random.Random) -> Case:
    """A command that reads the file."""
    name = next(path.name for path in sorted(folder.iterdir()) if path.name != "divproj.toml")
    text, f, e = str(folder / name), str(folder.parent / "f.conllu"), str(folder.parent / "e.conllu")
    out = str(o / "out.conllu")
    ending = chance.choice(("x.conllu", "x.xml", "x.flextext", "x.eaf", "x.sfm", "x.csv", "x.html", "x.txt", "x.json"))
    commands = [
        ["check", text], ["check", text, "--json"], ["check", text, "-o", str(o / "checked.conllu")], ["convert", text, str(o / ending)],
        ["convert", text, out, "--language", "kol"], ["project", text, "-o", out], ["project", text, "--html", str(o / "p.html"), "-o", out],
        ["project", text, "--system", "s1-r", "--links-out", str(o / "l"), "--e-out", str(o / "e"), "-o", out], ["types", text, "-o", str(o / "types.tsv")],
        ["words", text, "--fast", "-o", str(o / "w")], ["words", text, e, "--fast", "-o", str(o / "w")], ["run", str(folder / "divproj.toml"), "-o", str(o / "r"), "-j", "1"],
        ["draw", text, "--text"], ["analyze", text], ["learn", text, "-o", str(o / "rules.json")], ["find", "upos=NOUN", text], ["evaluate", text, f],
        ["induce", text, "-o", str(o / "m"), "--sweeps", "1", "--chains", "1"], ["align", text, "--no-lexical", "-o", str(o / "p")],
        ["train", text, "-o", str(o / "m"), "--epochs", "1", "--set", "bits=10"], ["parse", text, "--lang", "en", "-o", out], ["new", str(folder)],
        ["experiment", text, "--systems", "s1-r", "--folds", "2"],
    ]  # fmt: skip
    return Case(chance.choice(commands))


def run(found: Case, here: Path) -> int:
    """The case in a process of its own; its exit code, or minus the signal that ended it."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 70
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.chdir(here)  # an output may have any name
        os.environ.update(found.encoding)
        os.dup2(os.open(here / "in", os.O_RDONLY), 0)
        for number, name in ((1, "stdout"), (2, "stderr")):
            os.dup2(os.open(here / name, os.O_WRONLY | os.O_CREAT, 0o600), number)
        encoding = found.encoding.get("PYTHONIOENCODING") or ("ascii" if found.encoding else "utf-8")
        for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
            if number in found.closed:
                os.close(number)
            how = {"encoding": encoding, "errors": "backslashreplace" if number == 2 else "strict"}
            setattr(sys, name, None if number in found.closed else os.fdopen(number, mode, closefd=False, **how))
        sys.argv = ["proj", *found.arguments]
        from proj_cli import main

        main()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        import traceback

        (here / "trace").write_text(traceback.format_exc())
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(code)


def digests(folder: Path) -> dict[str, str]:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def judge(found: Case, code: int, here: Path, before: dict[str, str], folder: Path) -> None:
    """AssertionError where something that must hold does not."""
    trace = here / "trace"
    assert not trace.exists(), trace.read_text(errors="replace")[-1500:]
    err = (here / "stderr").read_bytes().decode("utf-8", "replace")
    assert "Traceback" not in err, err[-1500:]
    assert code != -signal.SIGXCPU, f"no end after {CPU} s of processor time"
    assert code in CODES, f"exit code {code}: {err[-500:]}"
    if code == 1 and not {1, 2} & set(found.closed):
        assert any(line.startswith("proj: ") for line in err.splitlines()), "exit code 1 without a message"
    (here / "stdout").read_bytes().decode("utf-8")
    after = digests(folder)
    changed = [name for name, value in before.items() if after.get(name) != value]
    named = [str(folder / name) in found.arguments and str(folder) not in found.arguments for name in changed]
    asked = changed == ["f.conllu"] and named[0] and found.arguments.count(str(folder / "f.conllu")) == 1  # as an output alone
    assert not changed or asked, f"an input was changed: {changed}"
    left = [path.name for path in (*here.rglob(".*.part"), *here.rglob(".*.part/"))]
    assert not left, f"left behind: {left}"


def one(number: int, seed: int, of_formats: bool) -> tuple[int, str, str]:
    """Exit code, command and what was wrong ('' for nothing) of one case."""
    chance = random.Random(f"{seed} {number}" + " of formats" * of_formats)
    here = Path(tempfile.mkdtemp(prefix="divproj-fuzz-"))
    (here / "o").mkdir()
    folder = (format_files if of_formats else files)(here, chance)
    (here / "in").write_bytes((here if of_formats else folder).joinpath("f.conllu").read_bytes())
    found = (format_case if of_formats else case)(folder, here / "o", chance)
    before, wrong = digests(folder), ""
    code = run(found, here)
    try:
        judge(found, code, here, before, folder)
    except (AssertionError, UnicodeDecodeError) as error:
        wrong = f"case {number} of seed {seed}: proj {' '.join(map(repr, found.arguments))} {found.closed} {found.encoding}\n{error}"
    finally:
        shutil.rmtree(here, ignore_errors=True)
    return code, found.arguments[0], wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--formats", action="store_true", help="Damage to the structure of interlinear files.")
    chosen = parser.parse_args()
    from cli.forks import warm

    os.environ |= {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}  # only one thread may fork
    warm()
    os.environ["NO_COLOR"] = "1"
    codes: Counter[int] = Counter()
    commands: Counter[str] = Counter()
    faults = 0
    for number in range(chosen.first, chosen.first + chosen.count):
        code, command, wrong = one(number, chosen.seed, chosen.formats)
        codes[code] += 1
        commands[command] += 1
        if wrong:
            faults += 1
            print(wrong, flush=True)
    name, corpus = (
        ("fuzz_cli-formats", "damaged interlinear files") if chosen.formats else ("fuzz_cli", "damaged copies of good files")
    )
    with Table(name, f"Exit codes of commands over {corpus}", "exit code", "cases", seed=chosen.seed) as table:
        for code, count in sorted(codes.items()):
            table.add(code, count)
        table.add("all", sum(codes.values()))
        table.note(f"{faults} faults; commands: {', '.join(f'{name} {count}' for name, count in sorted(commands.items()))}")
    return faults > 0


if __name__ == "__main__":
    sys.exit(main())
