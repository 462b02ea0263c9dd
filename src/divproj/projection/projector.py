"""`projector`: the front door to every system, from Python as from the command line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from divproj.data.errors import Faults, ModelError
from divproj.data.head_style import STYLES as HEAD_STYLES
from divproj.data.pair import Pair
from divproj.data.sentence import Sentence
from divproj.projection import registry, rulefile, systems
from divproj.projection.base import Engine, code_of
from divproj.projection.batch import Plan, corrections, project_some
from divproj.projection.calibration import calibrated
from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.observed import ObservedText, Text, elected
from divproj.projection.output import STYLES, annotated
from divproj.projection.phrasal.phrase_sources import PhraseOptions, PhraseSources
from divproj.projection.prepare import PARSER, Preparation
from divproj.runtime.engine import HERE, Place, Say, run

PIECE = 125
"""Sentences that a process takes at a time."""
WORTH = 4 * PIECE
"""Sentences from which other processes pay for their start."""
OBSERVED = 20_000
"""Sentences that are kept to learn from; the rest of a longer text is projected as it is read."""


class Projector:
    """Makes trees for F: parses the translations, links the words, projects.

    `fit` learns from pairs with gold trees of F; `pipe` gives the pairs back with a tree of F each, with reasons and
    confidences. `system_` and `why_` say which system works and why, once that is decided.

    >>> import divproj as dp
    >>> [pair] = dp.projector("s1-r").pipe(dp.read("Hunde bellen\\ndog.PL bark\\n'Dogs bark.'\\n"))
    >>> pair.f.heads, pair.reasons
    ((2, 0), ('projected', 'projected'))
    """

    def __init__(
        self,
        system: str = registry.AUTO,
        *,
        rules: str | Path | None = None,
        model: str | Path | None = None,
        parser: str | None = None,
        grams: Sequence[str | Path] = (),
        style: str = "as-is",
        f_style: str = "ud",
        phrases: str | Path | None = None,
        paraphrases: bool = False,
        f_forests: str | Path | None = None,
        refine_links: bool = False,
        e_best: int = 1,
        seed: int = 1,
    ) -> None:
        self.system = system if system == registry.AUTO else registry.named(system).code
        self.rules = str(rules) if rules else None
        self.model, self.seed = model, seed
        if e_best < 1:
            raise ModelError(f"`e_best` is {e_best}, at least 1 expected")
        known = PhraseSources(str(phrases) if phrases else None, paraphrases, str(f_forests) if f_forests else None)
        self.phrases = PhraseOptions(refine_links, e_best, known)
        self.preparation = Preparation(parser, tuple(map(Path, grams)), style)
        if style not in HEAD_STYLES:
            raise ModelError(f"no head style '{style}' of E trees", remedy=f"choose one of {', '.join(HEAD_STYLES)}")
        if f_style not in STYLES:
            raise ModelError(f"no head style '{f_style}' to write", remedy=f"choose one of {', '.join(STYLES)}")
        self.f_style = f_style
        self.system_ = self.why_ = ""
        self.gold_ = 0
        """Gold pairs that were learned from."""
        self._engine: Engine | None = None
        self._text: ObservedText | None = None
        self._known: dict[tuple[tuple[str, ...], tuple[str, ...]], ProjectionInput] = {}
        """Sentences of the observed text as phrases left them, by their words."""
        self._corrections: Any = corrections(str(rules)) if rules else None
        if model is not None:
            if rules is not None or system != registry.AUTO:
                raise ModelError("a model brings its own rules and system", remedy="give model alone")
            self._load(Path(model))
        elif self.system == registry.AUTO and self._corrections is not None:
            self._settle(
                registry.Choice("s6+", "rules are given that start from s6")
                if self._corrections.about.get(systems.PRIOR) == "s6"
                else self._choice(rules=True)
            )
        elif self._can_start:
            self._settle(registry.Choice(self.system, "asked for"))

    @property
    def _can_start(self) -> bool:
        """Whether the system asked for has all that it needs before `fit`."""
        if self.system == registry.AUTO or registry.named(self.system).parser:
            return False
        return not registry.named(self.system).needs or self._corrections is not None

    @property
    def code_(self) -> str:
        """The system that is used, or that a trained model was made for."""
        return code_of(self._engine, self.system_)

    @property
    def looks_at_text(self) -> bool:
        """Whether the whole text must be read before it is projected, to learn from it or to choose a system."""
        return self._engine is None or self._engine.observes

    @property
    def needs_gold(self) -> bool:
        """Whether `fit` must come before `project`."""
        return self._engine is None and self.system != registry.AUTO

    def fit(self, pairs: Iterable[Pair], *, text: Iterable[Pair] = ()) -> Projector:
        """Learn from pairs with gold trees of F; `text` is more of the text, without trees, for systems that observe it."""
        checked = (pair for pair in pairs if pair.sentence is None or not pair.sentence.unchecked)
        gold = [pair for pair in self.prepared(checked) if pair.f.tree is not None and pair.e.tree is not None]
        if not gold:
            raise ModelError("no pair has a gold tree of F and a tree of its translation", remedy="give pairs with trees")
        self.gold_ = len(gold)
        glosses = any(pair.f.glosses for pair in gold)
        choice = registry.Choice(self.system, "asked for")
        if self.system == registry.AUTO:
            choice = registry.choose(gold=len(gold), glosses=glosses)
        if registry.named(choice.system).parser:
            from divproj.projection import parser_systems

            bitexts = [*map(ProjectionInput.of, text)]
            self._take(parser_systems.fit(choice.system, gold, text=bitexts, random_state=self.seed))
        elif choice.system == "s6+":
            self._corrections = systems.corrected(gold, [*map(ProjectionInput.of, text)])
            self._settle(choice)
        else:
            self._corrections = systems.Corrections.learn(gold, model=choice.system in ("s2+", "s5"))
            self._settle(choice)
        self.system_, self.why_ = choice.system, choice.why
        return self

    def observe(self, pairs: Iterable[Pair]) -> Projector:
        """Read a whole text before it is projected, for systems that learn from all of it; its pairs have trees of E and links."""
        self._observe(Text(list(pairs)))
        return self

    def _observe(self, text: Text, faults: Faults | None = None) -> ObservedText:
        """The text after phrases and the system have gone through it."""
        engine = self.ready(text.pairs)
        if self.phrases.phrases and not engine.observes:
            asked = self.phrases.phrases.asked.replace("-", "_")
            what = f"`{asked}` is given to system {self.system_}, which does not look at phrases"
            raise ModelError(what, remedy="choose s5, s6 or s5+")
        made = self._text = ObservedText(engine, text, self.phrases, self.preparation.style, faults)
        self._known = {(b.forms, b.e.forms): b for b in made.text} if self.phrases else {}
        if made.note and made.note not in self.why_:
            self.why_ = "; ".join(filter(None, (self.why_, made.note)))
        return made

    def project(self, pair: Pair) -> Pair:
        """The pair with a projected tree of F; it must have a tree of E and links (`pipe` makes them)."""
        return self._with(pair, self.projection(pair))

    def projection(self, pair: Pair) -> Projection:
        """The projection of one pair, from the observed text or another one."""
        engine, given = self.ready((pair,)), ProjectionInput.of(pair)
        known = self._known.get((given.forms, given.e.forms))
        if known is None:
            known = self._text.better(given) if self._text is not None else given
        return calibrated(engine.project(known), self.code_)

    def projections(
        self,
        text: Text,
        also: Sequence[Text] = (),
        *,
        place: Place = HERE,
        say: Say | None = None,
        faults: Faults | None = None,
    ) -> Iterator[Projection]:
        """The projections of pairs that have trees of E and links, after the system has observed all of them.

        The same sentences with other translations (`also`) vote. Long texts are shared out to the workers of `place`; the
        projections are the same.
        """
        count = len(text.pairs)
        engine = self.ready(text.pairs)
        if not place.scheduler and count < (WORTH if self.model is not None else 4 * WORTH):
            place = HERE
        if not (place.here or engine.observes or self.phrases or also):
            plan = Plan.of(self.system_, Path(self.model) if self.model else None, self.rules)
            given = [*map(ProjectionInput.of, text.pairs)]
            parts = [given[k : k + PIECE] for k in range(0, count, PIECE)]
            alone = chain.from_iterable(run(partial(project_some, plan), lambda _: parts, None, place, say))
            yield from (calibrated(found, self.code_) for found in alone)
            return
        for other in also:
            other.check_words(text)
        if also:  # each text is projected before the next one is observed: what was observed before is forgotten then
            votes = [[*self._observe(each, faults).projections(place, say)] for each in (text, *also)]
            yield from (calibrated(elected(found), self.code_) for found in zip(*votes, strict=True))
        else:
            yield from (calibrated(found, self.code_) for found in self._observe(text, faults).projections(place, say))

    def pipe(
        self, pairs: Iterable[Pair], faults: Faults | None = None, *, also: Sequence[Iterable[Pair]] = ()
    ) -> Iterator[Pair]:
        """The pairs with projected trees of F, one by one; faults go to `faults`.

        `also` has the same sentences with other translations, perhaps in other languages: the trees of all sources vote.

        >>> import divproj as dp
        >>> [pair, *_] = dp.projector("s1-r").pipe(dp.read("deu-eng"), also=[dp.read("deu-eng")])
        >>> pair.f.tree is not None
        True
        """
        if also:
            text, *others = (self._ready_text(list(each), faults) for each in (pairs, *also))
            for pair, found in zip(text.pairs, self.projections(text, others, faults=faults), strict=True):
                yield self._with(pair, found)
            return
        source = iter(pairs)
        raw = list(islice(source, OBSERVED))
        ready = self.prepared(chain(raw, source), faults)
        first = list(islice(ready, len(raw)))
        if first:
            self._observe(self._described(raw, first), faults)
        for pair in chain(first, ready):
            yield self.project(pair)

    def _ready_text(self, raw: Sequence[Pair], faults: Faults | None) -> Text:
        return self._described(raw, list(self.prepared(raw, faults)))

    def _described(self, raw: Sequence[Pair], ready: Sequence[Pair]) -> Text:
        """Pairs that are ready, with what they say of their trees and links before they were."""
        parsed_here = all(pair.e.tree is None for pair in raw)
        parser = self.preparation.e_parser or PARSER if parsed_here else None
        return Text(ready, parser, any(pair.links.known for pair in raw))

    def prepared(self, pairs: Iterable[Pair], faults: Faults | None = None) -> Iterator[Pair]:
        """Pairs with trees of E and links."""
        return self.preparation(pairs, faults or Faults(strict=False))

    def save(self, path: str | Path) -> None:
        """Save what was learned: rules as a JSON file, a parser as a folder."""
        if self._corrections is None and not self._is_parser:
            raise ModelError("nothing was learned yet", remedy="call fit first")
        if self._is_parser:
            from divproj.projection import parser_files

            engine: Any = self._engine
            parser_files.save(engine, path, {"system": self.system_, "seed": self.seed})
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
        return hasattr(self._engine, "parsers")

    def _load(self, folder: Path) -> None:
        from divproj.projection import parser_files

        self._take(parser_files.load(folder))
        self.system_, self.why_ = f"model:{folder.name}", "a trained model was given"

    def _settle(self, choice: registry.Choice) -> None:
        self._take(systems.engine(choice.system, self._corrections))
        self.system_, self.why_ = choice.system, choice.why

    def _take(self, made: Any) -> None:
        """Let this system work, with the user's own gloss abbreviations."""
        if (table := self.preparation.table) and hasattr(made, "grams"):
            made.grams = table
        self._engine = made

    def ready(self, pairs: Sequence[Pair]) -> Engine:
        """What projects, chosen by what these pairs have where nobody chose."""
        if self._engine is None:
            if self.system != registry.AUTO:
                self.demand()
            self._settle(self._choice(glosses=any(pair.f.glosses for pair in pairs)))
        assert self._engine is not None
        return self._engine

    def _choice(self, **there: bool) -> registry.Choice:
        known = self.phrases.phrases
        return registry.choose(phrases=known.aligned, forests=known.f_forests is not None, **there)

    def demand(self) -> None:
        """Raise the error that says what the system needs."""
        needed = registry.named(self.system).needed
        raise ModelError(f"system {self.system} needs {needed}", remedy="give gold trees to learn from, rules, or a model")

    def _with(self, pair: Pair, found: Projection) -> Pair:
        """The pair with the tree of a projection, and the E tree and links that it goes by."""
        return self.with_tree(replace(pair, e=found.bitext.e, links=found.bitext.links), found)

    def with_tree(self, pair: Pair, found: Projection) -> Pair:
        """The pair with the tree of a projection, in its rows too."""
        f, sentence = replace(found.tree, lemmas=pair.f.lemmas, feats=pair.f.feats), None
        if pair.sentence is not None:
            sentence = self.rows(pair, found)
            f = replace(sentence.usable_tree()[0], glosses=f.glosses, lemmas=sentence.column(2), feats=sentence.column(5))
        return replace(pair, f=f, reasons=found.reasons, confidence=found.confidence, sentence=sentence)

    def rows(self, pair: Pair, found: Projection, repairs: Counter[str] | None = None) -> Sentence:
        """The rows of F with the tree of a projection; `repairs` counts relations that were made to fit UD."""
        assert pair.sentence is not None
        line = pair.where.line or (pair.igt.where.line if pair.igt else 0)
        return annotated(pair.sentence, found, self.system_, self.preparation.table, self.f_style, line, repairs)


def projector(system: str = registry.AUTO, **options: Any) -> Projector:
    """A projector by the name of its system; `auto` chooses the best system for the data.

    Options: `rules` (a file or a shipped set), `model` (a folder), `parser` (of the translations), `grams` (your own gloss
    abbreviations), `style` (heads of E trees), `f_style` (heads of what comes out: ud or function), `seed`; `refine_links` (aligned
    phrases veto links and propose others), `e_best` (choose among the parser's so many best E trees the one that fits the links best);
    for systems that look at phrases `phrases` (a file of `proj align`, or auto), `f_forests` (trees or forests of F),
    `paraphrases` (both sides are one language).

    >>> projector("phrasal").system_
    's5'
    """
    return Projector(system, **options)
