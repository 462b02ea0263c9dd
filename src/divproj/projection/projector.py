"""Project trees onto F with any of the systems, from Python as from the command line.

Pairs of a sentence in the language you study (F) and its translation (E) come in; the same pairs with a tree of F go out.
`Projector` chooses a system, parses the translations, links the words, adapts the system to the text and projects; the steps
are shown in `divproj.projection.pipeline`. Where sentences have several translations, the trees projected from each of them
vote on every edge (`vote`).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import AlignmentError, Faults, ModelError, Where
from divproj.core.options import ProjectOptions
from divproj.core.pair import Pair
from divproj.core.sentence import Rows
from divproj.io.interlinear.languages import lang_code
from divproj.parsing.decode import chu_liu_edmonds
from divproj.projection import rulefile, systems
from divproj.projection.confidence import USUAL_CONFIDENCE, calibrate, calibrations_in
from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.glossed.word_types import NO_TYPES, WordTypes
from divproj.projection.phrasal.phrase_pairs import PhraseSources
from divproj.projection.pipeline import (
    ADAPT_LIMIT,
    GIVEN,
    STYLES,
    SystemPlan,
    TextSource,
    check_same_sentences,
    chunks,
    corrections,
    load_system,
    project_batch,
    project_together,
    rows_of,
)
from divproj.projection.prepare import Preparation, parser_of
from divproj.projection.systems import System, TextEvidence
from divproj.runtime.engine import HERE, Say, Workers, run
from divproj.ud.grammar import parse_conventions
from divproj.ud.head_style import STYLES as HEAD_STYLES

UNLINKED_VOTE = 0.5
"""Weight of a source's vote on a word that it has no link for; with a link the weight is 1."""


REQUESTED = "as requested"
WORTH = 500
"""Fewest sentences for which worker processes save time with a trained model; other systems need four times as many."""


@dataclass(frozen=True)
class TextState:
    """What a projector has learned from a text: the state of its system, and the sentences that phrases have changed."""

    state: Any = None
    sentences: Mapping[tuple[tuple[str, ...], tuple[str, ...]], ProjectionInput] = field(default_factory=dict)
    """Keyed by the words of F and of E; empty where no phrases were requested."""
    types: WordTypes = NO_TYPES
    """What the user says of word types."""

    def sentence(self, pair: Pair) -> ProjectionInput:
        """Return the pair as systems see it."""
        sentence = ProjectionInput.of(self.types.apply(pair))
        return self.sentences.get((sentence.forms, sentence.e.forms), sentence)

    def part(self, sentences: Sequence[ProjectionInput]) -> Any:
        """Return the state for a worker that projects these sentences."""
        return self.state.part(sentences) if self.state is not None else None


NO_TEXT = TextState()


class Projector:
    """Projects trees onto F; translations are parsed and words linked where needed.

    `fit` learns from pairs with gold trees of F; `pipe` gives the pairs back with a tree of F each, with reasons and
    confidences. `system_` and `why_` say which system works and why, once that is decided.

    >>> import divproj as dp
    >>> [pair] = dp.projector("s1-r").pipe(dp.read("Hunde bellen\\ndog.PL bark\\n'Dogs bark.'\\n"))
    >>> pair.f.heads, pair.reasons
    ((2, 0), ('projected', 'projected'))
    """

    def __init__(
        self,
        system: str = ProjectOptions.system,
        *,
        rules: str | Path | None = None,
        model: str | Path | None = None,
        parser: str | None = None,
        grams: Sequence[str | Path] = (),
        style: str = ProjectOptions.e_style,
        f_style: str = ProjectOptions.style,
        phrases: str | Path | None = None,
        paraphrases: bool = False,
        f_forests: str | Path | None = None,
        calibration: str | Path | None = None,
        types: str | Path | WordTypes | None = None,
        conventions: str = ProjectOptions.conventions,
        seed: int = 1,
        paper: bool = False,
    ) -> None:
        self.system, self.paper = system if system == systems.AUTO else systems.system_info(system).code, paper
        if paper and self.system not in systems.LETTERED:
            message = f"`paper` is for the systems of a paper, not for {self.system}"
            raise ModelError(message, remedy=f"choose one of {', '.join(systems.LETTERED)} with `system`")
        self.rules = str(rules) if rules else None
        self.model, self.seed = model, seed
        self.calibration = str(Path(calibration).absolute()) if calibration else None
        if self.calibration:
            calibrations_in(self.calibration)
        self.phrases = PhraseSources(str(phrases) if phrases else None, paraphrases, str(f_forests) if f_forests else None)
        self.preparation = Preparation(parser, tuple(map(Path, grams)), style)
        if types is not None:
            read = types if isinstance(types, WordTypes) else WordTypes.load(types, grams=self.preparation.table)
            self.preparation = replace(self.preparation, types=read)
        if style not in HEAD_STYLES:
            raise ModelError(f"no head style '{style}' of E trees", remedy=f"choose one of {', '.join(HEAD_STYLES)}")
        if f_style not in STYLES:
            raise ModelError(f"no head style '{f_style}' to write", remedy=f"choose one of {', '.join(STYLES)}")
        self.f_style, self.conventions = f_style, parse_conventions(conventions)
        self.system_ = self.why_ = ""
        self.gold_ = 0
        """Gold pairs that were learned from."""
        self._system: System | None = None
        self._fitted = False
        self._corrections: Any = corrections(str(rules)) if rules else None
        if model is not None:
            if rules is not None or system != systems.AUTO:
                raise ModelError("a model brings its own rules and system", remedy="give model alone")
            self._load(Path(model))
        elif rules and self.system != systems.AUTO and not systems.system_info(self.system).needs:
            raise ModelError(f"system {self.system} uses no rules", remedy="choose s2+ or s6+, or leave out `rules`")
        elif self.system == systems.AUTO and self._rules_for == systems.CORRECTED:
            self._settle(self._choice())
        elif self._can_start:
            self._settle(systems.SystemChoice(self.system, REQUESTED))

    def __repr__(self) -> str:
        """What projects, and why.

        >>> Projector("s1-r"), Projector()
        (Projector: direct projection (s1-r), as requested, Projector: the best system for the data, chosen when a text is projected)
        """
        if not self.system_ and self.system == systems.AUTO:
            return "Projector: the best system for the data, chosen when a text is projected"
        learned = f", learned from {self.gold_} gold sentence{'s' * (self.gold_ != 1)}" if self.gold_ else ""
        needs = ", which needs `fit` with gold trees first" if self.needs_gold and not self.gold_ else ""
        why = f", {self.why_}" if self.why_ else ""
        return f"Projector: {systems.system_name(self.system_ or self.system)}{why}{learned}{needs}"

    @classmethod
    def of(cls, how: ProjectOptions, **more: Any) -> Projector:
        """Return the projector that the options describe; `more` are other keywords."""
        names = ("rules", "model", "phrases", "paraphrases", "f_forests", "calibration", "conventions")
        given: dict[str, Any] = {name: getattr(how, name) for name in names}
        return cls(how.system, parser=how.e_parser, style=how.e_style, f_style=how.style, **given, **more)

    @property
    def _can_start(self) -> bool:
        """Whether the system asked for has all that it needs before `fit`."""
        if self.system == systems.AUTO or systems.system_info(self.system).parser:
            return False
        return not systems.system_info(self.system).needs or self._corrections is not None

    @property
    def looks_at_text(self) -> bool:
        """Whether the whole text must be read before it is projected, to adapt to it or to choose a system."""
        return self._system is None or self._system.adapts

    @property
    def plan(self) -> SystemPlan | None:
        """The system by its files, for other processes; None before it is chosen, and where it was learned here."""
        if self._system is None or self._fitted:
            return None
        plan = SystemPlan.of(self.system_, Path(self.model) if self.model else None, self.rules, self.preparation.grams)
        return replace(plan, calibration=self.calibration, paper=self.paper)

    @property
    def needs_gold(self) -> bool:
        """Whether `fit` must come before `project`."""
        return self._system is None and self.system != systems.AUTO

    def fit(self, pairs: Iterable[Pair], *, text: Iterable[Pair] = ()) -> Projector:
        """Learn from pairs with gold trees of F; `text` is more of the text, without trees, for systems that adapt to it."""
        gold = self.gold_pairs(pairs)
        self.gold_ = len(gold)
        glosses = any(pair.glosses for pair in gold)
        choice = systems.SystemChoice(self.system, REQUESTED)
        if self.system == systems.AUTO:
            choice = systems.choose(gold=len(gold), glosses=glosses)
        if not systems.system_info(choice.system).needs:
            raise ModelError(f"system {choice.system} does not learn from gold trees", remedy="choose s2+, s6+, s4+ or s5+")
        types, grams = self.preparation.types, self.preparation.table
        sentences = [ProjectionInput.of(types.apply(pair)) for pair in text]
        if systems.system_info(choice.system).parser:
            from divproj.projection import parsers

            learned = parsers.fit(choice.system, gold, text=sentences, random_state=self.seed, grams=grams)
            self._system = learned.system
        else:
            self._corrections = systems.Corrections.learn(gold, choice.system, text=sentences, grams=grams, paper=self.paper)
            self._settle(choice)
        self._fitted = True
        self.system_, self.why_ = choice.system, choice.why
        return self

    def gold_pairs(self, pairs: Iterable[Pair]) -> list[Pair]:
        """Return the pairs with gold trees of F, prepared: translations parsed, words linked."""
        checked = (pair for pair in pairs if pair.f_rows is None or not pair.f_rows.is_draft)
        gold = [pair for pair in self.prepare(checked) if pair.f.tree is not None and pair.e.tree is not None]
        if not gold:
            raise ModelError("no pair has a gold tree of F and a tree of its translation", remedy="give pairs with trees")
        return gold

    def adapt(self, pairs: Sequence[Pair], source: TextSource = GIVEN, faults: Faults | None = None) -> TextState:
        """Return what the system learns from a text, to be given to `project`; its pairs have trees of E and links."""
        system = self.choose_system(pairs)
        if self.phrases and not system.adapts:
            option = self.phrases.first_option.replace("-", "_")
            message = f"`{option}` is given to system {self.system_}, which does not look at phrases"
            raise ModelError(message, remedy="choose s5, s6 or s5+")
        types = self.preparation.types
        sentences = [ProjectionInput.of(types.apply(pair)) for pair in pairs]
        if not self.phrases:
            return TextState(system.adapt(sentences), types=types)
        from divproj.projection.phrasal.evidence import collect_evidence

        parser = parser_of(pairs) if source.parser == systems.AUTO else source.parser
        known = collect_evidence(sentences, self.phrases, parser=parser, linked=source.linked, faults=faults)
        if known.note and known.note not in self.why_:
            self.why_ = "; ".join(filter(None, (self.why_, known.note)))
        state = system.adapt(known.text, TextEvidence(known.forests, known.book))
        return TextState(state, {(b.forms, b.e.forms): b for b in known.text}, types)

    def project(self, pair: Pair, state: TextState | None = None) -> Pair:
        """Return the pair with a projected tree of F; it must have a tree of E and links (`pipe` makes them).

        `state` is what `adapt` has learned from the text that the pair is of; without it the system adapts to this pair alone.
        """
        return self._with(pair, self.projection(pair, state))

    def projection(self, pair: Pair, state: TextState | None = None) -> Projection:
        """Return the projection of one pair; `state` as in `project`."""
        projection = self.raw_projection(pair, state)
        return calibrate(projection, self.choose_system((pair,)).code, self.calibration)

    def raw_projection(self, pair: Pair, state: TextState | None = None) -> Projection:
        """Return the projection of one pair with the system's own confidences, as calibration takes them."""
        system, text = self.choose_system((pair,)), state or self.adapt([pair])
        return system.project(text.sentence(pair), text.state)

    def projections(
        self,
        pairs: Iterable[Pair],
        source: TextSource = GIVEN,
        *,
        also: Sequence[tuple[TextSource, Sequence[Pair]]] = (),
        workers: Workers = HERE,
        on_message: Say | None = None,
        faults: Faults | None = None,
    ) -> Iterator[tuple[Pair, Projection]]:
        """Yield each pair with its projection; the pairs have trees of E and links.

        The system adapts to the first `ADAPT_LIMIT` pairs; all are projected with that state, as they come. The same sentences with other
        translations (`also`) vote. Long texts are shared out to the workers; the projections are the same.
        """
        stream = iter(pairs)
        if also:
            first = list(stream)
            for where, others in also:
                check_same_sentences(first, others, where.name)
            texts = [(source, first), *also]
            votes = [[p for _, p in self._stream(x, y, workers, on_message, faults)] for x, y in texts]
            results: Iterable[tuple[Pair, Projection]] = zip(first, map(_vote, zip(*votes, strict=True)), strict=True)
        else:
            results = self._stream(source, stream, workers, on_message, faults)
        for pair, projection in results:
            yield pair, calibrate(projection, self.choose_system((pair,)).code, self.calibration)

    def _stream(
        self, source: TextSource, pairs: Iterable[Pair], workers: Workers, on_message: Say | None, faults: Faults | None
    ) -> Iterator[tuple[Pair, Projection]]:
        stream = iter(pairs)
        first = list(islice(stream, ADAPT_LIMIT))
        if not first:
            return
        system, text = self.choose_system(first), self.adapt(first, source, faults)
        plan = self.plan
        if plan is None or (not workers.scheduler and len(first) < (WORTH if self.model else 4 * WORTH)):
            workers = HERE
        waiting: deque[Pair] = deque()

        def batches(_: Faults) -> Iterator[tuple[Any, list[ProjectionInput]]]:
            for some in chunks(chain(first, stream)):
                waiting.extend(some)
                sentences = [*map(text.sentence, some)]
                yield (text.state if workers.here else text.part(sentences)), sentences

        def project_here(batch: tuple[Any, list[ProjectionInput]], _: Faults) -> list[Projection]:
            return project_together(system, batch[1], batch[0])

        work = partial(project_batch, plan) if plan and not workers.here else project_here
        for projections in run(work, batches, None, workers, on_message):
            for projection in projections:
                yield waiting.popleft(), projection

    def pipe(
        self, pairs: Iterable[Pair], faults: Faults | None = None, *, also: Sequence[Iterable[Pair] | str] = ()
    ) -> Iterator[Pair]:
        """Yield the pairs with projected trees of F; faults go to `faults`.

        `also` has the same sentences with other translations, or codes of languages (`es`) whose translations stand in the same text: the
        trees of all sources vote.

        >>> import divproj as dp
        >>> [pair, *_] = dp.projector("s1-r").pipe(dp.read("deu-eng"), also=[dp.read("deu-eng")])
        >>> pair.f.tree is not None
        True
        """
        raw = iter(pairs)
        first = list(islice(raw, None if also else ADAPT_LIMIT))
        noted = faults or Faults(strict=False)
        texts: list[tuple[TextSource, Sequence[Pair]]] = []
        for other in also:
            if isinstance(other, str):
                witness = self.preparation.witness(lang_code(other)).witness_pairs(first, noted)
                texts.append((TextSource(systems.AUTO, linked=False), witness))
            else:
                given = list(other)
                texts.append((self._source_of(given), list(self.prepare(given, noted))))
        ready = self.prepare(chain(first, raw), faults)
        for pair, projection in self.projections(ready, self._source_of(first), also=texts, faults=faults):
            yield self._with(pair, projection)

    def _source_of(self, raw: Sequence[Pair]) -> TextSource:
        """Return where the E trees and links of pairs come from, before they are parsed and linked."""
        parsed_here = all(pair.e.tree is None for pair in raw)
        parser = self.preparation.e_parser or systems.AUTO if parsed_here else None
        return TextSource(parser, any(pair.links.known for pair in raw))

    def prepare(self, pairs: Iterable[Pair], faults: Faults | None = None) -> Iterator[Pair]:
        """Yield the pairs with trees of E and links."""
        return self.preparation(pairs, faults or Faults(strict=False))

    def save(self, path: str | Path) -> None:
        """Save what was learned: rules as a JSON file, a parser as a folder."""
        if self._corrections is None and not self._is_parser:
            raise ModelError("nothing was learned yet", remedy="call fit first")
        if self._is_parser:
            from divproj.projection import parsers

            system: Any = self._system
            parsers.save(system, path, {"system": self.system_, "seed": self.seed})
            return
        from divproj.io.files import writing

        with writing(path) as out:
            rulefile.dump(self._corrections, out)

    @classmethod
    def load(cls, path: str | Path, **more: Any) -> Projector:
        """Load what `save` wrote: a folder with a parser, or a rule file."""
        return cls(model=path, **more) if Path(path).is_dir() else cls(rules=path, **more)

    @property
    def _is_parser(self) -> bool:
        return self._system is not None and (self.model is not None or systems.system_info(self.system_).parser)

    def _load(self, folder: Path) -> None:
        self.system_, self.why_ = f"model:{folder.name}", "a trained model was given"
        self._system = load_system(SystemPlan.of("", folder, None, self.preparation.grams))

    def _settle(self, choice: systems.SystemChoice) -> None:
        self._system = systems.make(choice.system, self._corrections, self.preparation.table, paper=self.paper)
        self.system_, self.why_ = choice.system, choice.why

    def choose_system(self, pairs: Sequence[Pair]) -> System:
        """Return the system, choosing one from the data if none was requested."""
        if self._system is None:
            if self.system != systems.AUTO:
                self.demand()
            self._settle(self._choice(pairs))
        assert self._system is not None
        return self._system

    @property
    def _rules_for(self) -> str:
        """The system that the given rules were learned for, '' without rules."""
        return str(self._corrections.system) if self._corrections is not None else ""

    def _choice(self, pairs: Sequence[Pair] = ()) -> systems.SystemChoice:
        """Return the best system for the pairs; given rules are ignored only for text that s6 is made for."""
        if self._rules_for:
            glosses = systems.suits_s6([*map(ProjectionInput.of, pairs)])
        else:
            glosses = any(pair.glosses for pair in pairs)
        return systems.choose(rules=self._rules_for, glosses=glosses, forests=self.phrases.f_forests is not None)

    def demand(self) -> None:
        """Raise the error that says what the system needs."""
        needed = systems.system_info(self.system).requirements
        raise ModelError(f"system {self.system} needs {needed}", remedy="give gold trees to learn from, rules, or a model")

    def _with(self, pair: Pair, projection: Projection) -> Pair:
        """Return the pair with the projected tree, and with the E tree and the links that it was projected from."""
        return self.with_tree(replace(pair, e=projection.sentence.e, links=projection.sentence.links), projection)

    def with_tree(self, pair: Pair, projection: Projection) -> Pair:
        """Return the pair with the projected tree, also in its rows of CoNLL-U."""
        f, sentence = replace(projection.tree, lemmas=pair.f.lemmas, feats=pair.f.feats), None
        if pair.f_rows is not None:
            sentence = self.rows(pair, projection)
            f = replace(sentence.usable_tree()[0], lemmas=sentence.column(2), feats=sentence.column(5))
        return replace(pair, f=f, reasons=projection.reasons, confidence=projection.confidence, f_rows=sentence)

    def rows(self, pair: Pair, projection: Projection, repairs: Counter[str] | None = None) -> Rows:
        """Return the rows of F with the tree of a projection; `repairs` counts relations that were made to fit UD."""
        return rows_of(pair, projection, self.system_, self.preparation.table, self.f_style, repairs, self.conventions)


def _vote(projections: Sequence[Projection]) -> Projection:
    """Return the tree with the most votes of the sources that have a translation; one that two sources share votes once."""
    sources = {(p.sentence.e, p.sentence.links): p for p in reversed(projections) if len(p.sentence.e)}
    return vote([*sources.values()][::-1] or projections[:1])


def projector(system: str = systems.AUTO, **options: Any) -> Projector:
    """Return a `Projector` for a system by its name; `auto` chooses the best system for the data.

    Options: `rules` (a file or a shipped set), `model` (a folder), `parser` (of the translations), `grams` (your own gloss
    abbreviations), `types` (the table of `proj types` with your answers), `style` (heads of E trees), `f_style` (heads of the
    projected trees: ud or function), `conventions` (relations that you prefer) and `seed`. For systems that use phrases also `phrases` (a file of `proj align`, or auto), `f_forests` (trees or forests of F) and
    `paraphrases` (F and E are the same language).

    >>> projector("phrasal").system_
    's5'
    """
    return Projector(system, **options)


def ballot(projection: Projection) -> NDArray[np.float64]:
    """Return probabilities of all edges [h, c]: the projected edge has its confidence, and the other edges share the rest."""
    n = len(projection.heads)
    probabilities = np.zeros((n + 1, n + 1))
    for c, head in enumerate(projection.heads, 1):
        confidence = projection.confidence[c - 1] if projection.confidence else USUAL_CONFIDENCE
        probabilities[:, c] = (1.0 - confidence) / max(1, n - 1)
        probabilities[head, c] = confidence
    np.fill_diagonal(probabilities, 0.0)
    return probabilities


def vote(projections: Sequence[Projection], chances: Sequence[NDArray[np.float64]] = ()) -> Projection:
    """Return the tree with the most votes; `chances` are probabilities of all edges [h, c], by default those of `ballot`.

    A source that has no link for a word counts less on it (`UNLINKED_VOTE`). Every edge has the reason and the relation that
    the first source with this edge gives it; an edge of no source is a guess.
    """
    first = projections[0]
    for other in projections[1:]:
        if other.sentence.forms != first.sentence.forms:
            raise AlignmentError(
                f"the sources have different words: {' '.join(first.sentence.forms[:6])} … and {' '.join(other.sentence.forms[:6])} …",
                Where(sent_id=first.sentence.sent_id),
                "every source must have the same F sentences in the same order",
            )
    if len(projections) == 1 or not first.heads:
        return first
    votes = np.zeros((len(first.heads) + 1,) * 2)
    weight = np.zeros(len(votes))
    for projection, probabilities in zip(projections, chances or map(ballot, projections), strict=True):
        heard = np.array([1.0, *(1.0 if anchor else UNLINKED_VOTE for anchor in projection.sentence.anchors[1:])])
        votes += probabilities * heard
        weight += heard
    votes /= weight
    heads = np.zeros(len(votes), np.int64)
    chu_liu_edmonds.for_work(0, 8 * len(votes))(votes, heads)
    best_heads = tuple(heads[1:].tolist())
    confidence = tuple(float(min(1.0, votes[h, c])) for c, h in enumerate(best_heads, 1))
    backers = [next((p for p in projections if p.heads[c] == h), None) for c, h in enumerate(best_heads)]
    reasons = tuple(p.reasons[c] if p else "guess" for c, p in enumerate(backers))
    deprels = tuple((p.deprels or p.projected_deprels)[c] if p else "" for c, p in enumerate(backers))
    return replace(first, heads=best_heads, reasons=reasons, confidence=confidence, deprels=deprels)
