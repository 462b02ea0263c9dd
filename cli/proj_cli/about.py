"""`proj corpora` and `proj cite`: what comes with the toolkit, and whom to thank."""

from __future__ import annotations

import typer

from proj_cli import common

PAPERS = """\
divproj stands on three papers; please cite those whose methods you used, and divproj itself (CITATION.cff).

analyze, draw, project, learn, experiment:
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

check:
  The Leipzig Glossing Rules. Max Planck Institute for Evolutionary Anthropology and University of Leipzig, 2008.
"""


def corpora() -> None:
    """List the sample corpora that ship with divproj, and where they lie."""
    from divproj.resources import folder

    shown = common.table("Sample corpora (CC0)", "name", "what", "pairs", left=2)
    root = folder("corpora")
    for path in sorted(p for p in root.iterdir() if (p / "f.conllu").exists()):
        title = (path / "README.md").read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
        with (path / "align.txt").open(encoding="utf-8") as lines:
            shown.add_row(path.name, title.partition(":")[2].strip() or title, str(sum(1 for _ in lines)))
    common.stdout().print(shown)
    typer.echo(f"in {root}")


def cite() -> None:
    """Print the papers behind each command."""
    typer.echo(PAPERS, nl=False)
