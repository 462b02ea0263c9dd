"""Make the pages of figures from `bench/results`: RESULTS.md, the table of bench/README.md, the tables of docs/results.md.

python bench/report.py            # write them
python bench/report.py --check    # exit 1 if one of them is not what the results say

`bench/questions.toml` has the questions in their order, with what is to be known of the figures, the tables that answer each (all rows and
columns, or some), and further results that are only named. In docs/results.md a table stands between two comments:

    <!-- result: glossbanks rows="mean" columns="bank|s6[0]=heads right" -->
    <!-- end -->

A column is named as in the result; `[0]` takes the first number of its cells, and `=` gives it another title.
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
import textwrap
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.common import RESULTS, ROOT, Result, markdown_row

BENCH = ROOT / "bench"
MOST_LINES = 400
"""Longest RESULTS.md: what is longer is a diary, and belongs into notes."""
WIDTH = 300
"""Longest line of text, in characters."""
FIGURE = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?")
COLUMN = re.compile(r"(?P<name>.+?)(?:\[(?P<part>\d)\])?(?:=(?P<title>.+))?")
MARKED = re.compile(r"(?P<begin><!-- result: (?P<name>[\w+-]+)(?P<choice>[^>]*?) -->\n).*?(?P<end><!-- end -->)", re.DOTALL)
QUESTIONS = re.compile(r"(?P<begin><!-- questions -->\n).*?(?P<end><!-- end -->)", re.DOTALL)
HEAD = """# Results

Made by `python bench/report.py` from `bench/results/*.json` and `bench/questions.toml`: the latest figures, one section a question. The line above each table has the
command that makes it, and the commit and date it was measured at. Some tables show a part of their rows; the JSON file has them all. What was tried, and
what was measured before, is in `bench/notes`. Figures are percentages unless a column says otherwise; a *bank* is a treebank with glosses. The machine has 2 cores and 24 GB, with Python 3.11.
"""


@dataclass(frozen=True)
class Choice:
    """A result, and the rows and columns of it that are shown; none chosen: all."""

    result: str
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """A section of RESULTS.md."""

    title: str
    question: str
    about: str
    tables: tuple[Choice, ...]
    more: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def results(self) -> tuple[str, ...]:
        return (*(choice.result for choice in self.tables), *self.more)


def questions(path: Path = BENCH / "questions.toml") -> list[Question]:
    """Return the questions in their order."""
    with path.open("rb") as stream:
        data = tomllib.load(stream)
    return [_question(entry) for entry in data["question"]]


def _question(entry: dict[str, Any]) -> Question:
    tables = tuple(Choice(t["result"], tuple(t.get("rows", ())), tuple(t.get("columns", ()))) for t in entry.get("table", ()))
    about = entry.get("about", "").strip()
    return Question(
        entry["title"], entry["question"], about, tables, tuple(entry.get("more", ())), tuple(entry.get("notes", ()))
    )


def table(result: Result, rows: Sequence[str] = (), columns: Sequence[str] = ()) -> str:
    """Return the result as a Markdown table, with rows and columns in the order they are asked for.

    A row is named by its first cell (`mean`), or by cells of its columns (`over=CCM&system=words`).
    """
    wanted = [_column(result, text) for text in columns or result.columns]
    chosen: list[dict[str, str]] = []
    for name in rows:
        named = [row for row in result.rows if _is_named(row, name)]
        if not named:
            there = ", ".join(dict.fromkeys(map(_first, result.rows)))
            raise ValueError(f"{result.name}: no row {name}; there are {there}")
        chosen += [row for row in named if row not in chosen]
    lines = [markdown_row([title for _, _, title in wanted]), f"|{'---|' * len(wanted)}"]
    lines += [markdown_row([_cell(row[name], part) for name, part, _ in wanted]) for row in (chosen if rows else result.rows)]
    return "\n".join(lines)


def _first(row: dict[str, str]) -> str:
    return next(iter(row.values()))


def _is_named(row: dict[str, str], name: str) -> bool:
    pairs = [part.partition("=") for part in name.split("&")]
    return _first(row) == name or all(column in row and row[column] == cell for column, _, cell in pairs)


def _column(result: Result, text: str) -> tuple[str, int | None, str]:
    """Return name, number of the figure, and title of a column."""
    parts = COLUMN.fullmatch(text)
    if text in result.columns or parts is None:
        return text, None, text
    name, part = parts["name"], parts["part"]
    if name not in result.columns:
        raise ValueError(f"{result.name}: no column {name}; there are {', '.join(result.columns)}")
    return name, None if part is None else int(part), parts["title"] or name


def _cell(cell: str, part: int | None) -> str:
    return cell if part is None else FIGURE.findall(cell)[part]


def source(result: Result) -> str:
    """Return what made the result, when, and from which code."""
    seed = f"seed {result.seed}, " if result.seed else ""
    return f"`{result.command}`, {seed}{result.commit}, {result.date}"


def results_page(asked: Sequence[Question]) -> str:
    """Return RESULTS.md."""
    parts = [HEAD.strip()]
    for question in asked:
        notes = ", ".join(f"[{name[11:]}](notes/{name}.md)" for name in question.notes)
        text = " ".join(filter(None, [f"**{question.question}**", question.about, f"Notes: {notes}." if notes else ""]))
        parts += [f"## {question.title}", fill_lines(text)]
        for choice in question.tables:
            result = Result.load(choice.result)
            more = "" if not choice.rows else f" ({len(result.rows)} rows in `results/{result.name}.json`)"
            parts.append(f"{result.caption}: {source(result)}{more}{_remarks(result)}.")
            parts.append(table(result, choice.rows, choice.columns))
        if question.more:
            parts.append("\n".join(_listed([Result.load(name) for name in question.more])))
    return "\n\n".join(parts) + "\n"


def fill_lines(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), WIDTH, break_long_words=False, break_on_hyphens=False)


def _listed(results: Sequence[Result]) -> list[str]:
    """Return a line for each command, with the results it wrote."""
    lines = []
    for made_by in dict.fromkeys(source(result) for result in results):
        some = [result for result in results if source(result) == made_by]
        files = "; ".join(f"`results/{result.name}.json`: {result.caption}{_remarks(result)}" for result in some)
        lines.append(f"- {made_by}: {files}.")
    return lines


def _remarks(result: Result) -> str:
    return "".join(f"; {note}" for note in result.notes)


def readme_table(asked: Sequence[Question]) -> str:
    """Return the table of README.md: question, commands, where the figures are."""
    lines = [markdown_row(("question", "command", "figures")), "|---|---|---|"]
    for question in asked:
        results = [Result.load(name) for name in question.results]
        commands = "<br>".join(f"`{command}`" for command in dict.fromkeys(result.command for result in results))
        anchor = re.sub(r"[^\w -]", "", question.title.lower()).replace(" ", "-")
        files = ", ".join(f"`{result.name}`" for result in results)
        lines.append(markdown_row((question.question, commands, f"[{question.title}](RESULTS.md#{anchor}); {files}")))
    return "\n".join(lines)


def fill(text: str, folder: Path = RESULTS) -> str:
    """Return the page with its tables made new from the results."""

    def renew(mark: re.Match[str]) -> str:
        given = dict(word.partition("=")[::2] for word in shlex.split(mark["choice"]))
        rows, columns = (tuple(filter(None, given.get(key, "").split("|"))) for key in ("rows", "columns"))
        shown = table(Result.load(mark["name"], folder), rows, columns)
        return f"{mark['begin']}\n{shown}\n\n{mark['end']}"

    return MARKED.sub(renew, text)


def pages() -> dict[Path, str]:
    """Return every page of figures as the results have it."""
    asked = questions()
    readme, docs = BENCH / "README.md", ROOT / "docs" / "results.md"
    listed = QUESTIONS.sub(
        lambda mark: f"{mark['begin']}\n{readme_table(asked)}\n\n{mark['end']}", readme.read_text(encoding="utf-8")
    )
    return {BENCH / "RESULTS.md": results_page(asked), readme: listed, docs: fill(docs.read_text(encoding="utf-8"))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a page is not what the results say")
    options = parser.parse_args()
    try:
        texts = pages()
    except ValueError as error:
        sys.exit(str(error))
    stale = [path for path, text in texts.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    if options.check and stale:
        sys.exit(
            f"not what bench/results says: {', '.join(p.relative_to(ROOT).as_posix() for p in stale)}; run python bench/report.py"
        )
    for path in stale:
        path.write_text(texts[path], encoding="utf-8")
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
