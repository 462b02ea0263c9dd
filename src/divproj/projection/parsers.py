"""Parsers of F: Systems 3 and 4 (§3.6), which do not see or do see a projection, and our own s4+ and s5+.

A `Recipe` says which trees a parser learns and what it sees; `fit` trains the system, and `ParsedSystem` projects. Beside
words, tags and glosses the parser sees codes of every possible edge: what a projection and its links say of it (`codes`;
ProjBool and AlignType of the paper), and in s5+ what the phrases of s5 say (`phrase_codes`). For "Hunde bellen", linked word
by word with "dogs bark", S1 gives

    edge [h, c]        proj   single h, c   match   merge
    bellen → Hunde     1      1, 1          1       0        projected; one link each; bark governs dogs
    Hunde → bellen     0      1, 1          0       0

s4+ and s5+ are several parsers, whose trees vote together with the edge probabilities of s2+.

On glossed text whose translations have UD trees, s4+ and s5+ start from s6: their parsers see and vote with the projection of
s6+ instead of s2+, and tags and relations are those of s6+. In training, every gold sentence is projected without its own
gold tree. s4+ and s5+ are then the same, since s6 uses the phrases of s5. A further parser (`namer`), which sees the
relations of s6+ too, may replace these relations: each fifth of the gold trees is predicted from the others, and only a gain
beyond chance counts. Annotators differ in relations more than in heads, so this helps in some languages and harms in others
(bench/RESULTS.md).

The second half trains parsers on files, and saves and loads parsing systems. `train_language` learns from a treebank alone; `train_projection` from a corpus with translations, whose projections the parser
sees too. The folder of a parsing system holds its recipe, its rules (those of s6+ where it starts from s6) and its parsers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import LONGEST_SENTENCE, Faults, ModelError, ProjError, Where, too_long
from divproj.core.pair import Pair
from divproj.core.tree import DepTree
from divproj.io.corpus import Corpus
from divproj.io.files import name_of
from divproj.io.trees import conllu
from divproj.parsing import parser as storage
from divproj.parsing.decode import chu_liu_edmonds
from divproj.parsing.features import ParserInput
from divproj.parsing.language import Language
from divproj.parsing.parser import MstParser, calibrate_by_twin
from divproj.projection import parsers, rulefile
from divproj.projection.candidates import Lattice, gloss_pieces
from divproj.projection.confidence import USUAL_CONFIDENCE
from divproj.projection.correction import HeadModel
from divproj.projection.direct import REASONS, ProjectFunction, Projection, ProjectionInput, Reason
from divproj.projection.phrasal.chart import RELATIONS
from divproj.projection.phrasal.s5 import HeadPosteriors
from divproj.projection.systems import (
    CORRECTED,
    NO_EVIDENCE,
    PARSERS,
    PROJECTIONS,
    AdaptedSystem,
    Corrections,
    TextEvidence,
    projector,
    starting_from_s6,
    suits_s6,
)
from divproj.runtime import modelfile
from divproj.runtime.announce import passing
from divproj.runtime.checkpoint import NOTHING, Checkpoint

if TYPE_CHECKING:
    from divproj.links.grams import Grams
    from divproj.projection.glossed.corrected import S6Plus
    from divproj.projection.glossed.s6 import S6, GlossState
    from divproj.projection.phrasal.s5 import PhraseState


CHANCE_BINS = (0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.97)
"""Borders of the bins into which probabilities are put, for features."""
TRAINING_PARTS, FEWER_PARTS_FROM = 10, 300
"""Parts of the training sentences that s2+ projects in turn, learning from the others; half as many from `FEWER_PARTS_FROM` sentences on."""
PARSER_ORDERS = (2, 3, 2, 3)
"""Parsers of s4+, which also differ in the order of their sentences."""
PHRASE_VOTE, WORSE = 0.25, 0.1
"""Votes of the phrase aligner in s5+, where s2+ has one: fewer the worse its trees are than those of s2+, none from `WORSE` on."""
FULL_VOTE = 20
"""Gold trees from which the parsers of s4+ and s5+ have their whole vote beside s6+; with fewer, as much less. At 5 trees a whole vote lost up to 5 points."""
NAMER: dict[str, Any] = {"order": 1, "epochs": 1, "bits": 12}
"""The parser whose relations s4+ and s5+ may take on glossed text; its edges are not asked for."""
CORRECTION_FOLDS = 5
"""Parts of the gold trees that are judged by what the others teach."""


PAPER = ("proj", "single", "match", "merge")
"""Eqs. 12-13: the edge is projected; how the two ends are linked; E has the edge; both ends share an E word."""
EXTRAS = ("undirected", "distance", "together", "confidence", "reason")
"""Switches beyond the paper: the projected edge either way round, steps in the projected tree, PROJ with the kinds of both
ends, how sure the projection is, why it made the edge."""
FEATURES = (*PAPER, *EXTRAS)
NO_LINKS = 99
"""Code of every edge of a sentence without any link; all other codes are then 0."""


def slots(features: Sequence[str]) -> int:
    """Return the number of codes of an edge: two for `single`, one for any other feature."""
    return len(features) + ("single" in features)


def codes(
    sentence: ProjectionInput,
    projected: Projection,
    features: Sequence[str] = PAPER,
    probabilities: NDArray[np.float64] | None = None,
    *,
    knows_unlinked: bool = False,
) -> NDArray[np.int32]:
    """Return codes[h, c, slot] for the parser; `probabilities[h, c]`, where given, are the projection's own of all edges.

    A sentence without any link has one code throughout, unless the projection knows of such sentences.

    Departs: AlignType (eq. 13) is that of the child; here the head's stands beside it (`single`). Where the parser sees tags, a word without a link
    has a guessed one (the paper: none).
    """
    n1 = len(sentence) + 1
    edge_codes = np.zeros((n1, n1, slots(features)), np.int32)
    if not knows_unlinked and not sentence.links.links:
        edge_codes[:, :, :1] = NO_LINKS
        return edge_codes
    heads = np.array((-1, *projected.heads))
    words = np.arange(1, n1)
    edge = np.zeros((n1, n1), bool)
    edge[heads[1:], words] = True
    kinds = np.array([0, *(2 if not images else 1 if len(images) == 1 else 3 for images in sentence.links.forward[1:])])
    slot = 0
    for name in features:
        if name == "proj":
            edge_codes[:, :, slot] = edge
        elif name == "single":
            edge_codes[:, :, slot] = kinds[:, None]
            slot += 1
            edge_codes[:, :, slot] = kinds[None, :]
        elif name == "match":
            edge_codes[:, :, slot] = _match(sentence)
        elif name == "merge":
            links = sentence.links.matrix.astype(np.int32)
            edge_codes[:, :, slot] = links @ links.T > 0
        elif name == "undirected":
            edge_codes[:, :, slot] = edge | edge.T
        elif name == "distance":
            edge_codes[:, :, slot] = _steps(heads)
        elif name == "together":
            edge_codes[:, :, slot] = edge * (1 + 4 * kinds[:, None] + kinds[None, :])
        elif name == "confidence":
            confidence = (
                probabilities
                if probabilities is not None
                else edge * np.array((0.0, *(projected.confidence or (USUAL_CONFIDENCE,) * len(sentence))))
            )
            edge_codes[:, :, slot] = 1 + np.searchsorted(CHANCE_BINS, confidence)
        elif name == "reason":
            known = ("guess" if reason == "learned" else reason for reason in projected.reasons)  # one code, as models have it
            why = np.array([0, *(1 + REASONS.index(reason) for reason in known)])
            edge_codes[:, :, slot] = why[None, :] * (1 + 10 * edge)
        slot += 1
    return edge_codes


def _match(sentence: ProjectionInput) -> NDArray[np.bool_]:
    """[h, c]: some E words of h and c are head and child; the root of E matches the root."""
    e_heads = np.zeros((len(sentence.e) + 1, len(sentence.e) + 1), np.int32)
    for child, head in enumerate(sentence.e_heads[1:], 1):
        e_heads[head, child] = 1
    links = sentence.links.matrix.astype(np.int32).copy()
    links[0, 0] = 1
    matches: NDArray[np.bool_] = links @ e_heads @ links.T > 0
    return matches


def _steps(heads: NDArray[np.int64]) -> NDArray[np.int32]:
    """Steps between words in the projected tree: 1, 2, 3 for more."""
    n1 = len(heads)
    near = np.zeros((n1, n1), bool)
    near[heads[1:], np.arange(1, n1)] = True
    near |= near.T
    two = near.astype(np.int32) @ near.astype(np.int32) > 0
    return np.where(near, 1, np.where(two, 2, 3)).astype(np.int32)


COLUMNS = 3
"""Columns that a namer sees beside words and tags: relation, grams, stem."""


def with_relations(seen: ParserInput, deprels: Sequence[str]) -> ParserInput:
    """What a parser sees of a sentence, with the relations that s6+ gives and without codes of edges."""
    return replace(seen, more=(tuple(deprels), *seen.more), codes=None)


def namer(
    seen: Sequence[ParserInput], trees: Sequence[DepTree], said: Sequence[Sequence[str]], seed: int = 1
) -> MstParser | None:
    """Return a parser that predicts the relations of trees, learned from gold trees; None where s6+ does as well.

    `said` are the relations that s6+ gives to the gold trees, learned without each.
    """
    some = [k for k, tree in enumerate(trees) if len(tree) and min(tree.heads) >= 0]
    if len(some) < CORRECTION_FOLDS:
        return None
    gained = lost = 0
    for fold in range(CORRECTION_FOLDS):
        rest = [k for place, k in enumerate(some) if place % CORRECTION_FOLDS != fold]
        learned = _fit_namer([seen[k] for k in rest], [trees[k] for k in rest], seed)
        for k in some[fold::CORRECTION_FOLDS]:
            new = learned.relations(seen[k], trees[k].heads)
            for head, gold, predicted, old in zip(trees[k].heads, *map(_bare, (trees[k].deprels, new, said[k])), strict=True):
                gained += head > 0 and predicted == gold != old
                lost += head > 0 and predicted != gold == old
    return (
        _fit_namer([seen[k] for k in some], [trees[k] for k in some], seed)
        if gained - lost > math.sqrt(gained + lost)
        else None
    )


def _fit_namer(seen: Sequence[ParserInput], trees: Sequence[DepTree], seed: int) -> MstParser:
    return MstParser(**NAMER, random_state=seed).fit(seen, trees)


def _bare(deprels: Sequence[str]) -> list[str]:
    """Relations without subtypes."""
    return [rel.partition(":")[0] for rel in deprels]


View = tuple[Projection, NDArray[np.float64] | None]
"""A projection, with the probabilities of all edges where the system knows them."""


@dataclass(frozen=True)
class Recipe:
    """Which trees a parsing system learns from, and what it sees."""

    trees: str = "gold"
    """The trees that the parser learns: gold ones, or those of a projection system."""
    projection: str = ""
    """The system whose projection the parser sees, at training and ever after; '' for none, `gold` for the oracle."""
    features: tuple[str, ...] = PAPER
    tags: bool = True
    """Whether it sees the tags that come over the links."""
    glosses: bool = False
    """Whether it sees grams and stems of the glosses."""
    together: bool = False
    """Whether its tree is sought together with the probabilities of s2+, or of s6+ where the text allows that."""
    phrases: tuple[str, ...] = ()
    """What it sees of aligned phrases (`divproj.projection.parsers`)."""

    @property
    def needs_model(self) -> bool:
        return self.together or "s2+" in (self.projection, self.trees)


PLUS = (*PAPER, "undirected", "confidence")
"""What s4+ sees of s2+: more codes (distance, reason, kinds together) made its few hundred sentences too thin."""
RECIPES = {
    "s3-1": Recipe(),
    "s3-2": Recipe(trees="s2-1"),
    "s3-3": Recipe(trees="s1-r"),
    "s3-4": Recipe(trees="s1-l"),
    "s3-5": Recipe(tags=False),
    "s4-1": Recipe(projection="s2-1"),
    "s4-2": Recipe(projection="s1-r"),
    "s4-3": Recipe(projection="s1-l"),
    "s4+": Recipe(projection="s2+", features=PLUS, glosses=True, together=True),
    "s5+": Recipe(projection="s2+", features=PLUS, glosses=True, together=True, phrases=("edge",)),
    "oracle": Recipe(projection="gold"),
}
"""Table 5's systems, and our best."""


def recipe_of(name: str) -> Recipe:
    """Return the recipe of a system; `s4-1:match+proj` is S4-1 with these features of edges alone.

    >>> recipe_of("s4-1:match").features
    ('match',)
    """
    code, colon, features = name.partition(":")
    recipe = RECIPES.get(code)
    if recipe is None or (colon and not recipe.projection):
        raise ModelError(f"no system '{name}'", remedy=f"choose one of {', '.join(RECIPES)}")
    chosen = tuple(features.split("+")) if colon else recipe.features
    if unknown := [feature for feature in chosen if feature not in FEATURES]:
        raise ModelError(f"no feature of edges '{unknown[0]}'", remedy=f"choose among {', '.join(FEATURES)}")
    return replace(recipe, features=chosen)


@dataclass(frozen=True)
class ParserState:
    """What a parsing system has learned from a text: that of s6 where it starts from s6, that of s5 where it looks at phrases."""

    glosses: Any = None
    phrases: PhraseState | None = None

    def posteriors(self, sentence: ProjectionInput) -> HeadPosteriors:
        """Return what the chart of s5 says of a sentence."""
        from divproj.projection.phrasal.s5 import S5

        assert self.phrases is not None
        return S5().posteriors(sentence, self.phrases)

    def part(self, text: Sequence[ProjectionInput]) -> ParserState:
        """Return what these sentences need to be projected in another process."""
        return ParserState(self.glosses and self.glosses.part(text), self.phrases and self.phrases.part(text))


NO_STATE = ParserState()


@dataclass
class ParsedSystem:
    """A parser of F (s4+: several) with the projection that it sees beside words and tags."""

    recipe: Recipe
    corrections: Corrections
    parsers: list[MstParser]
    peek: dict[ProjectionInput, Pair]
    phrase_vote: float = 0.0
    prior: S6Plus | None = None
    """s6+, where the system starts from s6."""
    parser_vote: float = 1.0
    """Votes of all parsers together, where the projection has one."""
    namer: MstParser | None = None
    """What names relations instead of s6+."""

    @property
    def adapts(self) -> bool:
        """Whether it learns from the whole text before it projects."""
        return bool(self.recipe.phrases or self.prior)

    @property
    def code(self) -> str:
        """The code of its recipe; '' for one that has none."""
        return next((name for name, recipe in RECIPES.items() if recipe == self.recipe), "")

    def adapt(self, text: Sequence[ProjectionInput], evidence: TextEvidence = NO_EVIDENCE) -> ParserState:
        """Return what s6, or s5 for recipes that look at phrases and do not start from s6, learns from the text."""
        if self.prior:
            return ParserState(glosses=self.prior.adapt(text, evidence))
        if self.recipe.phrases:
            from divproj.projection.phrasal.s5 import S5, cached_state

            return ParserState(phrases=S5().adapt(text, evidence) if evidence else cached_state(tuple(text)))
        return NO_STATE

    def together(self, text: Sequence[ProjectionInput], state: ParserState) -> ParserState:
        """Return the state with what s6 says of these sentences."""
        return replace(state, glosses=self.prior.together(text, state.glosses)) if self.prior else state

    def projector(self, system: str) -> ProjectFunction:
        return self._gold_projection if system == "gold" else projector(system or "s1-r", self.corrections)

    def _gold_projection(self, sentence: ProjectionInput) -> Projection:
        heads = tuple(max(h, 0) for h in self.peek[sentence].f.heads)
        why: Reason = "projected"
        return Projection(sentence, heads, (why,) * len(sentence))

    def view(self, sentence: ProjectionInput, state: ParserState = NO_STATE) -> View:
        """The projection that the parser sees; that of s2+ or s6+ with the probabilities of all edges."""
        if self.recipe.projection == "s2+":
            if self.prior:
                return self.prior.edge_probabilities(sentence, state.glosses)
            return self.corrections.model.edge_probabilities(sentence)
        return self.projector(self.recipe.projection)(sentence), None

    def seen(self, sentence: ProjectionInput, state: ParserState = NO_STATE, view: View | None = None) -> ParserInput:
        """What the parser sees of a sentence (and of the view of it, where that is known)."""
        recipe, lexicon = self.recipe, self.corrections.model.lexicon
        tags = Lattice(sentence, lexicon).guesses[1:] if recipe.tags else ("_",) * len(sentence)
        more = _gloss_columns(sentence) if recipe.glosses else ()
        if not recipe.projection:
            return ParserInput(sentence.forms, tags, more)
        projected, probabilities = view or self.view(sentence, state)
        if self.prior:
            tags = projected.upos
        edge_codes = codes(sentence, projected, recipe.features, probabilities, knows_unlinked=self.prior is not None)
        if state.phrases:
            edge_codes = np.concatenate((edge_codes, phrase_codes(state.posteriors(sentence), recipe.phrases)), axis=2)
        return ParserInput(sentence.forms, tags, more, edge_codes)

    def project(self, sentence: ProjectionInput, state: ParserState = NO_STATE) -> Projection:
        """Return the tree that the parser finds, with the probability of each edge."""
        projected, edge_probabilities = self.view(sentence, state)
        if self.prior and not projected.upos:
            return projected  # too long for s6, or empty
        seen = self.seen(sentence, state, (projected, edge_probabilities))
        if edge_probabilities is not None and self.recipe.together:
            heads, probabilities = self._together(sentence, seen, edge_probabilities, state)
        else:
            [parser] = self.parsers
            [tree] = parser.predict([seen])
            heads, probabilities = tree.heads, next(parser.marginals([seen]))
        if self.prior:
            named = self.prior.relabel(sentence, heads, projected.upos, state.glosses)
            heads, deprels = named.heads, named.deprels
            if self.namer:
                own_rels = self.namer.relations(with_relations(seen, projected.deprels), heads)
                fixed = [bool(answer and answer.deprel) for answer in sentence.answers] or [False] * len(deprels)
                rows = zip(deprels, own_rels, fixed, strict=True)
                deprels = tuple(old if old == "punct" or keep else new for old, new, keep in rows)
        else:
            deprels = self.parsers[0].relations(seen, heads)
        confidence = tuple(float(probabilities[h, c]) for c, h in enumerate(heads, 1))
        return replace(projected, heads=heads, reasons=_reasons(projected, heads), confidence=confidence, deprels=deprels)

    def _together(
        self, sentence: ProjectionInput, seen: ParserInput, prior_probabilities: NDArray[np.float64], state: ParserState
    ) -> tuple[tuple[int, ...], NDArray[np.float64]]:
        """The tree with most votes: each parser's tree has one, and the probabilities of s2+ or s6+ weigh as much as all of them."""
        votes, heard = prior_probabilities.copy(), 1 + self.parser_vote
        if state.phrases:
            votes += self.phrase_vote * state.posteriors(sentence).edges
            heard += self.phrase_vote
        probabilities = votes.copy()
        share = self.parser_vote / len(self.parsers)
        for parser in self.parsers:
            probabilities += share * next(parser.marginals([seen]))
            [tree] = parser.predict([seen])
            votes[list(tree.heads), range(1, len(votes))] += share
        heads = np.zeros(len(votes), np.int64)
        chu_liu_edmonds.compiled(votes, heads)
        return tuple(heads[1:].tolist()), probabilities / heard


def fit(
    system: str | Recipe,
    pairs: Sequence[Pair],
    *,
    peek: Sequence[Pair] = (),
    text: Sequence[ProjectionInput] = (),
    checkpoint: Checkpoint = NOTHING,
    prior: S6 | Literal["auto"] | None = "auto",
    grams: Grams | None = None,
    **options: Any,
) -> AdaptedSystem[ParsedSystem]:
    """Learn a system from pairs with gold F trees, and return it with its state for the text; options go to `MstParser`.

    A recipe with phrases adapts to `text` (none: that of the pairs), which has no F trees. `prior` is s6 to start from; `auto` takes
    the shipped one (with the gloss abbreviations `grams`) where the text allows it (`starts_from_s6`) and s2+ is not clearly better
    on the gold trees, None takes none. Passes of the parsers are kept in a checkpoint.
    """
    recipe = recipe_of(system) if isinstance(system, str) else system
    pairs = list(pairs)
    sentences = [ProjectionInput.of(pair) for pair in pairs]
    judged = prior == "auto"
    if prior == "auto":
        prior = _shipped_prior(grams) if starts_from_s6(recipe, sentences) else None
    unseen: list[S6Plus] = []
    if prior:
        from divproj.projection.glossed.corrected import S6Plus
        from divproj.projection.glossed.s6 import is_read, state_for

        known = [pair for pair, sentence in zip(pairs, sentences, strict=True) if is_read(sentence)]
        glosses = state_for(prior, tuple(dict.fromkeys([*text, *sentences])))
        corrected, unseen = S6Plus.cross_fit(known, glosses, prior)
        if judged and _better_alone(known, unseen, glosses):
            prior = None
        else:
            pairs, sentences = known, [*filter(is_read, sentences)]
            learner = ParsedSystem(recipe, starting_from_s6(corrected, pairs), [], {}, prior=corrected)
            learner.parser_vote = min(1.0, len(pairs) / FULL_VOTE)
            state = ParserState(glosses)
    if checkpoint is not NOTHING:
        shown_pairs = [(pair.f, pair.e, sorted(pair.links.links)) for pair in (*pairs, *peek)]
        texts = [(b.forms, b.e, sorted(b.links.links), b.glosses) for b in text]
        checkpoint.identify(recipe, options, len(pairs), len(text), shown_pairs, texts, *(["prior"] if prior else []))
    if not prior:
        gold = {ProjectionInput.of(pair): pair for pair in (*pairs, *peek)} if recipe.projection == "gold" else {}
        learner = ParsedSystem(recipe, Corrections.learn(pairs, "s2+" if recipe.needs_model else "s2-1"), [], gold)
        state = learner.adapt(text or sentences)
    teacher = None if recipe.trees == "gold" else learner.projector(recipe.trees)
    trees = [teacher(b).tree for b in sentences] if teacher else [pair.f for pair in pairs]
    if recipe.projection == "s2+":
        inputs, projected = _by_others(learner, sentences, unseen, state) if prior else _unseen(learner, pairs, state)
        learner.phrase_vote = _phrase_vote(pairs, projected, state)
    else:
        inputs = [learner.seen(b, state) for b in sentences]
    seed = options.pop("random_state", 1)
    if prior:
        learner.namer = _namer(pairs, inputs, projected, unseen, seed, state)
    orders = PARSER_ORDERS if recipe.together else (options.pop("order", 2),)
    settings = [{**options, "order": order, "random_state": seed + k} for k, order in enumerate(orders)]
    learner.parsers = [
        MstParser(**s).fit(inputs, trees, checkpoint=checkpoint, name=f"parser-{k}") for k, s in enumerate(settings, 1)
    ]
    calibrate_by_twin(learner.parsers[0], inputs, trees, {**options, "order": 1})
    for parser in learner.parsers:
        parser.scale_ = learner.parsers[0].scale_
    return AdaptedSystem(learner, state)


def starts_from_s6(recipe: Recipe, text: Sequence[ProjectionInput]) -> bool:
    """Whether the model of glossed text has something to say: glosses are there, and E's trees are UD, as those it learned from."""
    if not recipe.together or not suits_s6(text):
        return False
    from divproj.projection.glossed.s6 import is_read

    return any(map(is_read, text))


def _shipped_prior(grams: Grams | None) -> S6:
    from divproj.projection.glossed.s6 import S6

    return S6(grams=grams)


def _better_alone(pairs: Sequence[Pair], unseen: Sequence[S6Plus], state: GlossState) -> bool:
    """Return whether s2+ beats s6+ beyond chance in cross-validation, as it does where links are very good."""
    parts = min(CORRECTION_FOLDS, len(pairs))
    gained = lost = 0
    for part in range(parts if parts > 1 else 0):
        alone = HeadModel.fit([pair for k, pair in enumerate(pairs) if k % parts != part])
        for k in range(part, len(pairs), parts):
            sentence, gold = ProjectionInput.of(pairs[k]), pairs[k].f.heads
            rows = zip(alone.project(sentence).heads, unseen[k].project(sentence, state).heads, gold, strict=True)
            for without_s6, with_s6, head in rows:
                gained += without_s6 == head != with_s6
                lost += without_s6 != head == with_s6
    return gained - lost > math.sqrt(gained + lost)


def _unseen(learner: ParsedSystem, pairs: Sequence[Pair], state: ParserState) -> tuple[list[ParserInput], list[Projection]]:
    """Return what the parser sees of its training sentences, with projections by models that did not learn from them."""
    by_sentence: dict[int, tuple[ParserInput, Projection]] = {}
    parts = min(TRAINING_PARTS if len(pairs) < FEWER_PARTS_FROM else TRAINING_PARTS // 2, len(pairs))
    for part in passing(range(parts), "projecting unseen sentences: part", parts):
        others = [pair for k, pair in enumerate(pairs) if k % parts != part]
        system = replace(learner, corrections=Corrections.learn(others)) if others else learner
        for k in range(part, len(pairs), parts):
            sentence = ProjectionInput.of(pairs[k])
            view = system.view(sentence, state)
            by_sentence[k] = system.seen(sentence, state, view), view[0]
    return [by_sentence[k][0] for k in range(len(pairs))], [by_sentence[k][1] for k in range(len(pairs))]


def _by_others(
    learner: ParsedSystem, sentences: Sequence[ProjectionInput], unseen: Sequence[S6Plus], state: ParserState
) -> tuple[list[ParserInput], list[Projection]]:
    """As `_unseen`, by s6+ without the gold tree of each sentence."""
    views = [replace(learner, prior=prior).view(sentence, state) for sentence, prior in zip(sentences, unseen, strict=True)]
    inputs = [learner.seen(sentence, state, view) for sentence, view in zip(sentences, views, strict=True)]
    return inputs, [projection for projection, _ in views]


def _namer(
    pairs: Sequence[Pair],
    inputs: Sequence[ParserInput],
    projected: Sequence[Projection],
    unseen: Sequence[S6Plus],
    seed: int,
    state: ParserState,
) -> MstParser | None:
    rows = zip(unseen, projected, pairs, strict=True)
    deprels = [
        prior.relabel(p.sentence, [max(h, 0) for h in pair.f.heads], p.upos, state.glosses).deprels for prior, p, pair in rows
    ]
    shown = [with_relations(each, p.deprels) for each, p in zip(inputs, projected, strict=True)]
    return namer(shown, [pair.f for pair in pairs], deprels, seed)


def _phrase_vote(pairs: Sequence[Pair], projected: Sequence[Projection], state: ParserState) -> float:
    """Return the weight of the phrase aligner's vote: less the worse its trees are than the projected ones on gold data."""
    if not state.phrases:
        return 0.0
    behind = words = 0
    for pair, projection in zip(pairs, projected, strict=True):
        ours = state.posteriors(projection.sentence).heads if len(projection.sentence) else ()
        behind += sum((h == gold) - (o == gold) for h, o, gold in zip(projection.heads, ours, pair.f.heads, strict=True))
        words += len(pair.f)
    return PHRASE_VOTE * min(1.0, max(0.0, 1 - behind / (WORSE * max(words, 1))))


def _reasons(projected: Projection, heads: Sequence[int]) -> tuple[Reason, ...]:
    """Why each edge: as in the projection where it agrees, else the parser's choice."""
    return tuple(
        why if head == projected_head else "parsed"
        for why, head, projected_head in zip(projected.reasons, heads, projected.heads, strict=True)
    )


def _gloss_columns(sentence: ProjectionInput) -> tuple[tuple[str, ...], ...]:
    """Return two columns, the grams and the stem of each word's gloss."""
    if not sentence.glosses:
        return (("",) * len(sentence),) * 2
    pieces = [gloss_pieces(gloss) for gloss in sentence.glosses]
    return tuple(".".join(grams) for grams, _ in pieces), tuple(stem for _, stem in pieces)


PHRASES = ("edge", "link", "shared")
"""Codes an edge can have: how probable the phrases make it, what the pairs of its two ends are to each other (the head link),
the smallest aligned phrase that holds both ends."""
_MOST = 3


def phrase_codes(posteriors: HeadPosteriors, features: Sequence[str] = PHRASES) -> NDArray[np.int32]:
    """codes[h, c, slot], a slot a feature; the diagonal and column 0 are of no account."""
    n1 = len(posteriors.edges)
    edge_codes = np.zeros((n1, n1, len(features)), np.int32)
    heads = np.array((0, *posteriors.heads))
    for slot, name in enumerate(features):
        if name == "edge":
            best = np.zeros((n1, n1), np.int32)
            best[heads[1:], np.arange(1, n1)] = 1
            edge_codes[:, :, slot] = 1 + np.searchsorted(CHANCE_BINS, posteriors.edges) + 10 * best
        elif name == "link":
            edge_codes[:, :, slot] = 1 + posteriors.codes + len(RELATIONS) * np.array(posteriors.linked.kinds)[None, :]
        else:
            edge_codes[:, :, slot] = _shared_phrase_codes(heads)
    return edge_codes


def _shared_phrase_codes(heads: NDArray[np.int64]) -> NDArray[np.int32]:
    """Steps from the child up to the smallest aligned phrase that holds both ends (3 for more), doubled; one more where the
    other end is its head."""
    n1 = len(heads)
    below = np.eye(n1, dtype=bool)  # [p, w]: the phrase of p holds w
    above = heads.copy()
    words = np.arange(n1)
    while above.any():
        below[above, words] |= above > 0
        above = heads[above]
    below[0] = True
    edge_codes = np.zeros((n1, n1), np.int32)
    for c in range(1, n1):
        phrase, steps = c, 0
        open_ = np.ones(n1, bool)
        while True:
            reached = open_ & below[phrase]
            edge_codes[reached, c] = 2 + 2 * min(steps, _MOST)
            edge_codes[phrase, c] += reached[phrase]
            open_ &= ~below[phrase]
            if phrase == 0 or not open_.any():
                break
            phrase, steps = int(heads[phrase]), steps + 1
    return edge_codes


KIND, VERSION = "divproj-parsed-projection", 1


def save(system: ParsedSystem, folder: str | Path, about: dict[str, Any]) -> None:
    facts = {
        "about": about,
        "recipe": asdict(system.recipe),
        "phrase_vote": system.phrase_vote,
        **({"parser_vote": system.parser_vote} if system.prior else {}),
        **({"namer": storage.facts(system.namer)} if system.namer else {}),
        "rules": json.loads(rulefile.dumps(system.corrections)),
        "parsers": [storage.facts(parser) for parser in system.parsers],
    }
    arrays = {name: a for k, parser in enumerate(system.parsers) for name, a in storage.arrays(parser, f"parser{k}.").items()}
    if system.namer:
        arrays |= storage.arrays(system.namer, "namer.")
    modelfile.save(folder, KIND, VERSION, facts, arrays)


def load(folder: str | Path, grams: Grams | None = None) -> ParsedSystem:
    """Return the system in a folder; ModelError where it is damaged or of another version. `grams` are gloss abbreviations for s6."""
    model = modelfile.load(folder, KIND, VERSION)
    recipe = _recipe(model)
    corrections = rulefile.loads(json.dumps(model.fact("rules", dict)), f"{folder}/{modelfile.META}: rules")
    facts = model.fact("parsers", list)
    if not facts or not all(isinstance(fact, dict) for fact in facts):
        raise ModelError("'parsers' is not a list of parsers", model.where, modelfile.REMEDY)
    if len(facts) > 1 and not recipe.together:
        raise ModelError(f"{len(facts)} parsers, one expected", model.where, modelfile.REMEDY)
    parsers = [storage.load_parser(model, fact, f"parser{k}.") for k, fact in enumerate(facts)]
    prior = _prior(recipe, corrections, grams)
    phrases = () if prior else recipe.phrases
    expected = slots(recipe.features) + len(phrases) if recipe.projection else 0
    for parser in parsers:
        if parser.slots_ != expected or parser.columns_ != 2 * recipe.glosses:
            raise ModelError("the parser and the recipe do not look at the same features", model.where, modelfile.REMEDY)
    system = ParsedSystem(recipe, corrections, parsers, {}, prior=prior)
    system.phrase_vote, system.parser_vote = _vote(model, "phrase_vote", 0.0), _vote(model, "parser_vote", 1.0)
    if "namer" in model.about:
        system.namer = storage.load_parser(model, model.fact("namer", dict), "namer.")
        if system.namer.slots_ or system.namer.columns_ != COLUMNS or not system.prior:
            raise ModelError("what names relations and the recipe do not fit", model.where, modelfile.REMEDY)
    return system


def _vote(model: modelfile.ModelFolder, name: str, default: float) -> float:
    vote = float(model.fact(name, float)) if name in model.about else default
    if not 0 <= vote <= 1:
        raise ModelError(f"'{name}' is {vote}, a number from 0 to 1 expected", model.where, modelfile.REMEDY)
    return vote


def _prior(recipe: Recipe, corrections: Corrections, grams: Grams | None) -> S6Plus | None:
    """Return s6+ where the system was trained with it; ProjError where the model of glossed text is not installed."""
    if not recipe.together or corrections.system != CORRECTED:
        return None
    from divproj.projection.glossed.corrected import S6Plus
    from divproj.projection.glossed.s6 import S6

    return S6Plus(corrections.model.weights, corrections.model.lexicon, S6(grams=grams))


def _recipe(model: modelfile.ModelFolder) -> Recipe:
    fields = modelfile.ModelFolder(model.kind, model.fact("recipe", dict), where=model.where)
    features = fields.fact("features", list)
    if unknown := [name for name in features if name not in FEATURES]:
        raise ModelError(f"no feature {unknown[0]!r:.40}", model.where, f"there are {', '.join(FEATURES)}")
    for name, allowed in (("trees", ("gold", *PROJECTIONS)), ("projection", ("", *PROJECTIONS))):
        if fields.fact(name, str) not in allowed:
            raise ModelError(f"'{name}' is {fields.about[name]!r:.40}, one of {', '.join(allowed)} expected", model.where)
    flags = {name: fields.fact(name, bool) for name in ("tags", "glosses", "together")}
    phrases = fields.fact("phrases", list) if "phrases" in fields.about else []
    if unknown := [name for name in phrases if name not in PHRASES]:
        raise ModelError(f"no feature {unknown[0]!r:.40} of phrases", model.where, f"there are {', '.join(PHRASES)}")
    return Recipe(fields.fact("trees", str), fields.fact("projection", str), tuple(features), phrases=tuple(phrases), **flags)


GROUPS = {
    "match": ("proj", "match", "undirected", "distance", "confidence", "reason"),
    "align": ("single", "merge", "together"),
    "pos": (),
}
"""Features of the translation, by a name for each group; `pos` stands for the tags."""


@dataclass(frozen=True)
class TrainingCounts:
    """Counts of the trees in training."""

    count: int
    unchecked: int = 0
    """Projected trees that were left out because nobody has checked them."""


def train_language(
    source: str, output: Path, signature: str, faults: Faults, *, dev: str | None = None, held: Faults | None = None, **options: Any
) -> TrainingCounts:  # fmt: skip
    """Train a parser, tagger and lemmatizer on a treebank and save them in a folder; `dev` is for choosing the best pass."""
    sentences = [s for s in conllu.load(source, faults) if s is not None]
    gold = [s for s in sentences if not s.is_draft and _fits(len(s.forms), replace(s.where, sent_id=s.sent_id), faults)]
    if not any(head.isdecimal() for s in gold for head in s.column(6)):
        raise ProjError("no word has a head to learn from", Where(source), "give a treebank in CoNLL-U")
    judges = [s for s in conllu.load(dev, held) if s is not None] if dev else []
    about = {"source": Path(source).name, "sentences": len(gold), "signature": signature}
    Language.train(gold, dev=judges, about=about, **options).save(output)
    return TrainingCounts(len(gold), sum(s.is_draft for s in sentences))


def train_projection(
    corpus: Corpus, output: Path, wanted: Recipe, signature: str, *, checkpoint: Checkpoint, **options: Any
) -> TrainingCounts:
    """Train a parser that sees projections on a corpus with gold trees of F, and save it in a folder."""
    all_pairs = list(passing(corpus, f"{corpus.name}: pairs"))
    gold = [pair for pair in all_pairs if pair.f_rows is None or not pair.f_rows.is_draft]
    where = Where(name_of(corpus.path))
    pairs = [p for p in gold if _fits(max(len(p.f), len(p.e)), replace(where, sent_id=p.sent_id), corpus.faults)]
    if not pairs:
        raise ProjError("no usable sentence pair to learn from", where)
    about = {"corpus": corpus.name, "pairs": len(pairs), "signature": signature}
    learned = parsers.fit(wanted, pairs, checkpoint=checkpoint, **options)
    parsers.save(learned.system, output, about)
    return TrainingCounts(len(pairs), len(all_pairs) - len(gold))


def _fits(words: int, where: Where, faults: Faults) -> bool:
    """Whether a sentence is short enough to learn from; else its fault is noted."""
    if words > LONGEST_SENTENCE:
        faults.sentence(too_long(words, where))
    return words <= LONGEST_SENTENCE


DEFAULT_SYSTEM = "s4+"
"""The system that is trained if none is named."""


def recipe(
    system: str | None = None, trees: str | None = None, features: str | None = None, projection: str | None = None
) -> Recipe:
    """The recipe of a system, or one of your own: trees to learn from, features of the translation, the projection it sees.

    A system is a recipe as a whole, so that a named one with a part of your own is refused.

    >>> recipe("s4-1").projection, recipe(projection="s1-r").projection
    ('s2-1', 's1-r')
    """
    able = [name for name in PARSERS if name != "oracle"]
    if system and system not in able:
        raise ModelError(f"no system {system} to train; there are {', '.join(able)}")
    given = {name: value for name, value in (("trees", trees), ("features", features), ("projection", projection)) if value}
    if not given:
        return parsers.RECIPES[system or DEFAULT_SYSTEM]
    if system:
        name, value = next(iter(given.items()))
        message = f"`system={system}` says what the parser learns from and sees, `{name}={value}` says it otherwise"
        raise ModelError(message, remedy="give a system, or trees, features and projection of your own")
    groups = [name.strip() for name in (features or "match,align,pos").split(",") if name.strip()]
    if unknown := [name for name in groups if name not in GROUPS and name not in FEATURES]:
        raise ModelError(f"no features '{unknown[0]}'; there are {', '.join(dict.fromkeys((*GROUPS, *FEATURES)))}")
    for name in (projection or "s2+", "s2+" if trees in (None, "gold") else trees):
        if name not in PROJECTIONS:
            raise ModelError(f"no projection system {name}; there are {', '.join(PROJECTIONS)}")
    wanted = {name for group in groups for name in GROUPS.get(group, (group,))}
    chosen = tuple(name for name in FEATURES if name in wanted)
    return Recipe(trees or "gold", (projection or "s2+") if chosen else "", chosen, tags="pos" in groups)
