"""Projection systems: the protocol that all follow (`System`), the table of them (`SYSTEMS`), and how they are made and trained.

`System.adapt` learns from a text and returns a state, `System.project` takes a sentence and that state. The table says what each
system does and needs and how accurate it is; help texts, documentation, reports and error messages are made from it. `choose`
takes the one that suits the data (`auto`). `make` makes a system by its code, `train` makes one that learns from gold pairs, and
`Corrections` are what it learns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from divproj.core.errors import ModelError
from divproj.core.pair import Pair
from divproj.projection.candidates import TagLexicon
from divproj.projection.correction import HeadModel
from divproj.projection.direct import Direction, ProjectFunction, Projection, ProjectionInput, s1
from divproj.projection.rules import Rules, learn, s2
from divproj.runtime.resources import folder

if TYPE_CHECKING:
    from divproj.forest.hypergraph import Forest
    from divproj.links.grams import Grams
    from divproj.projection.glossed.corrected import S6Plus
    from divproj.projection.phrasal.phrase_pairs import PhraseBook


ATTACHMENT_SHARE = 1.0
"""Weight in the chart of s5 of the log probability that other languages give to an attachment; 0.7 was less accurate on
four treebanks, with and without glosses."""


UNTRAINED = ("s1-r", "s1-l")
LETTERED = (*UNTRAINED, "s2-3", "s2-2", "s2-1")
"""Systems of Georgi et al. that are also there to the letter (`paper`)."""
PROJECTIONS = (*LETTERED, "s2+")
"""Systems that project each sentence by itself; all but the first two read rule files."""
OBSERVING = ("s5", "s6")
"""Systems without training that adapt to the whole text before they project it."""
PARSERS = ("s3-1", "s3-2", "s3-3", "s3-4", "s3-5", "s4-1", "s4-2", "s4-3", "s4+", "s5+", "oracle")
"""Systems with a parser of F (`parsed`); `oracle` reads its features from the gold trees."""
CORRECTED = "s6+"
"""s6 corrected by gold trees of the language itself: observes the text and learns from gold."""
SYSTEM_NAMES = (*PROJECTIONS, *OBSERVING, CORRECTED, *PARSERS)
DEFAULT = "s2+"
RULED = ("s2-3", "s2-2", "s2-1", DEFAULT, CORRECTED)
"""Systems that rules can be learned for."""


@dataclass
class Corrections:
    """All that is learned from gold F trees of a language pair: counted rules, and the weights of s2+ or s6+."""

    rules: Rules
    model: HeadModel
    about: dict[str, Any] = field(default_factory=dict)
    system: str = DEFAULT
    """The system that they were learned for. Weights of s2+ start from equal candidates, those of s6+ from what s6 says; rules for
    s2-1 to s2-3 have no weights."""

    @classmethod
    def learn(
        cls,
        pairs: Sequence[Pair],
        system: str = DEFAULT,
        *,
        text: Sequence[ProjectionInput] = (),
        about: dict[str, Any] | None = None,
        grams: Grams | None = None,
        paper: bool = False,
    ) -> Corrections:
        """Learn corrections for a system; for s6+ `text` is more of the language, without trees, and `grams` are gloss abbreviations.

        `auto` chooses by the pairs: s6+ where s6 is made for them (glosses, and UD trees of E), else s2+.
        """
        if system == AUTO:
            system = CORRECTED if suits_s6([*map(ProjectionInput.of, pairs)]) else DEFAULT
        if system not in RULED:
            raise ModelError(f"no rules are learned for system '{system}'", remedy=f"choose one of {', '.join((AUTO, *RULED))}")
        if system == CORRECTED:
            from divproj.projection.glossed.corrected import S6Plus
            from divproj.projection.glossed.s6 import S6

            return starting_from_s6(S6Plus.fit(pairs, text, S6(grams=grams)), pairs, about)
        untrained = HeadModel(lexicon=TagLexicon.of((ProjectionInput.of(pair), pair.f.deprels) for pair in pairs))
        return cls(learn(pairs, paper=paper), HeadModel.fit(pairs) if system == DEFAULT else untrained, about or {}, system)

    def check(self, system: str) -> None:
        """Raise ModelError where these corrections cannot serve a system; counted rules serve s2-1 to s2-3 in any case."""
        if system in (DEFAULT, CORRECTED) and system != self.system:
            message = f"the rules were learned for {self.system}, and cannot be used by {system}"
            raise ModelError(message, remedy=f"learn rules with `system={system}`, or choose {self.system}")


def starting_from_s6(learned: S6Plus, pairs: Sequence[Pair], about: dict[str, Any] | None = None) -> Corrections:
    """Return what s6+ has learned from pairs, as it is kept in files."""
    return Corrections(learn(pairs), HeadModel(dict(learned.weights), learned.lexicon), about or {}, CORRECTED)


def suits_s6(text: Sequence[ProjectionInput]) -> bool:
    """Return whether a text is one that s6 is made for: it has glosses, and the trees of E, where there are any yet, are UD's."""
    if not has_gloss_model() or not any(sentence.glosses for sentence in text):
        return False
    from divproj.projection.glossed.attachments import ud_like

    parsed = [sentence for sentence in text if sentence.e.tree is not None]
    return not parsed or ud_like(parsed)


def projector(system: str, corrections: Corrections | None = None) -> ProjectFunction:
    """Return the function that projects each sentence by itself."""
    projection_system = make(system, corrections)
    return lambda sentence: projection_system.project(sentence, projection_system.adapt([sentence]))


def make(system: str, corrections: Corrections | None = None, grams: Grams | None = None, *, paper: bool = False) -> System:
    """Return the system of this code; ModelError where it needs what is not given.

    `corrections` are what was learned from gold trees, `grams` gloss abbreviations instead of the shipped ones. `paper` makes S1 and S2
    as the paper's text and Table 4a have them; other systems are the same.
    """
    if system == "oracle" or (system in SYSTEMS and SYSTEMS[system].parser):
        raise ModelError(
            f"system {system} needs a trained parser", remedy="make one with `proj train`, and give it with `model`"
        )
    if system not in _MAKERS:
        raise ModelError(f"no system '{system}'", remedy=f"choose one of {', '.join(SYSTEM_NAMES)}")
    if corrections is None and SYSTEMS[system].needs:
        raise ModelError(
            f"system {system} needs rules learned from gold trees",
            remedy="give `rules=FILE` (`proj learn` makes one), or `system=s1-r`, which needs none",
        )
    if corrections is not None:
        corrections.check(system)
    if paper and system in LETTERED:
        return _by_the_letter(system, corrections)
    return _MAKERS[system](corrections, grams)


def _by_the_letter(code: str, corrections: Corrections | None) -> System:
    """S1 and S2 without our departures: unlinked words go to the side that the system is named for, S2-2 swaps and does not reattach."""
    if corrections is None or code in UNTRAINED:
        side: Direction = "right" if code == "s1-r" else "left"
        return PerSentence(code, lambda sentence: s1(sentence, side, side, any_root=True))
    rules, swaps = corrections.rules, False if code == "s2-3" else corrections.rules.kept_swaps()
    how: dict[str, Any] = {"remove": code == "s2-1", "swap": swaps, "unlearned": "right", "any_root": True}
    return PerSentence(code, lambda sentence: s2(sentence, rules, **how))


def _s2(code: str, corrections: Corrections) -> System:
    rules = corrections.rules
    swaps = rules.kept_swaps() if code == "s2-1" else False
    return PerSentence(code, lambda sentence: s2(sentence, rules, remove=code != "s2-3", swap=swaps))


def _s5(grams: Grams | None) -> System:
    if not has_gloss_model():
        from divproj.projection.phrasal.s5 import S5

        return S5()
    from divproj.projection.glossed.attachments import S5WithPriors
    from divproj.projection.glossed.s6 import S6

    return S5WithPriors(reader=S6(grams=grams, share=ATTACHMENT_SHARE))


def _s6(grams: Grams | None) -> System:
    from divproj.projection.glossed.s6 import S6

    return S6(grams=grams)


def _s6_plus(corrections: Corrections, grams: Grams | None) -> System:
    from divproj.projection.glossed.corrected import S6Plus
    from divproj.projection.glossed.s6 import S6

    return S6Plus(corrections.model.weights, corrections.model.lexicon, S6(grams=grams))


_MAKERS: dict[str, Callable[[Any, Grams | None], System]] = {
    "s1-r": lambda corrections, grams: PerSentence("s1-r", lambda sentence: Projection(sentence, *sentence.rightmost)),
    "s1-l": lambda corrections, grams: PerSentence("s1-l", lambda sentence: s1(sentence, "left")),
    "s2-3": lambda corrections, grams: _s2("s2-3", corrections),
    "s2-2": lambda corrections, grams: _s2("s2-2", corrections),
    "s2-1": lambda corrections, grams: _s2("s2-1", corrections),
    "s2+": lambda corrections, grams: PerSentence("s2+", corrections.model.project),
    "s5": lambda corrections, grams: _s5(grams),
    "s6": lambda corrections, grams: _s6(grams),
    "s6+": _s6_plus,
}
"""What makes a system from corrections and gloss abbreviations, by its code."""


def train(
    system: str,
    pairs: Sequence[Pair],
    *,
    peek: Sequence[Pair] = (),
    seed: int = 1,
    text: Sequence[ProjectionInput] = (),
    paper: bool = False,
) -> ProjectFunction:
    """Return the function that projects by this system after learning from these pairs; `oracle` may peek at the gold trees of others.

    `text` is all bitext at hand, without F trees, for systems that adapt to it (s5, s5+, s6, s6+); none: that of the pairs. `paper` is as in `make`.
    """
    sentences = tuple(text) or tuple(map(ProjectionInput.of, pairs))
    if system.partition(":")[0] in PARSERS:
        from divproj.projection import parsers  # a parser needs numba: only who asks for one waits for it

        return parsers.fit(system, pairs, peek=peek, text=text, random_state=seed).project
    if system == CORRECTED:
        from divproj.projection.glossed.corrected import S6Plus
        from divproj.projection.glossed.s6 import S6, state_for

        state = state_for(S6(), tuple(dict.fromkeys([*text, *map(ProjectionInput.of, pairs)])))
        return AdaptedSystem(S6Plus.cross_fit(pairs, state)[0], state).project
    if system in OBSERVING:
        return AdaptedSystem(make(system), _cached_state(system, sentences)).project
    corrections = None if system in UNTRAINED else Corrections.learn(pairs, system, paper=paper)
    return AdaptedSystem(make(system, corrections, paper=paper), None).project


def _cached_state(system: str, text: tuple[ProjectionInput, ...]) -> Any:
    """What s5 or s6 learns from a text; folds of one corpus ask for the same."""
    if system == "s6":
        from divproj.projection.glossed.s6 import S6, state_for

        return state_for(S6(), text)
    if has_gloss_model():
        from divproj.projection.glossed.attachments import cached_state
    else:
        from divproj.projection.phrasal.s5 import cached_state
    return cached_state(text)


@dataclass(frozen=True)
class TextEvidence:
    """What is known of a text besides words, links and E trees: parses of F, and phrase pairs."""

    forests: Sequence[Forest] = ()
    phrases: PhraseBook | None = None

    def __bool__(self) -> bool:
        return bool(self.forests or self.phrases)


NO_EVIDENCE = TextEvidence()


class System(Protocol):
    """One way to make trees of F.

    A system holds what it was made with and what it has learned from gold trees; it never changes. What it learns from the text
    that is to be projected is a value, the state: `adapt` returns it, and `project` takes it. So the tree of a sentence depends on
    the system, the sentence and the state alone, whatever was projected before.

    >>> from divproj.projection.systems import make
    >>> system: System = make("s1-r")
    >>> system.code, system.adapts
    ('s1-r', False)
    """

    @property
    def code(self) -> str:
        """The code of the system (s1-r … s6+), by which its confidences are calibrated."""

    @property
    def adapts(self) -> bool:
        """Whether it learns from the whole text before it projects a sentence of it."""

    def adapt(self, text: Sequence[ProjectionInput], evidence: TextEvidence = NO_EVIDENCE, /) -> Any:
        """Return what the system learns from a text without F trees; None for systems that learn nothing."""

    def together(self, text: Sequence[ProjectionInput], state: Any, /) -> Any:
        """Return the state with what is quicker to compute for these sentences together than for each; that of others may be gone."""

    def project(self, sentence: ProjectionInput, state: Any, /) -> Projection:
        """Return the tree of one sentence, which may be of the text or not."""


@dataclass(frozen=True)
class PerSentence:
    """A system that looks at one sentence at a time.

    >>> from divproj.projection.direct import s1
    >>> PerSentence("s1-r", s1).adapts
    False
    """

    code: str
    function: ProjectFunction
    adapts: bool = False

    def adapt(self, text: Sequence[ProjectionInput], evidence: TextEvidence = NO_EVIDENCE) -> None:
        """Nothing is learned from the text."""

    def together(self, text: Sequence[ProjectionInput], state: None) -> None:
        """Nothing is computed for several sentences."""

    def project(self, sentence: ProjectionInput, state: None = None) -> Projection:
        """Return the tree of one sentence."""
        return self.function(sentence)


S = TypeVar("S", bound=System)


@dataclass(frozen=True)
class AdaptedSystem(Generic[S]):
    """A system together with its state for a text."""

    system: S
    state: Any

    @classmethod
    def to(cls, system: S, text: Sequence[ProjectionInput], evidence: TextEvidence = NO_EVIDENCE) -> AdaptedSystem[S]:
        """Return the system adapted to a text."""
        return cls(system, system.adapt(text, evidence))

    def project(self, sentence: ProjectionInput) -> Projection:
        """Return the tree of one sentence."""
        return self.system.project(sentence, self.state)


ENOUGH_GOLD = 20
"""Gold sentences from which a parser learns more than rules do: below, s2+ is the safer choice (learning curves of ODIN)."""
ENOUGH_GLOSSED_GOLD = 5
"""The same on glossed text, where parsers start from s6; chosen on draws 2 and 3 of 17 treebanks (bench/RESULTS.md)."""


AUTO = "auto"


@dataclass(frozen=True)
class SystemInfo:
    """A system: one way to make trees of F.

    >>> SYSTEMS["s5"].word, SYSTEMS["s2+"].requirements
    ('phrasal', 'rules, or gold trees')
    """

    code: str
    """The papers' name, or ours."""
    about: str
    """What it does, in one sentence."""
    word: str = ""
    """A name in one word, for the systems that users choose from; the others serve to compare with the papers."""
    needs: str = ""
    """What must be there besides words, translations and links: `gold` trees of F, `rules` or gold, or nothing."""
    observes: bool = False
    """Whether it goes through all the text before it projects."""
    parser: bool = False
    """Whether it trains a parser of F."""
    odin: float | None = None
    """UAS in percent, mean of four ODIN languages, ten folds, gold links and E trees (bench/RESULTS.md, Tables 4b, 5b and Bridge)."""
    glossed: float | None = None
    """UAS in percent from glosses and translation alone, families held out (bench/RESULTS.md, Glossed text without gold trees):
    mean of 24 treebanks; of systems that learn, mean of 17 with 20 gold trees."""

    @property
    def learns(self) -> bool:
        return bool(self.needs)

    @property
    def name(self) -> str:
        """What messages call it: plain words, then the code in brackets; a system of the papers by its code alone.

        >>> SYSTEMS["s6"].name, SYSTEMS["s4-2"].name
        ('gloss model (s6)', 's4-2')
        """
        return f"{NAMES[self.code]} ({self.code})" if self.code in NAMES else self.code

    @property
    def requirements(self) -> str:
        """What it needs, in words."""
        return {"": "nothing", "rules": "rules, or gold trees", "gold": "gold trees, or a trained model"}[self.needs]


SYSTEMS: dict[str, SystemInfo] = {
    system.code: system
    for system in (
        SystemInfo(
            "s1-r",
            "Copies heads over the links; of several words with one partner the rightmost is the head.",
            "direct",
            odin=86.3,
            glossed=50.3,
        ),
        SystemInfo("s1-l", "As s1-r, but the leftmost is the head.", odin=83.5),
        SystemInfo("s2-3", "s1-r with learned heads of merged words.", needs="rules", odin=86.3),
        SystemInfo("s2-2", "s2-3 with learned attachment of words without a partner.", needs="rules", odin=89.5),
        SystemInfo("s2-1", "s2-2 with learned swaps of head and dependent.", needs="rules", odin=89.5),
        SystemInfo(
            "s2+",
            "Weighs all corrections of s2 together in a log-linear model.",
            "loglinear",
            needs="rules",
            odin=92.3,
            glossed=60.7,
        ),
        SystemInfo(
            "s5",
            "Chooses the best bracketing of F that fits the phrases of E.",
            "phrasal",
            observes=True,
            odin=91.3,
            glossed=66.6,
        ),
        SystemInfo(
            "s6",
            "Reads the glosses with a model learned from treebanks of other languages, together with s5.",
            "universal",
            observes=True,
            glossed=70.6,
        ),
        SystemInfo(
            "s6+",
            "s6 corrected by gold trees of the language itself.",
            "universal+",
            needs="rules",
            observes=True,
            glossed=70.9,
        ),
        SystemInfo("s3-1", "A parser trained on gold trees of F alone.", needs="gold", parser=True, odin=81.4),
        SystemInfo("s3-2", "A parser trained on trees projected by s2-1.", needs="gold", parser=True, odin=80.4),
        SystemInfo("s3-3", "A parser trained on trees projected by s1-r.", needs="gold", parser=True, odin=77.8),
        SystemInfo("s3-4", "A parser trained on trees projected by s1-l.", needs="gold", parser=True, odin=75.0),
        SystemInfo("s3-5", "s3-1 without projected tags.", needs="gold", parser=True, odin=72.6),
        SystemInfo("s4-1", "A parser that sees the projection of s2-1.", needs="gold", parser=True, odin=91.7),
        SystemInfo("s4-2", "A parser that sees the projection of s1-r.", needs="gold", parser=True, odin=91.8),
        SystemInfo("s4-3", "A parser that sees the projection of s1-l.", needs="gold", parser=True, odin=90.6),
        SystemInfo(
            "s4+",
            "Several parsers that see s2+ (glossed text: s6+), voting with it.",
            "parser",
            needs="gold",
            parser=True,
            odin=92.6,
            glossed=72.8,
        ),
        SystemInfo(
            "s5+",
            "s4+ that also sees the phrases of s5; on glossed text the same as s4+.",
            "parser+phrasal",
            needs="gold",
            observes=True,
            parser=True,
            odin=93.6,
            glossed=72.8,
        ),
    )
}
NAMES = {
    "s1-r": "direct projection",
    "s2+": "corrected projection",
    "s5": "phrase projection",
    "s6": "gloss model",
    "s6+": "gloss model with your trees",
    "s4+": "trained parser",
    "s5+": "trained parser with phrases",
}
"""Names of systems in plain words, by code."""
_WORDS = {system.word: system.code for system in SYSTEMS.values() if system.word}


def system_info(name: str) -> SystemInfo:
    """Return the system with this code or word; ModelError lists all systems.

    >>> system_info("phrasal").code
    's5'
    """
    code = _WORDS.get(name, name)
    if code not in SYSTEMS:
        raise ModelError(f"no system '{name}'", remedy=f"choose one of {', '.join((AUTO, *SYSTEMS))}")
    return SYSTEMS[code]


def system_name(code: str) -> str:
    """Return what messages call a system: its name and code; other text is returned as it is.

    >>> system_name("s6+"), system_name("model:mine")
    ('gloss model with your trees (s6+)', 'model:mine')
    """
    return SYSTEMS[code].name if code in SYSTEMS else code


@dataclass(frozen=True)
class SystemChoice:
    """A system and why it was chosen."""

    system: str
    why: str


def has_gloss_model() -> bool:
    """Return whether the model of glossed text is installed."""
    return (folder("languages") / "glossed" / "model.json").is_file()


def choose(*, gold: int = 0, rules: str = "", glosses: bool = False, forests: bool = False) -> SystemChoice:
    """Return the best system for the data: number of gold trees, rules, glosses, and trees or forests of F (`forests`).

    `rules` is the system that given rules were learned for. On glossed text s6 is more accurate than rules that do not start from it
    (bench/RESULTS.md), so such rules are not used there.

    >>> choose(rules="s2+").system, choose(rules="s2+", glosses=True).system, choose(rules="s6+", glosses=True).system
    ('s2+', 's6', 's6+')
    >>> choose().system, choose(glosses=True).system, choose(gold=2, glosses=True).system, choose(gold=5, glosses=True).system
    ('s5', 's6', 's6+', 's5+')
    """
    if gold >= ENOUGH_GOLD:
        return SystemChoice("s5+", f"{gold} gold trees")
    if gold and glosses and has_gloss_model():
        return SystemChoice("s5+" if gold >= ENOUGH_GLOSSED_GOLD else "s6+", f"{gold} gold tree{'s' * (gold != 1)} and glosses")
    if gold:
        return SystemChoice("s2+", f"{gold} gold tree{'s' * (gold != 1)}, fewer than the {ENOUGH_GOLD} that a parser needs")
    if rules == "s6+":
        return SystemChoice(rules, "the rules were learned for it")
    if rules and glosses and has_gloss_model():
        why = f"the text has glosses; the rules are not used: they were learned for {rules}, which is less accurate on glossed text than s6"
        return SystemChoice("s6", f"{why}; choose {rules} to use them all the same")
    if rules:
        return SystemChoice(rules, "rules are given")
    if forests:
        return SystemChoice("s5", "trees or forests of F are given")
    if glosses and has_gloss_model():
        return SystemChoice("s6", "chosen because the text has glosses and there are no gold trees yet")
    return SystemChoice("s5", "chosen because there are neither glosses nor gold trees")


def describe_system(system: str) -> str:
    """Return what a system does, in one line; '' for an unknown system.

    >>> describe_system("s3-2"), describe_system("model:mine"), describe_system("nothing")
    ('a parser trained on trees projected by s2-1', 'a model of `proj train`', '')
    """
    if system.startswith("model:"):
        return "a model of `proj train`"
    about = SYSTEMS[system].about.rstrip(".") if system in SYSTEMS else ""
    return about[:1].lower() + about[1:] if about[1:2] not in "0123456789" else about
