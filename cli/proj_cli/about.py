"""`proj corpora`, `proj languages`, `proj systems`, `proj warm`, `proj cite`: what is installed, compiling, citing.

`proj tutorial`: copy the files of the tutorial.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from divproj.io.files import F_FILE, LINKS_FILE
from proj_cli import common, options
from proj_cli.common import talk

PAPERS = """\
divproj stands on three papers; please cite those whose methods you used, and divproj itself (CITATION.cff).

analyze, draw, project, learn, train (systems S3, S4), experiment:
  Ryan Georgi, Fei Xia and William D. Lewis. Capturing Divergence in Dependency Trees to Improve Syntactic
  Projection. Language Resources and Evaluation 48(4), 2014.
  Bonnie J. Dorr. Machine Translation Divergences: A Formal Description and Proposed Solution.
  Computational Linguistics 20(4), 1994.

the gloss aligner in project:
  William D. Lewis and Fei Xia. Developing ODIN: A Multilingual Repository of Annotated Language Data for Hundreds
  of the World's Languages. Literary and Linguistic Computing 25(3), 2010.

words:
  Robert Östling and Jörg Tiedemann. Efficient Word Alignment with Markov Chain Monte Carlo. The Prague Bulletin of
  Mathematical Linguistics 106, 2016.
  Stephan Vogel, Hermann Ney and Christoph Tillmann. HMM-Based Word Alignment in Statistical Translation. COLING 1996.

train, parse:
  Ryan McDonald, Koby Crammer and Fernando Pereira. Online Large-Margin Training of Dependency Parsers. ACL 2005.
  Ryan McDonald and Fernando Pereira. Online Learning of Approximate Dependency Parsing Algorithms. EACL 2006.
  parse --lang en: Natalia Silveira et al. A Gold Standard Dependency Corpus for English. LREC 2014 (UD English EWT).

align:
  Yuki Arase and Junichi Tsujii. Monolingual Phrase Alignment on Parse Forests. EMNLP 2017.

induce:
  Benjamin Snyder, Tahira Naseem and Regina Barzilay. Unsupervised Multilingual Grammar Induction. ACL 2009.
  Dan Klein and Christopher D. Manning. A Generative Constituent-Context Model for Improved Grammar Induction. ACL 2002.

check:
  The Leipzig Glossing Rules. Max Planck Institute for Evolutionary Anthropology and University of Leipzig, 2008.
"""


def corpora() -> None:
    """List the sample corpora that come with divproj, and where they are.

    Example: proj corpora
    """
    from divproj.runtime.resources import folder

    shown = common.table("Sample corpora (CC0)", "name", "what", "pairs", left=2)
    root = folder("corpora")
    for path in sorted(p for p in root.iterdir() if (p / F_FILE).exists()):
        title = (path / "README.md").read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
        with (path / LINKS_FILE).open(encoding="utf-8") as lines:
            shown.add_row(path.name, title.partition(":")[2].strip() or title, str(sum(1 for _ in lines)))
    common.stdout().print(shown)
    common.note(f"in {root}")


def languages() -> None:
    """List the installed language packs: what each was learned from, how accurate it was, and its licence.

    Example: proj languages
    """
    from divproj.core.errors import ProjError
    from divproj.parsing.language import PACKAGES, available, describe

    shown = common.table("Languages", "code", "language", "learned from", "licence", "UAS", "LAS", left=4)
    packs = available()
    for code, place in packs.items():
        try:
            about = describe(place)
        except ProjError as error:
            shown.add_row(code, "damaged", str(error), "", "–", "–")
            continue
        figures = about.get("figures") or {}
        cells = (f"{figures[name]:.1f}" if isinstance(figures.get(name), int | float) else "–" for name in ("uas", "las"))
        shown.add_row(code, *(str(about.get(name, "")) for name in ("language", "source", "licence")), *cells)
    common.stdout().print(shown)
    common.note(
        "Percentage of right heads (UAS), and of right heads and relations (LAS), on the development part of the treebank, "
        "with predicted tags. Use one with proj parse --lang CODE or proj project --e-parser CODE."
    )
    if missing := [code for code in PACKAGES if code not in packs]:
        common.note(f"Not installed: {', '.join(missing)}. To install one: pip install divproj-{missing[0]}")


def systems(
    papers: Annotated[
        bool, typer.Option("--papers", help="Also list the systems that serve to compare with the papers.")
    ] = False,
) -> None:
    """List the systems: what each needs, what it does, and how accurate it was.

    Example: proj systems
    """
    from divproj.projection.systems import AUTO, NAMES, SYSTEMS

    shown = common.table("Systems", "code", "name", "needs", "what it does", "ODIN", "glossed", left=4)
    shown.add_row(AUTO, "", "nothing", "Takes the best system for your data, and says which one and why.", "–", "–")
    for code, system in SYSTEMS.items():
        if not (system.word or papers):
            continue
        figures = ("–" if figure is None else f"{figure:.1f}" for figure in (system.odin, system.glossed))
        shown.add_row(code, NAMES.get(code, ""), system.requirements, system.about, *figures)
    common.stdout().print(shown)
    common.note(
        "Choose one with --system CODE. The figures are percentages of right heads (UAS); the two columns cannot be compared with each other.\n"
        "ODIN: four languages, short sentences, gold links and English trees, ten folds.\n"
        "glossed: glosses and translations alone, 24 treebanks, each by models that had not learned from its language family; "
        "s2+, s6+, s4+ and s5+ with 20 gold trees of the language (17 treebanks)."
        + ("" if papers else "\n--papers also lists the systems that serve to compare with the papers.")
    )


@options.command
def warm(*, jobs: options.Jobs = 0) -> None:
    """Compile all numeric kernels now, so that later commands do not have to.

    Example: proj warm
    """
    from divproj.runtime.jit import compile_all

    common.talk.say(f"{compile_all(jobs)} kernels compiled and kept for later runs")


def cite() -> None:
    """Print the papers behind each command.

    Example: proj cite
    """
    typer.echo(PAPERS, nl=False)


@options.command
def tutorial(
    *,
    folder: Annotated[
        Path, typer.Argument(metavar="[DIR]", help="Folder to create; files that are there already are not replaced.")
    ] = Path("turkish"),
) -> None:
    """Copy the tutorial's files into a folder: 36 glossed Turkish sentences in three formats, gold trees, a notebook.

    The folders es and fr have a Quechua text with Spanish glosses and a Bambara text with French ones, and their gold trees.

    Example: proj tutorial turkish
    """
    from divproj.run.scaffold import copy_tutorial

    report = copy_tutorial(folder)
    for name in report.kept:
        talk.say(f"{folder / name} is there already and was left as it is")
    talk.say(
        f"{len(report.copied)} file{'s' * (len(report.copied) != 1)} copied to {folder}; begin with {folder / 'README.md'}"
    )
