"""Every model loader as a target: one file of a small good model is damaged, and what still loads is put to work."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np
from fuzz.limits import Target
from fuzz.places import place

from divproj.core.pair import Pair
from divproj.runtime.resources import folder

PAIRS = (("der hund bellt", "the dog barks"), ("der fuchs gräbt", "the fox digs"), ("ein hund gräbt", "a dog digs"))
FOREST = "(S (NP (DT the) (NN fox)) (VP (VBZ digs)))"


@cache
def pairs() -> list[Pair]:
    from divproj.io.corpus import Corpus

    return list(Corpus.at(folder("corpora") / "deu-eng"))[:8]


def words_model(here: Path) -> None:
    from divproj.links.word_model import WordAligner

    WordAligner().fit([(f.split(), e.split()) for f, e in PAIRS]).save(here)


def words_use(here: Path) -> None:
    from divproj.links.word_model import WordAligner

    WordAligner.load(here).align([(f.split(), e.split()) for f, e in PAIRS])


def language_model(here: Path) -> None:
    from toybank import TREEBANK

    from divproj.parsing.language import Language

    Language.train(TREEBANK[:8], bits=10, epochs=1).save(here)


def language_use(here: Path) -> None:
    from divproj.io.trees import conllu
    from divproj.parsing.language import Language

    text = "".join(f"{k}\t{form}\t_\t_\t_\t_\t_\t_\t_\t_\n" for k, form in enumerate(["the", "dog", "sleeps"], 1))
    list(Language.load(here).annotate(conllu.loads(text + "\n")))


def parsed_model(here: Path) -> None:
    from divproj.projection import parsers
    from divproj.projection.parsers import fit

    parsers.save(fit("s4-1", pairs(), bits=10, epochs=1).system, here, {"corpus": "deu-eng"})


def parsed_use(here: Path) -> None:
    from divproj.projection import parsers
    from divproj.projection.direct import ProjectionInput

    parsers.load(here).project(ProjectionInput.of(pairs()[0]))


def phrases_model(here: Path) -> None:
    from divproj.phrases.aligner import PhraseAligner

    aligner = PhraseAligner()
    aligner.vocabulary_ = ["fox", "dig"]
    aligner.save(here)


def phrases_use(here: Path) -> None:
    from divproj.io.trees.forests import forests_of
    from divproj.phrases.aligner import PhraseAligner

    src, tgt = forests_of(FOREST), forests_of(FOREST.replace("fox", "vixen"))
    PhraseAligner.load(here).align_pair(src[0], tgt[0], np.array([[0, 0], [1, 1], [2, 2]]))


def induced_model(here: Path) -> None:
    from divproj.induction import training
    from divproj.induction.ccm import CCM
    from divproj.induction.training import Consensus

    made = CCM(sweeps=2).fit([("DET", "NOUN", "VERB"), ("NOUN", "VERB"), ("DET", "ADJ", "NOUN", "VERB")])
    training.save(here, training.InducedGrammars({"f": Consensus((made.grammar_,))}, {"tags": "upos"}))


def induced_use(here: Path) -> None:
    from divproj.induction import training

    grammar = training.load(here).side("f")
    grammar.unknown_tags([("DET", "X")])
    grammar.parse([("DET", "NOUN", "VERB"), ("X",)], "viterbi")
    list(grammar.charts([("DET", "NOUN", "VERB")]))


def words_kept(here: Path) -> None:
    from divproj.links.word_model import WordAligner
    from divproj.runtime.checkpoint import Checkpoint

    WordAligner().fit([(f.split(), e.split()) for f, e in PAIRS], checkpoint=Checkpoint(here, resume=True, seconds=0))


def shards_kept(here: Path) -> None:
    from divproj.links.word_corpus import WordRow, WordText, align_text
    from divproj.links.word_model import WordAligner
    from divproj.runtime.checkpoint import Checkpoint

    text = WordText.of([WordRow(f.split(), e.split()) for f, e in PAIRS], 2)
    list(align_text(WordAligner(), text, checkpoint=Checkpoint(here, resume=True, seconds=0)))


def training_kept(here: Path) -> None:
    from toybank import TREEBANK

    from divproj.parsing.language import Language
    from divproj.runtime.checkpoint import Checkpoint

    Language.train(TREEBANK[:8], bits=10, epochs=1, checkpoint=Checkpoint(here, resume=True, seconds=0))


KEPT = {
    "forward": words_kept,
    "learned-1": shards_kept,
    "linked-1": shards_kept,
    "tagger": training_kept,
    "parser-edges": training_kept,
}
"""Parts of checkpoints, and the work that goes on from them."""


@cache
def good_part(name: str) -> bytes:
    here = place() / f"kept-{name}"
    KEPT[name](here)
    with np.load(here / f"{name}.npz", allow_pickle=False) as arrays:
        out = io.BytesIO()
        np.savez_compressed(out, **arrays)  # megabytes of zeros else, of which a case would be the first few
    return out.getvalue()


def go_on(data: bytes, name: str) -> None:
    here = place() / f"going-on-{name}"
    here.mkdir(exist_ok=True)
    (here / f"{name}.npz").write_bytes(data)
    KEPT[name](here)


def _part_seeds(name: str) -> Callable[[], Sequence[bytes]]:
    return lambda: [good_part(name)]


MODELS: dict[str, tuple[Callable[[Path], None], Callable[[Path], None]]] = {
    "words": (words_model, words_use),
    "language": (language_model, language_use),
    "parsed": (parsed_model, parsed_use),
    "phrases": (phrases_model, phrases_use),
    "induced": (induced_model, induced_use),
}
FILES = {"model.json": "json", "weights.npz": "npz"}


@cache
def good(name: str) -> dict[str, bytes]:
    here = place() / f"good-{name}"
    MODELS[name][0](here)
    about = json.loads((here / "model.json").read_text(encoding="utf-8"))
    about.pop("arrays", None)  # it binds the files to each other, and damage would get no further
    (here / "model.json").write_text(json.dumps(about), encoding="utf-8")
    return {file: (here / file).read_bytes() for file in FILES}


def use(data: bytes, name: str, role: str) -> None:
    here = place() / f"bad-{name}"
    here.mkdir(exist_ok=True)
    for file, content in good(name).items():
        (here / file).write_bytes(data if file == role else content)
    MODELS[name][1](here)


def _seeds(name: str, role: str) -> Callable[[], Sequence[bytes]]:
    return lambda: [good(name)[role]]


LOADERS: tuple[Target, ...] = (
    *(
        Target(f"models/{name}/{role}", partial(use, name=name, role=role), _seeds(name, role), kind)
        for name in MODELS
        for role, kind in FILES.items()
    ),
    *(Target(f"checkpoints/{name}", partial(go_on, name=name), _part_seeds(name), "npz") for name in KEPT),
)
