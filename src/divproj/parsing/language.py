"""A language pack: tokenizer, tagger, lemmatiser and parser learned from one treebank, kept in one folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from divproj.data.errors import ModelError, ProjError, Where
from divproj.data.sentence import Sentence
from divproj.data.tree import DepTree
from divproj.parsing import parts, storage
from divproj.parsing.atoms import ParserInput
from divproj.parsing.calibration import calibrate_by_twin
from divproj.parsing.lemmas import Lemmatizer
from divproj.parsing.parser import EdgeParser, MstParser, Progress
from divproj.parsing.punctuation import Punctuation
from divproj.parsing.settings import TAGGING_FOLDS
from divproj.parsing.tagger import Tagger, fit_or_take, jackknife
from divproj.runtime import modelfile
from divproj.runtime.checkpoint import NOTHING, Checkpoint
from divproj.runtime.resources import folder
from divproj.text.tokenizer import Tokenizer
from divproj.text.tokens import tokenize

KIND, VERSION, NEURAL = "divproj-language", 1, 2
"""Models of `proj train` are of version 1, those with a network (`parsing.neural`) of version 2."""
JOINT = 250
"""Pairs of UPOS and XPOS up to which one tagger finds both; a treebank with more of them is tagged with UPOS alone."""
BATCH = 500
GROUP = "divproj.languages"
"""Entry points by which installed packages offer language packs."""
PACKAGES = ("de", "es", "fr", "id", "pt", "ru")
"""Codes of the packs that are published as packages of their own, `divproj-fr` and so on."""
TRAINING = (
    "train a parser from a UD treebank with `proj train TREEBANK.conllu -o MODEL`, and give its folder: "
    "`proj parse --model MODEL`, `proj project --e-parser MODEL`"
)
Pairs = list[tuple[str, str]]
PLAIN = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "‚": "'", "`": "'", "–": "-", "—": "-", "…": "..."})
"""Typographic marks as treebanks of web text have them."""


class WordTagger(Protocol):
    """What a language needs of its tagger."""

    def predict(self, sentences: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """Tags of the words of each sentence, UPOS or `UPOS+XPOS`."""


@dataclass
class Language:
    """What is needed to parse plain sentences of a language."""

    tagger: WordTagger
    lemmatizer: Lemmatizer
    parser: EdgeParser
    fine: bool
    """Whether XPOS is found too, and seen by the parser."""
    punctuation: Punctuation = field(default_factory=Punctuation)
    about: dict[str, Any] = field(default_factory=dict)
    tokenizer: Tokenizer | None = None
    """How running text is cut; None for English, whose rules are in `text.running` and `text.tokens`."""

    @classmethod
    def train(
        cls,
        sentences: Sequence[Sentence],
        *,
        dev: Sequence[Sentence] = (),
        progress: Callable[[str, Progress | None], None] = lambda stage, state: None,
        about: dict[str, Any] | None = None,
        gold_tags: bool = False,
        keep: Checkpoint = NOTHING,
        **options: Any,
    ) -> Language:
        """Learn from a treebank. The parser meets tags as they will be: those of taggers that did not see the sentence.

        Finished taggers and passes of the parser are kept in a checkpoint, and taken from one that is resumed.
        """
        parser = MstParser(**options)
        parser.check_params()
        sentences = [s for s in sentences if s.forms]
        if not sentences:
            raise ProjError("there is no sentence to learn from")
        if keep is not NOTHING:
            keep.identify(parser.get_params(), gold_tags, *([s.rows for s in some] for some in (sentences, dev)))
        forms = [_plain(s.forms) for s in sentences]
        seed = int(options.get("random_state", 1))
        fine = 0 < len({pair for s in sentences for pair in zip(s.column(3), s.column(4), strict=True)}) <= JOINT
        fine = fine and any(tag != "_" for s in sentences for tag in s.column(4))
        joint = [_joint(s, fine) for s in sentences]
        progress("tagger", None)
        tagger = fit_or_take(Tagger(random_state=seed), forms, joint, keep, "tagger")
        progress("tags of unseen sentences", None)
        met = (
            joint
            if gold_tags or len(forms) < 10
            else jackknife(forms, joint, folds=TAGGING_FOLDS, random_state=seed, keep=keep)
        )
        triples = [t for s in sentences for t in zip(s.forms, s.column(3), s.column(2), strict=True)]
        progress("lemmas", None)
        lemmatizer = Lemmatizer().fit([t for t in triples if has_lemma(t[0], t[2])] or triples)
        trees = [replace(s.usable_tree()[0], forms=words) for s, words in zip(sentences, forms, strict=True)]
        made = cls(tagger, lemmatizer, parser, fine, Punctuation.learn(trees), about or {}, Tokenizer.learn(sentences))
        held = made._dev(dev, gold_tags)
        seen = [made.seen(f, _apart(tags)) for f, tags in zip(forms, met, strict=True)]
        parser.fit(seen, trees, dev=held, progress=lambda state: progress("parser", state), keep=keep)
        _calibrate(parser, seen, trees, held, options)
        return made

    def _dev(self, dev: Sequence[Sentence], gold_tags: bool) -> tuple[list[ParserInput], list[DepTree]] | None:
        if not dev:
            return None
        forms = [s.forms for s in dev]
        tags = [_apart(_joint(s, self.fine)) for s in dev] if gold_tags else self.tag(forms)
        seen = [self.seen(f, t) for f, t in zip(forms, tags, strict=True)]
        return seen, [s.usable_tree()[0] for s in dev]

    def seen(self, forms: Sequence[str], tags: Pairs) -> ParserInput:
        """What the parser sees of a sentence."""
        fine = (tuple(x for _, x in tags),) if self.fine else ()
        return ParserInput(_plain(forms), tuple(u for u, _ in tags), fine)

    def tag(self, forms: Sequence[tuple[str, ...]]) -> list[Pairs]:
        """UPOS and XPOS of every word; very long sentences in the parts that they are parsed in."""
        cuts = [parts.cut(ParserInput(_plain(words), ())) for words in forms]
        found = iter(self.tagger.predict([part.forms for own in cuts for part in own]))
        return [[pair for _ in own for pair in _apart(next(found))] for own in cuts]

    def trees(self, seen: Sequence[ParserInput]) -> list[DepTree]:
        """The best trees, with punctuation where the treebank hangs it; very long sentences in parts."""
        cuts = [parts.cut(sentence) for sentence in seen]
        found = iter(self.parser.predict([part for own in cuts for part in own]))
        return [parts.joined([self.punctuation.attached(next(found)) for _ in own]) for own in cuts]

    def chances(self, seen: Sequence[ParserInput]) -> Iterator[NDArray[np.float64] | parts.Chances]:
        """The probability of every edge of each sentence."""
        cuts = [parts.cut(sentence) for sentence in seen]
        found = self.parser.marginals([part for own in cuts for part in own])
        return parts.shared_out(found, [len(own) for own in cuts])

    def annotate(
        self, sentences: Iterable[Sentence], *, confidence: bool = True, keep_tags: bool = False
    ) -> Iterator[Sentence]:
        """The sentences with LEMMA, UPOS, XPOS, HEAD and DEPREL filled in, and how sure each head is in MISC.

        `keep_tags` leaves UPOS and XPOS as they are where a sentence has them.
        """
        stream = iter(sentences)
        while part := list(islice(stream, BATCH)):
            forms = [s.forms for s in part]
            tags = [
                list(zip(s.column(3), s.column(4), strict=True)) if keep_tags and any(t != "_" for t in s.column(3)) else found
                for s, found in zip(part, self.tag(forms), strict=True)
            ]
            seen = [self.seen(f, t) for f, t in zip(forms, tags, strict=True)]
            trees = self.trees(seen)
            chances: Iterable[Any] = self.chances(seen) if confidence else [None] * len(part)
            lemmas = iter(
                self.lemmatizer.predict(
                    [(f, u) for words, pairs in zip(forms, tags, strict=True) for f, (u, _) in zip(words, pairs, strict=True)]
                )
            )
            for sentence, own, tree, sure in zip(part, tags, trees, chances, strict=True):
                yield _filled(sentence, [next(lemmas) for _ in own], own, tree, sure)

    @property
    def calibration_error(self) -> float | None:
        """How far probabilities were from the share of right heads on the development part; None where that was not measured."""
        figures = self.about.get("figures")
        error = figures.get("error") if isinstance(figures, dict) else None
        return error / 100 if isinstance(error, int | float) else None

    def words(self, text: str) -> tuple[str, ...]:
        """Return the words of one sentence, those that are written as one apart."""
        return tokenize(text) if self.tokenizer is None else self.tokenizer.words(text)

    def parse(self, forms: Sequence[tuple[str, ...]], *, confidence: bool = False) -> list[DepTree]:
        """Trees of sentences given as words, with UPOS and XPOS, and how probable each head is where that is asked for."""
        tags = self.tag(forms)
        seen = [self.seen(f, t) for f, t in zip(forms, tags, strict=True)]
        trees = self.trees(seen)
        if confidence:
            trees = [
                replace(tree, confidence=tuple(min(1.0, float(sure[h, c])) for c, h in enumerate(tree.heads, 1)))
                for tree, sure in zip(trees, self.chances(seen), strict=True)
            ]
        return [
            replace(tree, forms=tuple(words), upos=tuple(u for u, _ in own), xpos=tuple(_xpos(x) for _, x in own))
            for tree, words, own in zip(trees, forms, tags, strict=True)
        ]

    def save(self, folder: str | Path) -> None:
        if not isinstance(self.parser, MstParser) or not isinstance(self.tagger, Tagger):
            raise ModelError("a language with a network is written by the program that trains it (train/parser)")
        facts = {
            "about": self.about,
            "fine": self.fine,
            "tagger": self.tagger.meta(),
            "lemmas": self.lemmatizer.meta(),
            "parser": storage.facts(self.parser),
            "punctuation": [[*key, choice] for key, choice in sorted(self.punctuation.choices.items())],
            "tokenizer": None if self.tokenizer is None else self.tokenizer.facts(),
        }
        arrays = {**self.tagger.to_arrays(), **self.lemmatizer.to_arrays(), **storage.arrays(self.parser)}
        modelfile.save(folder, KIND, VERSION, facts, arrays)

    @classmethod
    def load(cls, folder: str | Path) -> Language:
        """The language in a folder; ModelError where it is damaged or of another version."""
        model = modelfile.load(folder, KIND, VERSION, NEURAL)
        fine = model.fact("fine", bool)
        try:
            tagger, parser = _neural(model) if model.about["version"] == NEURAL else _linear(model, fine)
            lemmatizer = Lemmatizer.from_arrays(model.fact("lemmas", dict), model.arrays)
            tokenizer = Tokenizer.from_facts(model.fact("tokenizer", dict)) if model.about.get("tokenizer") else None
        except ModelError as error:
            raise ModelError(error.what, error.where or model.where, error.remedy) from None
        rows = model.fact("punctuation", list)
        if not all(isinstance(row, list) and len(row) == 3 and all(isinstance(x, str) for x in row) for row in rows):
            raise ModelError("'punctuation' is not a list of (mark, constellation, choice)", model.where, modelfile.REMEDY)
        punctuation = Punctuation({(mark, shape): choice for mark, shape, choice in rows})
        return cls(tagger, lemmatizer, parser, fine, punctuation, model.fact("about", dict), tokenizer)


def _linear(model: modelfile.Model, fine: bool) -> tuple[WordTagger, EdgeParser]:
    parser = storage.restored(model, model.fact("parser", dict))
    if parser.columns_ != fine or parser.slots_:
        raise ModelError("the parser does not look at what the tagger finds", model.where, modelfile.REMEDY)
    return Tagger.from_arrays(model.fact("tagger", dict), model.arrays), parser


def _neural(model: modelfile.Model) -> tuple[WordTagger, EdgeParser]:
    from divproj.parsing.neural.parser import NeuralParser, NeuralTagger, Reader
    from divproj.parsing.neural.storage import network

    scale = float(model.fact("scale", (int, float)))
    if not 0 < scale < 1e9:
        raise ModelError(f"'scale' is {scale}, a positive number expected", model.where, modelfile.REMEDY)
    reader = Reader(network(model))
    return NeuralTagger(reader), NeuralParser(reader, scale)


def available() -> dict[str, Path]:
    """Return the folders of the installed language packs by code: those that come with divproj, then those of other packages.

    A package offers its pack by an entry point of the group `divproj.languages`: the code, and the module whose folder it is.
    """
    packs = {path.name: path for path in sorted(folder("languages").iterdir()) if _is_pack(path)}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        spec = find_spec(entry.module.partition(".")[0])
        if spec and spec.submodule_search_locations:
            packs.setdefault(entry.name, Path(next(iter(spec.submodule_search_locations))))
    return packs


def _is_pack(place: Path) -> bool:
    """Whether a folder holds a language pack, and not a model of another kind; one that cannot be read is refused when loaded."""
    try:
        return f'"{KIND}"' in (place / "model.json").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False


@lru_cache(maxsize=64)
def pack(code: str) -> Path | None:
    """Return the folder of an installed language pack, None where there is none of this code; looked up once.

    >>> pack("en").name, pack("xx")
    ('en', None)
    """
    return available().get(code)


def describe(place: Path) -> dict[str, Any]:
    """Return what a language pack says of itself: `language`, `source`, `licence`, `sentences`, `figures` where it has them."""
    try:
        facts = json.loads((place / "model.json").read_text(encoding="utf-8"))
        about = facts["about"]
    except (OSError, ValueError, KeyError, TypeError):
        about = None
    if not isinstance(about, dict):
        raise ModelError("the pack does not describe itself", Where(str(place)), "install it again")
    return about


@lru_cache(maxsize=4)
def shipped(code: str = "en") -> Language:
    """Return the installed language pack of this code; ProjError with the command that installs it where there is none."""
    packs = available()
    if code not in packs:
        raise ProjError(
            f"no language pack '{code}' is installed; installed: {', '.join(packs)}",
            remedy=f"install it with `pip install divproj-{code}`, or {TRAINING}" if code in PACKAGES else TRAINING,
        )
    return Language.load(packs[code])


def _calibrate(parser: MstParser, seen: list[ParserInput], trees: list[DepTree], held: Any, options: dict[str, Any]) -> None:
    """How probabilities follow from scores is judged on sentences that were not learned from."""
    if held is None:
        calibrate_by_twin(parser, seen, trees, options)
    else:
        parser.calibrate(held[0][:500], held[1][:500])


def has_lemma(form: str, lemma: str) -> bool:
    """Whether a row of a treebank has a lemma; `_` is the lemma of `_` alone."""
    return lemma != "_" or form == "_"


def _plain(forms: Sequence[str]) -> tuple[str, ...]:
    return tuple(form.translate(PLAIN) for form in forms)


def _joint(sentence: Sentence, fine: bool) -> tuple[str, ...]:
    upos = sentence.column(3)
    return tuple(f"{u}+{x}" for u, x in zip(upos, sentence.column(4), strict=True)) if fine else upos


def _apart(tags: Sequence[str]) -> Pairs:
    return [(u, x or "_") for u, _, x in (tag.partition("+") for tag in tags)]


def _filled(
    sentence: Sentence, lemmas: list[str], tags: Pairs, tree: DepTree, chances: NDArray[np.float64] | parts.Chances | None
) -> Sentence:
    misc = sentence.column(9)
    if chances is not None:
        misc = with_confidence(misc, tree.heads, chances)
    new = {
        2: tuple(lemmas),
        3: tuple(u for u, _ in tags),
        4: tuple(_xpos(x) for _, x in tags),
        6: tuple(map(str, tree.heads)),
        7: tree.rels,
        9: misc,
    }
    if any("=" in x for _, x in tags):
        new[5] = tuple(x if "=" in x else "_" for _, x in tags)
    return sentence.with_columns(new)


def _xpos(tag: str) -> str:
    """The second tag of a word for XPOS; one that is made of features (`Case=Acc|Number=Sing`) belongs to FEATS."""
    return "_" if "=" in tag else tag


def with_confidence(misc: Sequence[str], heads: Sequence[int], chances: NDArray[np.float64] | parts.Chances) -> tuple[str, ...]:
    """MISC of the words with how sure each of these heads is."""
    return tuple(_with_sure(old, float(chances[h, c])) for c, (old, h) in enumerate(zip(misc, heads, strict=True), 1))


def _with_sure(misc: str, sure: float) -> str:
    kept = [item for item in misc.split("|") if item != "_" and not item.startswith("ParseConf=")]
    return "|".join((*kept, f"ParseConf={sure:.2f}"))
