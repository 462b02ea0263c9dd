"""Pages as they read aloud: sentences of more than 25 words, and words of the field that the glossary does not explain.

The pages that a newcomer reads have none; on the others both are counted, and the counts may only go down.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.commands import ROOT
from cli.pages import DOCS

LONGEST = 25
"""Words of a sentence."""
PAGES = [*sorted(DOCS.glob("*.md")), ROOT / "README.md"]
MAIN = frozenset(
    [
        "index",
        "install",
        "tutorial",
        "howto",
        "flex",
        "elan",
        "toolbox",
        "latex",
        "languages",
        "ud",
        "bitext",
        "paraphrases",
        "replicate",
        "publish",
        "concepts",
        "types",
        "words",
        "analyze",
        "systems",
        "glossary",
        "find",
        "README",
    ]
)
"""Pages that a newcomer reads: none of either."""
OTHER_LONG, OTHER_UNEXPLAINED = 125, 55
"""Of all other pages together, at most; lower them when pages have become better."""
ORDINARY = frozenset(
    "analysing colour coordinations covington eflomal expex gern grep labelled linguex llvmlite neighbour neighbouring neighbours networkx nltk numba numpy pipx postpositions recognised recognises schwimme scikit scipy typer unlabelled".split()  # noqa: SIM905
)
"""Words that the dictionary of the spelling test lacks, but every reader knows."""


def prose(text: str) -> str:
    """A page without code, comments, pictures, and the targets of its links."""
    text = re.sub(r"^```.*?^```|<!--.*?-->", "", text, flags=re.S | re.M)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)|^:::.*$", "", text, flags=re.M)
    return re.sub(r"\]\([^)]*\)", "]", text)


def sentences(text: str) -> Iterator[str]:
    """The sentences of a page: of its paragraphs, list items and cells of tables."""
    for part in re.split(r"\n\s*\n|\n(?=[|>-] ?|\d+\. |\s+- )", prose(text)):
        block = part.strip()
        if not block or block.startswith("#"):
            continue
        for cell in block.strip("|").split("|") if block.startswith("|") else [block]:
            line = " ".join(re.sub(r"`[^`]*`", "x", cell).replace("*", "").split())
            yield from re.split(r"(?<=[.!?:;])[\s”)]+(?=[A-Z“(\[`x])", line)


def long_sentences(page: Path) -> list[str]:
    return [s for s in sentences(page.read_text(encoding="utf-8")) if len(re.findall(r"[\w’'-]+", s)) > LONGEST]


def unexplained(page: Path) -> list[str]:
    """Words of the list of the spelling test (those of the field) that occur on a page and nowhere in the glossary."""
    field = set((Path(__file__).parent / "words.txt").read_text(encoding="utf-8").split()) - ORDINARY
    glossary = set(re.findall(r"[a-z]+", (DOCS / "glossary.md").read_text(encoding="utf-8").lower()))
    text = re.sub(r"`[^`]*`|\*[^*\n]+\*", " ", prose(page.read_text(encoding="utf-8")).replace("**", ""))
    return sorted((field & set(re.findall(r"[a-z]+", text))) - glossary)


def test_sentences_are_counted():
    assert list(sentences("# No\n\nOne. Two `a b c` three.\n\n- Four\n| five | six |\n```x\nno\n```\n")) == [
        "One.",
        "Two x three.",
        "- Four",
        "five",
        "six",
    ]


@pytest.mark.parametrize("page", [page for page in PAGES if page.stem in MAIN], ids=lambda page: page.stem)
def test_pages_for_newcomers(page: Path):
    assert long_sentences(page) == []
    assert set(unexplained(page)) <= ANALYSIS if page.stem in ("analyze", "words") else unexplained(page) == []


def test_other_pages():
    others = [page for page in PAGES if page.stem not in MAIN]
    assert sum(len(long_sentences(page)) for page in others) <= OTHER_LONG
    assert sum(len(unexplained(page)) for page in others) <= OTHER_UNEXPLAINED


ANALYSIS = frozenset(("categorial", "conflational", "demotional", "dendrogram", "diag"))
"""Dorr's names, explained where they stand; names of a plot and of a method."""
