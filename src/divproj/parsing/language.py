"""Language packs: tokenizer, tagger, lemmatiser and parser, learned from one treebank and kept in one folder.

`Language.train` learns one, `Language.load` loads one. `Language.annotate` fills in lemmas, tags, heads and relations.
Sentences of more than `PARSED_WHOLE` words are parsed in parts, whose trees are put together again. `n_best` finds the K
best trees of a sentence, `forest_of` the packed forest of the probable ones.

Punctuation is attached after parsing, by a table that is learned from the treebank (`Punctuation`). From the neighbour of a
mark on each side the parser's heads are followed as long as they stay on that side. The last word reached is the highest
one that the mark can attach to without crossing an edge:

    He said , "go" .    the comma: `said` on the left; on the right `go`, whose head is on the other side
                        the full stop: `said` on the left; nothing on the right

The table says which of the two a mark takes (or, in a pair of brackets or quotation marks, the top of what is inside),
depending on the mark and on which of the two governs the other.
"""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import PARSED_WHOLE, PART, ModelError, ProjError, Where
from divproj.core.sentence import Rows
from divproj.core.tree import DepTree
from divproj.parsing import parser as storage
from divproj.parsing.decode import chu_liu_edmonds, eisner, eisner_siblings
from divproj.parsing.features import ParserInput
from divproj.parsing.learn import climb, sibling_sum
from divproj.parsing.parser import EdgeParser, MstParser, Progress, Tables, calibrate_by_twin
from divproj.parsing.tagger import Lemmatizer, Tagger, fit_or_take, jackknife
from divproj.runtime import modelfile
from divproj.runtime.checkpoint import NOTHING, Checkpoint
from divproj.runtime.resources import folder
from divproj.text.tokenizer import Tokenizer
from divproj.text.tokens import tokenize

if TYPE_CHECKING:
    from divproj.forest.hypergraph import Arc, Forest

FOREST_EDGE = 0.02
"""Probability from which an edge is part of the forest."""
TAGGING_FOLDS = 5
"""Parts of the treebank that are tagged in turn by a tagger of the others."""


_ENDS = frozenset(".!?;:…。！？।,")
JOINED = "parataxis"
"""The relation of a part's root to the root of the first."""


def cut(seen: ParserInput, whole: int = PARSED_WHOLE, most: int = PART) -> list[ParserInput]:
    """The sentence, or its parts of at most so many words, cut after a mark in their second half where there is one.

    >>> [len(part) for part in cut(ParserInput(tuple("abc.defgh"), tuple("xxx.xxxxx")), 8, 5)]
    [4, 5]
    """
    if len(seen) <= whole:
        return [seen]
    parts, start = [], 0
    while start < len(seen):
        end = min(start + most, len(seen))
        if end < len(seen):
            marks = (k + 1 for k in range(end - 1, start + most // 2 - 1, -1) if seen.forms[k] in _ENDS)
            end = next(marks, end)
        span = slice(start, end)
        parts.append(ParserInput(seen.forms[span], seen.tags[span], tuple(column[span] for column in seen.more)))
        start = end
    return parts


def join_parts(trees: Sequence[DepTree]) -> DepTree:
    """Return one tree for the trees of the parts: the roots of later parts attach to the root of the first."""
    if len(trees) == 1:
        return trees[0]
    heads: list[int] = []
    deprels: list[str] = []
    root = trees[0].heads.index(0) + 1
    for tree in trees:
        shift = len(heads)
        for head, rel in zip(tree.heads, tree.deprels, strict=True):
            heads.append(shift + head if head > 0 else root if shift else head)
            deprels.append(JOINED if shift and head == 0 else rel)
    forms, tags = tuple(form for tree in trees for form in tree.forms), tuple(tag for tree in trees for tag in tree.upos)
    return DepTree(forms, tuple(heads), tuple(deprels), tags)


@dataclass(frozen=True)
class EdgeProbabilities:
    """Edge probabilities of a sentence in parts; an edge between parts has the probability that its part's root is the root."""

    parts: tuple[NDArray[np.float64], ...]

    def __getitem__(self, edge: tuple[int, int]) -> float:
        head, child = edge
        shift = 0
        for part in self.parts:
            if child - shift < len(part):
                inner_head = head - shift
                return float(part[inner_head if 0 < inner_head < len(part) else 0, child - shift])
            shift += len(part) - 1
        raise IndexError(edge)


def join_marginals(
    marginals: Iterator[NDArray[np.float64]], counts: Sequence[int]
) -> Iterator[NDArray[np.float64] | EdgeProbabilities]:
    """For each sentence the chances of its parts."""
    for count in counts:
        parts = tuple(next(marginals) for _ in range(count))
        yield parts[0] if count == 1 else EdgeProbabilities(parts)


LEFT, RIGHT, INSIDE = "left", "right", "inside"
REL = "punct"
CLOSING = {")": "(", "]": "[", "}": "{", '"': '"', "'": "'", "»": "«", "''": "``", "”": "“", "’": "‘", "“": "„"}
OPENING = frozenset(CLOSING.values())


@dataclass(frozen=True)
class PunctuationPlace:
    """A mark in a tree: what it is called, and the words that may be its head."""

    key: tuple[str, str]
    options: dict[str, int]


@dataclass
class Punctuation:
    """The usual choice of each mark in each constellation."""

    choices: dict[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    def learn(cls, trees: Iterable[DepTree]) -> Punctuation:
        """Count the choices of gold trees; a constellation of any mark is kept under the mark ''."""
        seen: dict[tuple[str, str], Counter[str]] = {}
        for tree in trees:
            for word, place in _places(tree.forms, tree.heads, tree.deprels):
                for option, head in place.options.items():
                    if head == tree.heads[word - 1]:
                        for key in (place.key, ("", place.key[1])):
                            seen.setdefault(key, Counter())[option] += 1
        return cls({key: _most(counts) for key, counts in sorted(seen.items()) if counts.total() > 1})

    def attach(self, tree: DepTree) -> DepTree:
        """Return the tree with punctuation attached as in the treebank; marks that have dependents stay."""
        if not self.choices:
            return tree
        heads = list(tree.heads)
        for word, place in _places(tree.forms, tree.heads, tree.deprels):
            choice = self.choices.get(place.key) or self.choices.get(("", place.key[1]), "")
            if choice in place.options:
                heads[word - 1] = place.options[choice]
        return tree.with_heads(heads)


def _most(counts: Counter[str]) -> str:
    return min(counts, key=lambda option: (-counts[option], option))


def _places(forms: Sequence[str], heads: Sequence[int], deprels: Sequence[str]) -> Iterable[tuple[int, PunctuationPlace]]:
    n = len(forms)
    governs = set(heads)
    mark = [False, *(rel == REL and k not in governs for k, rel in enumerate(deprels, 1)), False]
    if not any(mark) or all(mark[1:-1]):
        return
    partners = _partners(forms, mark)
    for word in (k for k in range(1, n + 1) if mark[k]):
        left = _climb(heads, _next(mark, word, -1), word, n)
        right = _climb(heads, _next(mark, word, 1), word, n)
        options = {LEFT: left[-1]} if left else {}
        if right:
            options[RIGHT] = right[-1]
        partner = partners.get(word, 0)
        inside = (
            [k for k in (left if partner < word else right) if min(word, partner) < k < max(word, partner)] if partner else []
        )
        if inside:
            options[INSIDE] = inside[-1]
        shape = "first" if not left else "last" if not right else _between(heads, left, right)
        paired = "" if not inside else "closing" if partner < word else "opening"
        yield word, PunctuationPlace((forms[word - 1], f"{shape} {paired}"), options)


def _next(mark: Sequence[bool], word: int, step: int) -> int:
    """The nearest word that is no mark; 0 for none."""
    k = word + step
    while 0 < k < len(mark) - 1 and mark[k]:
        k += step
    return k if 0 < k < len(mark) - 1 else 0


def _climb(heads: Sequence[int], start: int, word: int, n: int) -> list[int]:
    """From a neighbour of a mark up, as long as heads are on the same side of it."""
    path: list[int] = []
    k = start
    while k > 0 and len(path) <= n:
        path.append(k)
        k = heads[k - 1]
        if (k > word) != (start > word):
            break
    return path


def _between(heads: Sequence[int], left: list[int], right: list[int]) -> str:
    """Return which top attaches to the other side: the left one, the right one, or neither."""
    if heads[left[-1] - 1] in right:
        return "left under top" if heads[left[-1] - 1] == right[-1] else "left under"
    if heads[right[-1] - 1] in left:
        return "right under top" if heads[right[-1] - 1] == left[-1] else "right under"
    return "apart"


def _partners(forms: Sequence[str], mark: Sequence[bool]) -> dict[int, int]:
    """Brackets and quotation marks that belong together, both ways."""
    partners: dict[int, int] = {}
    open_: list[int] = []
    for k, form in enumerate(forms, 1):
        if not mark[k]:
            continue
        match = next((o for o in reversed(open_) if forms[o - 1] == CLOSING.get(form)), 0)
        if match:
            partners[k], partners[match] = match, k
            del open_[open_.index(match) :]
        elif form in OPENING:
            open_.append(k)
    return partners


KIND, VERSION, NEURAL = "divproj-language", 1, 2
"""Models of `proj train` are of version 1, those with a network (`parsing.network`) of version 2."""
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
        sentences: Sequence[Rows],
        *,
        dev: Sequence[Rows] = (),
        progress: Callable[[str, Progress | None], None] = lambda stage, state: None,
        about: dict[str, Any] | None = None,
        gold_tags: bool = False,
        checkpoint: Checkpoint = NOTHING,
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
        if checkpoint is not NOTHING:
            checkpoint.identify(parser.get_params(), gold_tags, *([s.lines for s in some] for some in (sentences, dev)))
        forms = [_plain(s.forms) for s in sentences]
        seed = int(options.get("random_state", 1))
        fine = 0 < len({pair for s in sentences for pair in zip(s.column(3), s.column(4), strict=True)}) <= JOINT
        fine = fine and any(tag != "_" for s in sentences for tag in s.column(4))
        joint = [_joint(s, fine) for s in sentences]
        progress("tagger", None)
        tagger = fit_or_take(Tagger(random_state=seed), forms, joint, checkpoint, "tagger")
        progress("tags of unseen sentences", None)
        met = (
            joint
            if gold_tags or len(forms) < 10
            else jackknife(forms, joint, folds=TAGGING_FOLDS, random_state=seed, checkpoint=checkpoint)
        )
        triples = [t for s in sentences for t in zip(s.forms, s.column(3), s.column(2), strict=True)]
        progress("lemmas", None)
        lemmatizer = Lemmatizer().fit([t for t in triples if has_lemma(t[0], t[2])] or triples)
        trees = [replace(s.usable_tree()[0], forms=words) for s, words in zip(sentences, forms, strict=True)]
        language = cls(tagger, lemmatizer, parser, fine, Punctuation.learn(trees), about or {}, Tokenizer.learn(sentences))
        held = language._dev(dev, gold_tags)
        seen = [language.seen(f, _apart(tags)) for f, tags in zip(forms, met, strict=True)]
        parser.fit(seen, trees, dev=held, progress=lambda state: progress("parser", state), checkpoint=checkpoint)
        _calibrate(parser, seen, trees, held, options)
        return language

    def _dev(self, dev: Sequence[Rows], gold_tags: bool) -> tuple[list[ParserInput], list[DepTree]] | None:
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
        cuts = [cut(ParserInput(_plain(words), ())) for words in forms]
        predicted = iter(self.tagger.predict([part.forms for parts in cuts for part in parts]))
        return [[pair for _ in parts for pair in _apart(next(predicted))] for parts in cuts]

    def trees(self, seen: Sequence[ParserInput]) -> list[DepTree]:
        """The best trees, with punctuation as in the treebank; very long sentences are parsed in parts."""
        cuts = [cut(sentence) for sentence in seen]
        predicted = iter(self.parser.predict([part for parts in cuts for part in parts]))
        return [join_parts([self.punctuation.attach(next(predicted)) for _ in parts]) for parts in cuts]

    def probabilities(self, seen: Sequence[ParserInput]) -> Iterator[NDArray[np.float64] | EdgeProbabilities]:
        """The probability of every edge of each sentence."""
        cuts = [cut(sentence) for sentence in seen]
        marginals = self.parser.marginals([part for parts in cuts for part in parts])
        return join_marginals(marginals, [len(parts) for parts in cuts])

    def annotate(self, sentences: Iterable[Rows], *, confidence: bool = True, keep_tags: bool = False) -> Iterator[Rows]:
        """The sentences with LEMMA, UPOS, XPOS, HEAD and DEPREL filled in, and how sure each head is in MISC.

        `keep_tags` leaves UPOS and XPOS as they are where a sentence has them.
        """
        stream = iter(sentences)
        while part := list(islice(stream, BATCH)):
            forms = [s.forms for s in part]
            tags = [
                list(zip(s.column(3), s.column(4), strict=True))
                if keep_tags and any(t != "_" for t in s.column(3))
                else predicted
                for s, predicted in zip(part, self.tag(forms), strict=True)
            ]
            seen = [self.seen(f, t) for f, t in zip(forms, tags, strict=True)]
            trees = self.trees(seen)
            probabilities: Iterable[Any] = self.probabilities(seen) if confidence else [None] * len(part)
            lemmas = iter(
                self.lemmatizer.predict(
                    [(f, u) for words, pairs in zip(forms, tags, strict=True) for f, (u, _) in zip(words, pairs, strict=True)]
                )
            )
            for sentence, sentence_tags, tree, sure in zip(part, tags, trees, probabilities, strict=True):
                yield _fill_columns(sentence, [next(lemmas) for _ in sentence_tags], sentence_tags, tree, sure)

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
                for tree, sure in zip(trees, self.probabilities(seen), strict=True)
            ]
        return [
            replace(
                tree,
                forms=tuple(words),
                upos=tuple(u for u, _ in sentence_tags),
                xpos=tuple(_xpos(x) for _, x in sentence_tags),
            )
            for tree, words, sentence_tags in zip(trees, forms, tags, strict=True)
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
            raise ModelError(error.message, error.where or model.where, error.remedy) from None
        rows = model.fact("punctuation", list)
        if not all(isinstance(row, list) and len(row) == 3 and all(isinstance(x, str) for x in row) for row in rows):
            raise ModelError("'punctuation' is not a list of (mark, constellation, choice)", model.where, modelfile.REMEDY)
        punctuation = Punctuation({(mark, shape): choice for mark, shape, choice in rows})
        return cls(tagger, lemmatizer, parser, fine, punctuation, model.fact("about", dict), tokenizer)


def _linear(model: modelfile.ModelFolder, fine: bool) -> tuple[WordTagger, EdgeParser]:
    parser = storage.load_parser(model, model.fact("parser", dict))
    if parser.columns_ != fine or parser.slots_:
        raise ModelError("the parser does not look at what the tagger finds", model.where, modelfile.REMEDY)
    return Tagger.from_arrays(model.fact("tagger", dict), model.arrays), parser


def _neural(model: modelfile.ModelFolder) -> tuple[WordTagger, EdgeParser]:
    from divproj.parsing.network import BatchScorer, NeuralParser, NeuralTagger, network

    scale = float(model.fact("scale", (int, float)))
    if not 0 < scale < 1e9:
        raise ModelError(f"'scale' is {scale}, a positive number expected", model.where, modelfile.REMEDY)
    reader = BatchScorer(network(model))
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
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        about = None
    if not isinstance(about, dict):
        raise ModelError("the pack does not describe itself", Where(str(place)), "install it again")
    return about


@lru_cache(maxsize=4)
def load_pack(code: str = "en") -> Language:
    """Return the installed language pack of this code; ProjError with the command that installs it where there is none."""
    packs = available()
    if code not in packs:
        raise ProjError(
            f"no language pack '{code}' is installed; installed: {', '.join(packs)}",
            remedy=f"install it with `pip install divproj-{code}`, or {TRAINING}" if code in PACKAGES else TRAINING,
        )
    try:
        return Language.load(packs[code])
    except ModelError as error:
        raise _unusable(code, packs[code], error) from None


def _unusable(code: str, place: Path, error: ModelError) -> ModelError:
    """Return the error of a pack that is damaged, or of another version, with the command that installs it anew."""
    from divproj import __version__

    package = f"divproj-{code}" if place.parent != folder("languages") else "divproj"
    command = f"pip install --force-reinstall --no-deps {package}=={__version__}"
    message = f"the language pack '{code}' is damaged or of another version: {error.message}"
    return ModelError(message, error.where or Where(str(place)), f"install it again: `{command}`")


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


def _joint(sentence: Rows, fine: bool) -> tuple[str, ...]:
    upos = sentence.column(3)
    return tuple(f"{u}+{x}" for u, x in zip(upos, sentence.column(4), strict=True)) if fine else upos


def _apart(tags: Sequence[str]) -> Pairs:
    return [(u, x or "_") for u, _, x in (tag.partition("+") for tag in tags)]


def _fill_columns(
    sentence: Rows, lemmas: list[str], tags: Pairs, tree: DepTree, probabilities: NDArray[np.float64] | EdgeProbabilities | None
) -> Rows:
    misc = sentence.column(9)
    if probabilities is not None:
        misc = with_confidence(misc, tree.heads, probabilities)
    new = {
        2: tuple(lemmas),
        3: tuple(u for u, _ in tags),
        4: tuple(_xpos(x) for _, x in tags),
        6: tuple(map(str, tree.heads)),
        7: tree.deprels,
        9: misc,
    }
    if any("=" in x for _, x in tags):
        new[5] = tuple(x if "=" in x else "_" for _, x in tags)
    return sentence.with_columns(new)


def _xpos(tag: str) -> str:
    """The second tag of a word for XPOS; one that is made of features (`Case=Acc|Number=Sing`) belongs to FEATS."""
    return "_" if "=" in tag else tag


def with_confidence(
    misc: Sequence[str], heads: Sequence[int], probabilities: NDArray[np.float64] | EdgeProbabilities
) -> tuple[str, ...]:
    """MISC of the words with how sure each of these heads is."""
    return tuple(_with_sure(old, float(probabilities[h, c])) for c, (old, h) in enumerate(zip(misc, heads, strict=True), 1))


def _with_sure(misc: str, confidence: float) -> str:
    kept = [item for item in misc.split("|") if item != "_" and not item.startswith("ParseConf=")]
    return "|".join((*kept, f"ParseConf={confidence:.2f}"))


FORCED = 1e6
"""What forbids an edge: no sum of scores comes near it."""


def n_best(parser: EdgeParser, sentence: ParserInput, count: int) -> list[tuple[float, tuple[int, ...]]]:
    """The best trees with their scores, best first (Lawler 1972: each tree found splits what is left to search).

    Exact where the decoder is: projective trees of orders 1 and 2, and order 1 with crossing edges.
    """
    tables = parser.tables(sentence)
    n = len(sentence)
    start = _best(parser, tables, {}, set())
    waiting = [(-_score(tables, start), start, 1, frozenset[tuple[int, int]]())]
    ranked: list[tuple[float, tuple[int, ...]]] = []
    while waiting and len(ranked) < count:
        cost, tree, free, banned = heapq.heappop(waiting)
        ranked.append((-cost, tree))
        for c in range(free, n + 1):  # agree with the tree before c, differ at c
            kept = {k: tree[k - 1] for k in range(1, c)}
            barred = frozenset({*(edge for edge in banned if edge[1] >= c), (tree[c - 1], c)})
            other = _best(parser, tables, kept, barred)
            if all(other[k - 1] == h for k, h in kept.items()) and not any(
                (other[k - 1], k) in barred for k in range(1, n + 1)
            ):
                heapq.heappush(waiting, (-_score(tables, other), other, c, barred))
    return ranked


def _best(
    parser: EdgeParser, tables: Tables, kept: dict[int, int], banned: set[tuple[int, int]] | frozenset[tuple[int, int]]
) -> tuple[int, ...]:
    """The best tree with these heads and without these edges, if there is one."""
    scores = tables.edges.copy()
    for c, h in kept.items():
        scores[np.arange(len(scores)) != h, c] -= FORCED
    for h, c in banned:
        scores[h, c] -= FORCED
    heads = np.zeros(len(scores), np.int64)
    if tables.siblings is None:
        (chu_liu_edmonds if parser.crossing_ else eisner).compiled(scores, heads)
    else:
        eisner_siblings.compiled(scores, tables.siblings, heads)
        if parser.crossing_ or len(tables.grand):
            climb.compiled(scores, tables.siblings, tables.grand, parser.crossing_, heads)
    return tuple(heads[1:].tolist())


def _score(tables: Tables, tree: tuple[int, ...]) -> float:
    total = sum(float(tables.edges[h, c]) for c, h in enumerate(tree, 1))
    if tables.siblings is not None:
        heads = np.array((-1, *tree), np.int64)
        total += sum(float(sibling_sum.compiled(tables.siblings, heads, h)) for h in range(len(heads)))
        if len(tables.grand):
            total += sum(float(tables.grand[tree[h - 1], h, c]) for c, h in enumerate(tree, 1) if h > 0)
    return total


def several(language: Language, sentence: Rows, count: int) -> Iterator[Rows]:
    """The K best trees of a parsed sentence (of a very long one the best), each with its rank and log-probability among the K in a comment."""
    if len(sentence.forms) > PARSED_WHOLE:
        yield sentence
        return
    tags = list(zip(sentence.column(3), sentence.column(4), strict=True))
    seen = language.seen(sentence.forms, tags)
    trees = n_best(language.parser, seen, count)
    scaled = [score * language.parser.scale_ for score, _ in trees]
    log_sum = float(np.logaddexp.reduce(scaled))
    confidence = any("ParseConf=" in cell for cell in sentence.column(9))
    [probabilities] = language.parser.marginals([seen])
    for rank, (score, (_, heads)) in enumerate(zip(scaled, trees, strict=True), 1):
        deprels = language.parser.relations(seen, heads)
        note = f"# parse = {rank} of {len(trees)} log_prob={score - log_sum:.4f}"
        misc = with_confidence(sentence.column(9), heads, probabilities) if confidence else sentence.column(9)
        variant = sentence.with_columns({6: tuple(map(str, heads)), 7: deprels, 9: misc})
        yield replace(variant, comments=(*variant.comments, note))


def forest_of(language: Language, sentence: Rows, at_least: float = FOREST_EDGE) -> Forest:
    """Headed phrases of all probable projective trees of a parsed sentence, with their probabilities.

    Edges below `at_least` are left out, but for those of the best projective tree. Of a very long sentence the tree it has.
    """
    from divproj.forest.dependencies import from_dependencies

    if len(sentence.forms) > PARSED_WHOLE:
        return from_dependencies(sentence.usable_tree()[0], lemmas=sentence.column(2), sent_id=sentence.sent_id)
    tags = list(zip(sentence.column(3), sentence.column(4), strict=True))
    seen = language.seen(sentence.forms, tags)
    forest = pack_forest(language.parser, seen, at_least)
    arcs = _arcs(language.parser, seen, at_least)
    return replace(forest, forms=sentence.forms, lemmas=sentence.column(2), sent_id=sentence.sent_id, arcs=arcs)


def _arcs(parser: EdgeParser, seen: ParserInput, at_least: float) -> tuple[Arc, ...]:
    """The dependencies of the forest with relations and probabilities; a relation depends on the two words alone."""
    from divproj.forest.hypergraph import Arc

    probabilities, kept = _kept(parser, parser.tables(seen).edges * parser.scale_, at_least)
    heads = [[h for h in np.flatnonzero(kept[:, k]).tolist() if h != k] for k in range(1, len(kept))]
    deprels: dict[tuple[int, int], str] = {}
    for turn in range(max(map(len, heads))):
        chosen = [some[min(turn, len(some) - 1)] for some in heads]
        deprels.update(zip(zip(chosen, range(1, len(kept))), parser.relations(seen, chosen), strict=True))  # noqa: B905
    return tuple(
        Arc(h, k, deprels[h, k], round(min(float(probabilities[h, k]), 1.0), 6))
        for k, some in enumerate(heads, 1)
        for h in some
    )


def pack_forest(parser: EdgeParser, seen: ParserInput, at_least: float = FOREST_EDGE) -> Forest:
    """The same of any parser that scores edges, for a sentence as it sees it."""
    from divproj.forest.dependencies import from_arc_scores

    scores = parser.tables(seen).edges * parser.scale_
    return from_arc_scores(seen.forms, seen.tags, scores, keep=_kept(parser, scores, at_least)[1])


def _kept(parser: EdgeParser, scores: NDArray[np.float64], at_least: float) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The probability of each edge over projective trees, and whether it is in the forest."""
    probabilities = parser.projective_marginals(scores)
    keep = probabilities >= at_least
    heads = np.zeros(len(scores), np.int64)
    eisner.compiled(scores, heads)
    keep[heads[1:], np.arange(1, len(scores))] = True
    return probabilities, keep
