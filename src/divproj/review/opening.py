"""Open a review: its journal, and the translations, glosses and links that learning can use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from divproj.core.errors import Faults, ProjError, Where, plural, shell_word
from divproj.core.pair import Pair
from divproj.io.corpus import Corpus
from divproj.io.files import REVIEWED
from divproj.io.interlinear.languages import language_name
from divproj.io.interlinear.rows import from_sentence
from divproj.parsing.translations import choose
from divproj.projection.direct import ProjectionInput
from divproj.projection.prepare import Preparation, prepare_text
from divproj.review.document import Document, Journal, SentenceState, journalled_file, refuse_if_open, set_aside
from divproj.review.learning import ProjectionInputs
from divproj.runtime.announce import passing
from divproj.runtime.leftovers import name_beside

ALONE = "only correction is possible: learning needs the trees of the translations (`e=FILE.conllu` or `e_parser=COMMAND`)"


def beside(path: Path) -> Path:
    """Return the file to which the reviewed trees of a file are saved.

    >>> beside(Path("texts/trees.conllu.gz")).name
    'trees.reviewed.conllu'
    """
    name = path.name.removesuffix(".gz").removesuffix(".conllu")
    return path.with_name(name_beside(name, REVIEWED))


def journal_file(target: Path) -> Path:
    """Return the journal of the review that is saved to a file."""
    return target.with_name(name_beside(target.name, ".journal"))


def journal_for(document: Document, target: Path, *, fresh: bool, on_message: Callable[[str], None]) -> Journal:
    """Open the journal beside the output; an output without a journal is not overwritten."""
    path = journal_file(target)
    if target.resolve() == Path(document.path).resolve():
        raise ProjError("the output is the file itself", Where(str(target)), "give another name with -o")
    if fresh:
        refuse_if_open(path)
        for old in (path, target):
            if kept := set_aside(old):
                on_message(f"the earlier {old.name} is now {kept.name}")
    elif target.exists() and not path.exists():
        raise ProjError(
            "is there already, and no journal beside it says how it came about",
            Where(str(target)),
            f"review it itself (proj review {shell_word(target.name)}), name another with -o, or begin anew with `fresh`",
        )
    about = {"input": Path(document.path).name, "sha256": document.digest, "bytes": document.size}
    return Journal(path, about, target)


def carry_over(document: Document, target: Path, on_message: Callable[[str], None]) -> dict[int, SentenceState]:
    """Return the corrections of an earlier review, by the sentence of the file as it is now; nothing where this is the same file.

    The file was made anew since (`proj run` with more gold trees, say). Sentences that a person corrected or marked gold are
    taken over where id and words are as they were. The earlier review is kept under another name.
    """
    path = journal_file(target)
    earlier = journalled_file(path)
    if earlier in ("", document.digest):
        return {}
    if not target.exists() and path.read_bytes().count(b"\n") < 2:  # killed before the first edit: there is nothing to keep
        refuse_if_open(path)
        path.unlink()
        return {}
    if not target.exists() or target.stat().st_mtime_ns < path.stat().st_mtime_ns:
        return {}
    refuse_if_open(path)
    waiting: dict[tuple[str, tuple[str, ...]], list[SentenceState]] = {}
    for block in reversed(Document.open(str(target), Faults(strict=False)).blocks):
        if block.initial.gold or block.initial.hand:
            waiting.setdefault((block.sentence.sent_id, block.sentence.forms), []).append(block.initial)
    carried = {
        n: states.pop()
        for n, block in enumerate(document.blocks)
        if (states := waiting.get((block.sentence.sent_id, block.sentence.forms)))
    }
    lost = sum(map(len, waiting.values()))
    for old in (path, target):
        kept = set_aside(old)
    beside_them = (
        f"; {plural(lost, 'corrected sentence')} of it {'is' if lost == 1 else 'are'} not in this file" if lost else ""
    )
    on_message(
        f"{Path(document.path).name} is new: {plural(len(carried), 'corrected sentence')} taken over from the earlier review, "
        f"which is now {kept and kept.name}{beside_them}"
    )
    return carried


def sentences_to_learn_with(
    document: Document, corpus: Corpus, how: Preparation, faults: Callable[[], Faults], done: Callable[[Faults], None]
) -> tuple[ProjectionInputs, str]:
    """Return the inputs of projection for learning, and a message about them; `done` gets the faults of each reading.

    Files that were named are read at once, so that faults are reported; translations are parsed only for learning.
    """

    def read() -> dict[int, ProjectionInput]:
        noted = faults()
        pairs = list(passing(prepare_text(corpus, how, noted), "reading sentence"))
        done(noted)
        if not (paired := inputs_by_place(document, pairs)):
            raise ProjError(f"no sentence of {corpus.path} is in {document.path}", remedy="their words must be the same")
        return paired

    if any((corpus.e, corpus.links, how.e_parser, corpus.path != document.path)):
        inputs = read()
        return ProjectionInputs(inputs), f"{len(inputs)} to learn with"
    material = material_of(document)
    return (ProjectionInputs(read=read), material) if material else (ProjectionInputs(), ALONE)


def material_of(document: Document) -> str:
    """Return in words what learning can use of the sentences as they are in the file; '' for nothing."""
    sentences = [from_sentence(block.sentence) for block in document.blocks]
    choices = choose(sentences)
    if any(choice.language and choice.parser for choice in choices):
        return "the translations will be parsed for learning"
    if not any(any(igt.glosses) for igt in sentences):
        return ""
    languages = sorted({language_name(choice.language) for choice in choices if choice.language})
    return "learning will use the glosses alone" + (f": no parser is installed for {', '.join(languages)}" if languages else "")


def inputs_by_place(document: Document, pairs: list[Pair]) -> dict[int, ProjectionInput]:
    """Return inputs of projection by sentence number: each for the next sentence with the same id (if any) and words."""
    waiting: dict[tuple[str, tuple[str, ...]], list[ProjectionInput]] = {}
    for pair in reversed(pairs):
        if len(pair.e) or any(pair.glosses):
            waiting.setdefault((pair.sent_id, pair.f.forms), []).append(ProjectionInput.of(pair))
    inputs = {}
    for n, block in enumerate(document.blocks):
        if same := waiting.get((block.sentence.sent_id, block.sentence.forms)):
            inputs[n] = same.pop()
    return inputs
