"""`proj words`: word links from raw bitext."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proj_cli import common
from proj_cli.common import talk

if TYPE_CHECKING:
    from divproj.words.priors import Known


def words(
    source: Annotated[
        str, typer.Argument(metavar="F", help="Text with a sentence a line, CoNLL-U, interlinear text, or a corpus folder.")
    ],
    target: Annotated[
        str | None, typer.Argument(metavar="[E]", help="The other side; not needed for a folder or interlinear text.")
    ] = None,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Links F-E, a line a pair; - is stdout.", allow_dash=True)
    ] = Path("-"),
    probs: Annotated[bool, typer.Option("--probs", help="Write each link with its probability: 0-1:0.93.")] = False,
    threshold: Annotated[float, typer.Option(min=0, max=1, help="From recall (low) to precision (high).")] = 0.3,
    method: Annotated[str, typer.Option(help="posterior, intersection, union or grow-diag-final-and.")] = "posterior",
    model: Annotated[Path | None, typer.Option("--model", metavar="DIR", help="Align in the light of a saved model.")] = None,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="DIR", help="Save what was learned (with --model: and before).")
    ] = None,
    dictionary: Annotated[
        list[Path] | None, typer.Option("--dictionary", metavar="FILE", help="Word pairs known beforehand (TSV).")
    ] = None,
    glossed: Annotated[
        list[Path] | None, typer.Option("--glossed", metavar="FILE", help="Interlinear text of the same language, as prior.")
    ] = None,
    stem: Annotated[int, typer.Option(min=1, help="Characters of the stems that rare words fall back on.")] = 4,
    fast: Annotated[
        bool, typer.Option("--fast", help="HMM alone, without sampling: several times faster, less exact.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same links.")] = 1,
    resume: common.Resume = False,
    checkpoint: common.Minutes = 1.0,
    quiet: common.Quiet = False,
    verbose: common.Verbose = False,
) -> None:
    """Align the words of a bitext: IBM-1, HMM and a Bayesian model with fertility, both directions.

    Long work is kept in FILE.checkpoint; after a break --resume goes on from there to the same bytes.

    Example: proj words french.txt english.txt -o links.txt
    """
    talk.set(quiet, verbose)
    from divproj.io.files import reading, writing
    from divproj.modelfile import check_place
    from divproj.words.model import WordAligner
    from divproj.words.priors import from_dictionary
    from divproj.words.symmetrize import METHODS

    if method not in METHODS:
        raise typer.BadParameter(f"no method {method}; there are {', '.join(METHODS)}")
    if resume and str(output) == "-":
        raise typer.BadParameter("--resume needs -o FILE, whose checkpoint it goes on from")
    if save:
        check_place(save)
    pairs, known = _input(source, target)
    for path in dictionary or ():
        with reading(path) as stream:
            _add(known, from_dictionary(stream.read().decode("utf-8", "replace").splitlines(), str(path)))
    for path in glossed or ():
        _add(known, _from_glosses(str(path)))
    aligner = WordAligner.load(model) if model else WordAligner()
    aligner.threshold, aligner.method, aligner.random_state, aligner.stem_length = threshold, method, seed, stem
    if fast:
        aligner.settings = replace(aligner.settings, sweeps=0)
    keep = common.checkpoint(output, resume, checkpoint)
    if model and not save:
        found = aligner.align(pairs, keep)
    else:
        with _Bar(aligner.settings.ibm1 + aligner.settings.hmm, aligner.settings.sweeps) as bar:
            found = aligner.fit_align(pairs, known, watch=bar, keep=keep, **_columns(source, target))
    skipped = sum(1 for linked, (f, e) in zip(found, pairs, strict=True) if f and e and max(len(f), len(e)) > _longest())
    if skipped:
        talk.say(f"proj: warning: {skipped} pairs with a sentence of more than {_longest()} words got no links")
    with writing(output) as out:
        for linked in found:
            links = sorted(linked.chances.items())
            out.write(" ".join(f"{i - 1}-{j - 1}:{c:.2f}" if probs else f"{i - 1}-{j - 1}" for (i, j), c in links) + "\n")
    if save:
        aligner.save(save)
        talk.say(f"model: {save}")
    keep.remove()
    if str(output) != "-":
        talk.say(f"{len(pairs)} pairs aligned: {output}")


def _files(source: str, target: str | None) -> tuple[str, str | None]:
    """The two files; those of a corpus folder where one is given."""
    folder = Path(source)
    if target is not None or source == "-" or not folder.is_dir():
        return source, target
    names = [next((p for p in (folder / n, folder / f"{n}.gz") if p.exists()), folder / n) for n in ("f.conllu", "e.conllu")]
    return str(names[0]), str(names[1])


def _columns(source: str, target: str | None) -> dict[str, Any]:
    """Lemmas and tags where both sides are CoNLL-U and have them."""
    from divproj.errors import Faults
    from divproj.io import conllu

    files = _files(source, target)
    if not all(path and path.removesuffix(".gz").endswith(".conllu") for path in files):
        return {}
    found = {}
    for name, column in (("lemmas", 2), ("tags", 3)):
        sides = tuple(
            [list(s.column(column)) if s else [] for s in conllu.load(str(path), Faults(strict=False), keep_places=True)]
            for path in files
        )
        if all(any(value != "_" for sentence in side for value in sentence) for side in sides):
            found[name] = sides
    return found


def _longest() -> int:
    from divproj.words.model import LONGEST

    return LONGEST


def _add(known: Known, more: Known) -> None:
    for pair, count in more.items():
        known[pair] = known.get(pair, 0.0) + count


def _input(source: str, target: str | None) -> tuple[list[tuple[list[str], list[str]]], Known]:
    """Sentence pairs, and links of their glosses where they have glosses."""
    from divproj.errors import AlignmentError, Where

    source, target = _files(source, target)
    if target is None:
        return _interlinear(source)
    f_side, e_side = _lines(source), _lines(target)
    if len(f_side) != len(e_side):
        what = f"{len(f_side)} sentences, but {target} has {len(e_side)}"
        raise AlignmentError(what, Where(source), "the two sides must have one sentence a line, line by line the same")
    if not any(f and e for f, e in zip(f_side, e_side, strict=True)):
        raise AlignmentError("no pair has words on both sides", Where(source))
    return list(zip(f_side, e_side, strict=True)), {}


def _lines(path: str) -> list[list[str]]:
    """Words of each sentence; an unreadable line counts as an empty one, and is said."""
    from divproj.errors import FormatError, Where
    from divproj.io import conllu
    from divproj.io.files import name_of, reading

    faults = common.faults_for(False)
    if path.removesuffix(".gz").endswith(".conllu"):
        return [list(s.forms) if s else [] for s in conllu.load(path, faults, keep_places=True)]
    made = []
    with reading(path) as stream:
        for number, raw in enumerate(stream, 1):
            try:
                made.append(raw.decode("utf-8").replace("\0", "").split())
            except UnicodeDecodeError:
                faults.sentence(
                    FormatError("the line is not UTF-8 text", Where(name_of(path), number), "save the file as UTF-8")
                )
                made.append([])
    talk.summary(faults)
    return made


def _interlinear(path: str) -> tuple[list[tuple[list[str], list[str]]], Known]:
    from divproj.gloss.tokens import tokenize
    from divproj.io import igt

    instances = list(igt.load(path, None, common.faults_for(False)))
    return [(list(x.words), list(x.e_words or tokenize(x.translation))) for x in instances], _gloss_counts(instances)


def _from_glosses(path: str) -> Known:
    from divproj.io import igt

    return _gloss_counts(list(igt.load(path, None, common.faults_for(False))))


def _gloss_counts(instances: list[Any]) -> Known:
    from divproj.gloss.aligner import GlossAligner
    from divproj.gloss.tokens import tokenize
    from divproj.words.priors import from_links

    aligner = GlossAligner()
    linked = []
    for igt in instances:
        e_words = igt.e_words or tokenize(igt.translation)
        links = aligner.align(igt, e_words).links if igt.glosses else ()
        linked.append((igt.words, e_words, [(x.f, x.e, x.score) for x in links]))
    return from_links(linked)


class _Bar:
    """Progress of both directions on a terminal, with the log-likelihood."""

    def __init__(self, em: int, sweeps: int) -> None:
        import sys

        self.total = 2 * (em + sweeps)
        self.shown = not talk.quiet and sys.stderr.isatty()
        self.bar: Any = None

    def __enter__(self) -> _Bar:
        if self.shown:
            from rich.console import Console
            from rich.progress import Progress

            self.bar = Progress(console=Console(stderr=True), transient=True)
            self.bar.start()
            self.task = self.bar.add_task("aligning", total=self.total)
        return self

    def __call__(self, stage: str, turn: int, likelihood: float) -> None:
        if self.bar:
            from divproj.words.direction import TURN

            said = stage if likelihood != likelihood else f"{stage} log-likelihood {likelihood:,.0f}"
            self.bar.update(self.task, advance=TURN if stage == "sampling" else 1, description=said)

    def __exit__(self, *_: object) -> None:
        if self.bar:
            self.bar.stop()
