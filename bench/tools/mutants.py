"""Deliberate faults in the core modules, and how many of them the tests notice (mutation testing).

python bench/tools/mutants.py [MODULE …] [--sample N] [--seed N] [--minutes M] [--keep] [--list]
python bench/tools/mutants.py --again RESULT … [--keep]
python bench/tools/mutants.py --faults tests/golden/faults.toml [--sample N] [--seed N]

Each mutant is a module with one change: another operator or comparison, another constant, a branch turned round, a sign lost. The tests named
for the module in `TESTS` run on it until the first fails. A mutant that no test notices has survived: a test is missing, or the change
makes no difference (`--list` prints all mutants without running anything, to look at them). Those that make no difference are in `equivalent.toml` with
the reason, and are not drawn. The result is one JSON object, with the kill rate and the survivors of each module; `--keep` puts the rates into
`bench/results/mutants.json`, in place of those that the modules have there. With `--again` only the survivors of former runs (their JSON) are
tried, after tests were written; what was noticed then counts as noticed, and survivors that make no difference count no longer. With `--faults` the faults of a file (module, old and new text, test) are put in instead, and
each has one test that must fail.

Mutants live in a temporary copy of the checkout. A process that has loaded numpy, numba and pytest forks for each. Modules with kernels are tested as plain
Python (`PLAIN`), since compiling each mutant would take most of the time. Tests that call the function of the
mutant are run first, and of these those that noticed former mutants. A mutant that takes far more processor time than the tests without it counts as killed.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import RESULTS, ROOT, Result, Table, commit

EQUIVALENT = Path(__file__).with_name("equivalent.toml")
UNIT, PROPERTY = "tests/unit", "tests/property"
LARGE = f"--deselect={UNIT}/divergence/test_operations.py::TestLarge"
"""Chains of 5,000 words take minutes in plain Python."""
DIVERGENCE = [f"{UNIT}/divergence", f"{PROPERTY}/test_divergence.py", LARGE]
S2 = [f"{UNIT}/projection/{name}.py" for name in ("test_s1", "test_rules", "test_recipes")]
S2_PLUS = ["tests/golden/test_correction_features.py", f"{UNIT}/projection/test_loglinear.py"]
S6 = [
    f"{UNIT}/projection/{name}.py"
    for name in ("test_vote", "test_text_witness", "test_universal", "test_universal_network", "test_word_types")
]
CHART = [f"{UNIT}/projection/phrasal/test_phrase_chart.py", f"{UNIT}/projection/phrasal/test_projector.py"]
PHRASE_MODEL, ORACLE, SEARCHES = (f"{UNIT}/phrases/test_{name}.py" for name in ("phrase_model", "oracle", "searches"))
BY_HUNDREDS = [
    f"--deselect={ORACLE}::test_{name}"
    for name in ("brute_force_equals_chart_packs_and_trace", "sums_and_posteriors_are_those_of_all_sets")
]
"""Hundreds of trees by brute force; `SEARCHES` has fewer."""
CCM, SAMPLER, INDUCER, SPAN_WEIGHTS, EXACT_DRAWS, PAIR_SWEEP = (
    f"{UNIT}/induction/test_{name}.py" for name in ("ccm", "sampler", "inducer", "span_weights", "exact_draws", "pair_sweep")
)
BY_CHANCE = [f"--deselect={SAMPLER}::test_sampled_trees_follow_their_distribution"]
"""Tens of thousands of draws, which take minutes in plain Python; `EXACT_DRAWS` looks at the same without chance."""
WORDS = [f"{UNIT}/links/words"]
TESTS = {
    "divergence/kernel.py": DIVERGENCE,
    "divergence/operations.py": DIVERGENCE,
    "divergence/analysis.py": DIVERGENCE,
    "projection/direct.py": S2,
    "projection/rules.py": S2,
    "projection/systems.py": S2,
    "projection/candidates.py": S2_PLUS,
    "projection/correction.py": [f"{UNIT}/projection/test_decode.py", *S2_PLUS],
    "projection/parsers.py": [
        *S2,
        f"{UNIT}/projection/test_edges.py",
        f"{UNIT}/projection/test_recipes.py",
        f"{UNIT}/projection/test_parsed.py",
    ],
    "projection/glossed/s6.py": S6,
    "projection/phrasal/chart.py": CHART,
    "phrases/em.py": [PHRASE_MODEL],
    "phrases/model.py": [PHRASE_MODEL],
    "phrases/beam_search.py": [SEARCHES, ORACLE, *BY_HUNDREDS],
    "phrases/problem.py": [PHRASE_MODEL, ORACLE],
    "phrases/chart.py": [ORACLE],
    "induction/ccm.py": [CCM, SAMPLER, SPAN_WEIGHTS],
    "induction/sampler.py": [SAMPLER, EXACT_DRAWS, PAIR_SWEEP, *BY_CHANCE],
    "induction/tree_alignment.py": [EXACT_DRAWS],
    "induction/inducer.py": [INDUCER],
    "links/word_direction.py": WORDS,
    "links/word_model.py": WORDS,
    "forest/parses.py": [f"{UNIT}/forest", f"{PROPERTY}/test_forests.py"],
    "parsing/decode.py": [f"{UNIT}/parsing/test_{name}.py" for name in ("decode", "marginals")],
    "parsing/features.py": [f"{UNIT}/parsing/test_{name}.py" for name in ("features", "atoms", "parts")],
}
"""Core modules below src/divproj, and the tests that should notice a fault in each."""
PARTS = {"projection/glossed/s6.py": ("mix", "edge_weights", "edge_probabilities", "project", "relabel", "relations", "label_probabilities",
         "apply", "of", "_disagreement", "attachment_habits", "argument_habits", "_with_habits", "phrase_edges", "direct", "_reason")}  # fmt: skip
"""Of these modules the mutants of some functions alone: the vote of s6, and what goes into it."""
PLAIN = ("divergence/", "forest/", "phrases/", "induction/", "links/", "projection/phrasal/", "parsing/decode.py")
"""Modules whose kernels are not compiled; the others of `parsing` count on integers that overflow, which Python's do not."""
OPERATORS = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.FloorDiv: ("//", "*"), ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"), ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&"), ast.BitXor: ("^", "&"), ast.LShift: ("<<", ">>"), ast.RShift: (">>", "<<"),
}  # fmt: skip
COMPARISONS = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"), ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
}  # fmt: skip
IGNORED_KEYWORDS = {"strict", "repr", "compare", "dtype", "axis", "cache", "remedy", "help"}
"""Arguments whose values are types, promises or texts."""
SPARE_SECONDS = 15.0
"""A mutant may take this much longer than the tests without it."""
PRELOADED = ("numpy", "scipy.optimize", "scipy.sparse", "numba", "pytest", "hypothesis", "networkx", "nltk")


@dataclass(frozen=True)
class Mutant:
    """One change of a module's text, between two offsets in bytes."""

    line: int
    kind: str
    old: str
    new: str
    start: int
    end: int

    @property
    def change(self) -> str:
        return f"{self.old.strip()} → {self.new.strip()}"

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.new.encode() + source[self.end :]


class Mutants(ast.NodeVisitor):
    """All mutants of a module; nothing in annotations, decorators, messages of errors and texts."""

    def __init__(self, source: bytes) -> None:
        self.source, self.mutants, self.functions, self.inside = source, [], [], ""
        self.lines = [0]
        for line in source.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))
        self.visit(ast.parse(source))

    def span(self, node: ast.AST) -> tuple[int, int]:
        return self.lines[node.lineno - 1] + node.col_offset, self.lines[node.end_lineno - 1] + node.end_col_offset

    def add(self, kind: str, line: int, start: int, end: int, new: str) -> None:
        self.mutants.append(Mutant(line, kind, self.source[start:end].decode(), new, start, end))

    def between(self, kind: str, left: ast.AST, right: ast.AST, old: str, new: str) -> None:
        """Replace an operator, which stands between two expressions."""
        start, end = self.span(left)[1], self.span(right)[0]
        text = re.sub(rb"#[^\n]*", lambda comment: b" " * len(comment[0]), self.source[start:end])
        pattern = rb"\b" + rb"\s+".join(old.encode().split()) + rb"\b" if old[0].isalpha() else re.escape(old.encode())
        place = re.search(pattern, text)
        assert place, (old, text)
        self.add(kind, right.lineno, start + place.start(), start + place.end(), new)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in OPERATORS and not self.is_text(node.left):
            self.between("operator", node.left, node.right, *OPERATORS[type(node.op)])
        self.generic_visit(node)

    @staticmethod
    def is_text(node: ast.AST) -> bool:
        return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        old, new = OPERATORS.get(type(node.op), ("", ""))
        if old:
            self.between("operator", node.target, node.value, f"{old}=", f"{new}=")
        self.visit(node.value)

    def visit_Compare(self, node: ast.Compare) -> None:
        for left, op, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            self.between("comparison", left, right, *COMPARISONS[type(op)])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            self.between("operator", left, right, old, new)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        start, inner = self.span(node)[0], self.span(node.operand)[0]
        if isinstance(node.op, ast.USub | ast.Not):
            kind = "operator" if isinstance(node.op, ast.USub) else "branch"
            skipped = self.source[start:inner].decode().replace("-", "", 1).replace("not", "", 1)
            self.add(kind, node.lineno, start, inner, skipped)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self.add("constant", node.lineno, *self.span(node), str(not value))
        elif isinstance(value, int):
            self.add("constant", node.lineno, *self.span(node), str(value + 1))
        elif isinstance(value, float):
            self.add("constant", node.lineno, *self.span(node), repr(2 * value or 1.0))

    def visit_Name(self, node: ast.Name) -> None:
        other = {"min": "max", "max": "min"}.get(node.id)
        if other:
            self.add("operator", node.lineno, *self.span(node), other)

    def turn_round(self, test: ast.expr) -> None:
        """A condition and its contrary; those with `not`, `==`, `in` and `is` have it among their comparisons already."""
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            known = isinstance(test.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn | ast.Is | ast.IsNot)
        else:
            known = isinstance(test, ast.UnaryOp | ast.Constant)
        if not known:
            start, end = self.span(test)
            self.add("branch", test.lineno, start, end, f"(not ({self.source[start:end].decode()}))")

    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        self.turn_round(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self.turn_round(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.turn_round(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self.turn_round(test)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.functions.append((f"{self.inside}{node.name}", range(node.lineno, node.end_lineno + 1)))
        for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
            self.visit(default)
        for statement in node.body:
            self.visit(statement)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        outside, self.inside = self.inside, f"{self.inside}{node.name}."
        for statement in node.body:
            self.visit(statement)
        self.inside = outside

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg not in IGNORED_KEYWORDS:
            self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Messages are read by tests of their own."""

    def visit_Assert(self, node: ast.Assert) -> None:
        """For the type checker."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """A text."""


def mutants_of(module: str) -> list[Mutant]:
    """Return all mutants of a module that are still Python, in their order, without those that make no difference."""
    source = (ROOT / "src" / "divproj" / module).read_bytes()
    lines, visitor = source.decode().splitlines(), Mutants(source)
    ranges = [numbers for name, numbers in visitor.functions if name.split(".")[-1] in PARTS.get(module, ())]
    mutants = sorted(visitor.mutants, key=lambda each: each.start)
    if module in PARTS:
        mutants = [mutant for mutant in mutants if any(mutant.line in part for part in ranges)]
    known = [row for row in equivalent() if row["module"] in (module, "*")]
    return [
        mutant
        for mutant in mutants
        if not any(
            re.fullmatch(row["line"], lines[mutant.line - 1].strip())
            and mutant.change in row["changes"]
            and source[: mutant.start].rstrip().endswith(row.get("after", "").encode())
            for row in known
        )
        and compiles(mutant.applied(source))
    ]


def equivalent() -> list[dict[str, str]]:
    """Return the changes that make no difference, each with its reason."""
    return tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["equivalent"]


def compiles(source: bytes) -> bool:
    try:
        compile(source, "mutant", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


class Checkout:
    """A copy of the checkout in which modules are replaced, and the process that forks for the tests."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.written = folder, 0
        for name in ("src", "tests"):
            shutil.copytree(ROOT / name, folder / name)
        for path in ROOT.iterdir():
            if path.name not in ("src", "tests", ".git", ".venv"):
                (folder / path.name).symlink_to(path)

    def write(self, path: Path, source: bytes) -> None:
        """Write a module; Python knows by the second when a file was written, and would take its compiled form of a moment ago."""
        path.write_bytes(source)
        self.written += 1
        os.utime(path, (self.written, self.written))

    def run(self, tests: Sequence[str], seconds: float, plain: bool, trace: str = "") -> Outcome:
        """Run tests in a forked process, with a limit on its time; `trace` is a module whose functions are recorded by test."""
        log = self.folder / "log"
        pid = os.fork()
        if not pid:
            self.test(tests, log, plain, seconds, trace)
        _, status, usage = os.wait4(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        end = {0: "passed", 1: "failed", 2: "failed", -signal.SIGXCPU: "late"}.get(code, "failed" if code < 0 else "")
        text = log.read_text(encoding="utf-8", errors="replace")
        if not end:
            sys.exit(f"pytest ended with {code}:\n{text}")
        return Outcome(end, usage.ru_utime + usage.ru_stime, text)

    def test(self, tests: Sequence[str], log: Path, plain: bool, seconds: float, trace: str) -> None:
        """Become the process that runs the tests; does not return."""
        import numba
        import pytest

        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 5))
        numba.config.DISABLE_JIT = plain
        with open(log, "wb") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        os.chdir(self.folder)
        sys.path[:0] = [str(self.folder / "src"), str(ROOT / "cli")]
        sys.dont_write_bytecode = True
        code = 3
        recorder = [Recorder(self.folder, trace)] if trace else []
        try:
            code = int(pytest.main(["-x", "-n", "0", "-q", "-p", "no:cacheprovider", "--tb=line", *tests], plugins=recorder))
        finally:
            sys.stdout.flush()
            os._exit(code)


Call = tuple[str, float, list[str]]
"""A test, its processor time while its calls are traced, and the functions that it calls."""


class Outcome(NamedTuple):
    """How tests ended: passed, failed or late; the processor time they took; what they printed."""

    end: str
    seconds: float
    text: str


class Recorder:
    """A plugin of pytest that writes which functions of a module each test calls, and how long it takes."""

    def __init__(self, folder: Path, module: str) -> None:
        self.path, self.file = folder / "calls", str(folder / "src" / "divproj" / module)
        self.calls: set[str] = set()
        self.rows: list[Call] = []

    def trace(self, frame: Any, event: str, _: object) -> None:
        if frame.f_code.co_filename == self.file:
            self.calls.add(frame.f_code.co_qualname.split(".<locals>")[0])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.calls, self.began = set(), time.process_time()
        sys.settrace(self.trace)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        sys.settrace(None)
        self.rows.append((nodeid, time.process_time() - self.began, sorted(self.calls)))

    def pytest_sessionfinish(self) -> None:
        self.path.write_text(json.dumps(self.rows), encoding="utf-8")


def measure(module: str, checkout: Checkout, sample: list[Mutant], until: float) -> dict[str, object]:
    """Run the tests of a module on its mutants; return how many were killed, and the survivors."""
    if not sample:
        return {"module": module, "tried": 0, "killed": 0, "late": 0, "rate": None, "survivors": []}
    path = checkout.folder / "src" / "divproj" / module
    source, tests = path.read_bytes(), [*TESTS[module], f"src/divproj/{module}"]
    plain = module.startswith(PLAIN)
    usual = checkout.run(tests, 3600, plain, module)
    if usual.end != "passed":
        sys.exit(f"the tests of {module} fail without a mutant:\n{usual.text}")
    calls = json.loads((checkout.folder / "calls").read_text(encoding="utf-8"))
    functions = Mutants(source).functions
    counts, survivors, killers = Counter(), [], Counter()
    for mutant in sample:
        if time.perf_counter() > until:
            break
        checkout.write(path, mutant.applied(source))
        place = next((name for name, lines in functions if mutant.line in lines), "")
        chosen = in_order(calls, place, killers)
        outcome = checkout.run([row[0] for row in chosen], sum(row[1] for row in chosen) + SPARE_SECONDS, plain)
        if failed := re.search(r"^FAILED (.+?)(?: - .*)?$", outcome.text, re.MULTILINE):
            killers[failed[1]] += 1
        counts[outcome.end] += 1
        if outcome.end == "passed":
            survivors.append(asdict(mutant))
            print(f"  {module}:{mutant.line} {mutant.kind}: {mutant.change}", file=sys.stderr, flush=True)
    checkout.write(path, source)
    tried = sum(counts.values())
    killed = tried - counts["passed"]
    print(f"{module}: {killed} of {tried} killed; tests take {usual.seconds:.1f} s", file=sys.stderr, flush=True)
    rate = round(100 * killed / tried, 1) if tried else None
    return {"module": module, "tried": tried, "killed": killed, "late": counts["late"], "rate": rate, "survivors": survivors}


def still_there(module: str, survivors: list[dict[str, Any]]) -> list[Mutant]:
    """Return the survivors of a former run of a module, without those that make no difference."""
    source = (ROOT / "src" / "divproj" / module).read_bytes()
    if any(source[row["start"] : row["end"]].decode() != row["old"] for row in survivors):
        sys.exit(f"{module} has changed since that run: draw a new sample")
    places = {(row["start"], row["end"], row["new"]) for row in survivors}
    return [mutant for mutant in mutants_of(module) if (mutant.start, mutant.end, mutant.new) in places]


def add_former(row: dict[str, Any], former: dict[str, Any]) -> dict[str, object]:
    """Return the rates of a former run after its survivors were tried again."""
    tried, killed = (former["killed"] + row[key] for key in ("tried", "killed"))
    first = former.get("at_first", former["killed"])
    return row | {"tried": tried, "killed": killed, "at_first": first, "rate": round(100 * killed / tried, 1)}


def in_order(calls: list[Call], place: str, killers: Counter[str]) -> list[Call]:
    """Return the tests, first those that call a function; of these, those that noticed the most mutants first, then quick ones.

    The others follow, since what one test has computed another may find in a cache.
    """
    return sorted(calls, key=lambda row: (place not in row[2], -killers[row[0]], row[1]))


def measure_faults(checkout: Checkout, faults: list[dict[str, str]]) -> dict[str, object]:
    """Put each fault in and run its test; return how many were killed, and the rows of the others."""
    survivors = []
    for fault in faults:
        path = checkout.folder / "src" / "divproj" / fault["module"]
        source = path.read_text(encoding="utf-8")
        checkout.write(path, source.replace(fault["old"], fault["new"]).encode())
        if checkout.run([fault["test"]], 300, plain=True).end != "failed":
            survivors.append(fault["row"])
        checkout.write(path, source.encode())
    return {"tried": len(faults), "killed": len(faults) - len(survivors), "survivors": survivors}


def keep(rows: list[dict[str, object]], seed: int) -> None:
    """Put the rates of modules into the kept result; those of other modules stay as they are."""
    name, unnoticed = "mutants", Counter(row["module"] for row in equivalent())
    columns = (
        "module",
        "faults that were tried",
        "noticed at first",
        "noticed",
        "percent",
        "make no difference",
        "seed",
        "commit",
    )
    table = Table(name, "Faults put into the core modules, and how many of them the tests notice", *columns)
    kept = {row["module"]: row for row in Result.load(name).rows} if (RESULTS / f"{name}.json").is_file() else {}
    for row in rows:
        module = str(row["module"])
        first = row.get("at_first", row["killed"])
        cells = (module, row["tried"], first, row["killed"], row["rate"], unnoticed[module], seed, commit())
        kept[module] = dict(zip(columns, map(str, cells), strict=True))
    table.rows = [kept[module] for module in TESTS if module in kept]
    table.note("noticed at first: before tests were written for those that were not")
    table.note("make no difference: changes that bench/tools/equivalent.toml names with the reason; they are not drawn")
    print(f"written to {table.write(words=[__file__, '--keep'])}", file=sys.stderr)


def preload() -> None:
    """Load what takes long and is not tested."""
    for name in PRELOADED:
        __import__(name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="those with one of these in their paths; all of the table")
    parser.add_argument("--sample", type=int, default=40, help="mutants of each module, drawn at random; 0 means all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=600, help="no new mutant is begun after this time")
    parser.add_argument("-o", "--output", type=Path, help="file for the JSON; standard output")
    parser.add_argument("--keep", action="store_true", help="put the rates into bench/results/mutants.json")
    parser.add_argument("--list", action="store_true", help="print the mutants, run nothing")
    parser.add_argument("--again", type=Path, nargs="+", metavar="RESULT", help="try the survivors of former runs")
    parser.add_argument("--faults", type=Path, help="a file of faults, each with the test that should notice it")
    given = parser.parse_args()
    os.environ |= {
        "HYPOTHESIS_PROFILE": "brief",
        "PYTHONHASHSEED": "0",
        **{f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")},
    }
    if given.faults:
        faults = tomllib.loads(given.faults.read_text(encoding="utf-8"))["fault"]
        preload()
        with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
            chosen = random.Random(given.seed).sample(faults, min(given.sample or len(faults), len(faults)))
            print(json.dumps(measure_faults(Checkout(Path(folder)), chosen), ensure_ascii=False))
        return
    former = {row["module"]: row for path in given.again or () for row in json.loads(path.read_text("utf-8"))["modules"]}
    modules = [*former] or [name for name in TESTS if not given.modules or any(part in name for part in given.modules)]
    if not modules:
        parser.error(f"no core module has {', '.join(given.modules)} in its path; there are {', '.join(TESTS)}")
    samples = {}
    for module in modules:
        mutants = mutants_of(module)
        chosen = random.Random(f"{given.seed} {module}").sample(mutants, min(given.sample or len(mutants), len(mutants)))
        if former:
            chosen = still_there(module, former[module]["survivors"])
        samples[module] = chosen  # in any order, so that those tried before the time is over are of the whole module
        if given.list:
            in_lines = sorted(chosen, key=lambda mutant: mutant.start)
            print(*(f"{module}:{mutant.line}\t{mutant.kind}\t{mutant.change}" for mutant in in_lines), sep="\n")
    if given.list:
        return
    preload()
    until = time.perf_counter() + 60 * given.minutes
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        checkout = Checkout(Path(folder))
        rows = [measure(module, checkout, sample, until) for module, sample in samples.items()]
        rows = [add_former(row, former[str(row["module"])]) for row in rows] if former else rows
    tried, killed = (sum(int(row[key]) for row in rows) for key in ("tried", "killed"))
    result = {
        "command": " ".join(["python", "bench/tools/mutants.py", *sys.argv[1:]]),
        "commit": commit(),
        "tried": tried,
        "killed": killed,
        "rate": round(100 * killed / max(1, tried), 1),
        "modules": rows,
    }
    if given.keep:
        keep(rows, given.seed)
    text = json.dumps(result, ensure_ascii=False, indent=1)
    if given.output:
        given.output.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
