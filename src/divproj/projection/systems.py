"""Make a system by its code (`make`, `train`), and learn the corrections that it needs from gold pairs (`Corrections`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from divproj.core.errors import ModelError
from divproj.core.pair import Pair
from divproj.projection.base import AdaptedSystem, PerSentence, System
from divproj.projection.candidates import TagLexicon
from divproj.projection.correction import HeadModel
from divproj.projection.direct import Direction, ProjectFunction, Projection, ProjectionInput, s1
from divproj.projection.registry import AUTO, SYSTEMS, has_gloss_model
from divproj.projection.rules import Rules, learn, s2

if TYPE_CHECKING:
    from divproj.links.grams import Grams
    from divproj.projection.glossed.corrected import S6Plus


ATTACHMENT_SHARE = 1.0
"""Weight in the chart of s5 of the log probability that other languages give to an attachment; 0.7 was less accurate on
four treebanks, with and without glosses."""


UNTRAINED = ("s1-r", "s1-l")
PROJECTIONS = (*UNTRAINED, "s2-3", "s2-2", "s2-1", "s2+")
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
    if paper and system in PROJECTIONS[:-1]:
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
