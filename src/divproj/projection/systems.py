"""The systems by name: what each learns from gold pairs, and how it projects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from divproj.data.errors import ModelError
from divproj.data.pair import Pair
from divproj.projection.base import Alone, Engine
from divproj.projection.candidates import Lexicon
from divproj.projection.direct import ProjectFunction, Projection, ProjectionInput, s1
from divproj.projection.loglinear import HeadModel
from divproj.projection.registry import has_gloss_model
from divproj.projection.rules import Rules, learn, s2

if TYPE_CHECKING:
    from divproj.projection.universal.corrected import Corrected

UNTRAINED = ("s1-r", "s1-l")
PROJECTIONS = (*UNTRAINED, "s2-3", "s2-2", "s2-1", "s2+")
"""Systems that project alone; rule files serve them."""
OBSERVING = ("s5", "s6")
"""Systems without training that first go through all the text that is to be projected (`divproj.projection.phrasal`)."""
PARSERS = ("s3-1", "s3-2", "s3-3", "s3-4", "s3-5", "s4-1", "s4-2", "s4-3", "s4+", "s5+", "oracle")
"""Systems with a parser of F (`parsed`); `oracle` reads its features from the gold trees."""
CORRECTED = "s6+"
"""s6 corrected by gold trees of the language itself: observes the text and learns from gold."""
SYSTEM_NAMES = (*PROJECTIONS, *OBSERVING, CORRECTED, *PARSERS)
DEFAULT = "s2+"
PRIOR = "prior"
"""In what is said about corrections: the system whose trees they start from, where there is one."""


@dataclass
class Corrections:
    """All that is learned from gold F trees of a language pair: counted rules and the model of s2+."""

    rules: Rules
    model: HeadModel
    about: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def learn(cls, pairs: Sequence[Pair], *, model: bool = True, about: dict[str, Any] | None = None) -> Corrections:
        untrained = HeadModel(lexicon=Lexicon.of((ProjectionInput.of(pair), pair.f.rels) for pair in pairs))
        return cls(learn(pairs), HeadModel.fit(pairs) if model else untrained, about or {})


def corrected(pairs: Sequence[Pair], text: Sequence[ProjectionInput] = (), about: dict[str, Any] | None = None) -> Corrections:
    """Corrections for s6+: weights that start from what s6 says."""
    from divproj.projection.universal.corrected import Corrected

    return starting_from_s6(Corrected.fit(pairs, text), pairs, about)


def starting_from_s6(found: Corrected, pairs: Sequence[Pair], about: dict[str, Any] | None = None) -> Corrections:
    """What s6+ has learned from pairs, as it is kept in files."""
    return Corrections(learn(pairs), HeadModel(found.weights, found.lexicon), {**(about or {}), PRIOR: "s6"})


def projector(system: str, corrections: Corrections | None = None) -> ProjectFunction:
    """The function that projects each sentence for itself by this system."""
    return engine(system, corrections).project


def engine(system: str, corrections: Corrections | None = None) -> Engine:
    """What projects by this system; ModelError where it needs corrections and has none."""
    if system == "s1-r":
        return Alone(lambda bitext: Projection(bitext, *bitext.rightmost))
    if system == "s1-l":
        return Alone(lambda bitext: s1(bitext, "left"))
    if system == "s6":
        from divproj.projection.universal.projector import Universal

        return Universal()
    if system == CORRECTED and corrections is not None:
        from divproj.projection.universal.corrected import Corrected

        if corrections.about.get(PRIOR) != "s6":
            raise ModelError("the rules were not learned with s6", remedy="learn them with system s6+, or choose s2+")
        return Corrected(corrections.model.weights, corrections.model.lexicon)
    if system in OBSERVING:  # each sentence for itself: who has the whole text lets it `observe` that
        if has_gloss_model():
            from divproj.projection.universal.attachments import AttachedProjector

            return AttachedProjector()
        from divproj.projection.phrasal.projector import PhraseProjector

        return PhraseProjector()
    if system in PARSERS:
        raise ModelError(
            f"system {system} needs a trained parser", remedy="make one with `proj train`, and give it with `model`"
        )
    if system not in (*PROJECTIONS, CORRECTED):
        raise ModelError(f"no system '{system}'", remedy=f"choose one of {', '.join(SYSTEM_NAMES)}")
    if corrections is None:
        raise ModelError(
            f"system {system} needs rules learned from gold trees",
            remedy="give `rules=FILE` (`proj learn` makes one), or `system=s1-r`, which needs none",
        )
    rules = corrections.rules
    if system == "s2+":
        return Alone(corrections.model.project)
    swaps = rules.kept_swaps() if system == "s2-1" else False
    return Alone(lambda bitext: s2(bitext, rules, remove=system != "s2-3", swap=swaps))


def train(
    system: str,
    pairs: Sequence[Pair],
    *,
    peek: Sequence[Pair] = (),
    seed: int = 1,
    text: Sequence[ProjectionInput] = (),
) -> ProjectFunction:
    """The system after learning from these pairs; `oracle` may peek at the gold trees of others.

    `text` is all bitext at hand, without F trees, for systems that observe it (s5, s5+); none: that of the pairs.
    """
    if system in UNTRAINED:
        return projector(system)
    if system == "s6":
        from divproj.projection.universal.projector import Universal

        return Universal().observe(text or map(ProjectionInput.of, pairs)).project
    if system == CORRECTED:
        from divproj.projection.universal.corrected import Corrected

        return Corrected.fit(pairs, text).project
    if system in OBSERVING:
        if has_gloss_model():
            from divproj.projection.universal.attachments import observed
        else:
            from divproj.projection.phrasal.projector import observed  # type: ignore[assignment]
        return observed(tuple(text) or tuple(map(ProjectionInput.of, pairs))).project
    if system in PARSERS:
        from divproj.projection import parser_systems  # a parser needs numba: only who asks for one waits for it

        return parser_systems.fit(system, pairs, peek=peek, text=text, random_state=seed).project
    return projector(system, Corrections.learn(pairs, model=system == "s2+"))
