"""The table of systems: what each of them does and needs, how accurate it is, and which one suits the data (`choose`).

Help texts, documentation, reports and error messages are made from this table. `auto` chooses the best system for the data.
"""

from __future__ import annotations

from dataclasses import dataclass

from divproj.core.errors import ModelError
from divproj.runtime.resources import folder

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
    """A name in plain words, for the systems that users choose from; the others serve to compare with the papers."""
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
    mean of 19 treebanks; of systems that learn, mean of 17 with 20 gold trees."""

    @property
    def learns(self) -> bool:
        return bool(self.needs)

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
            glossed=47.6,
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
            glossed=65.1,
        ),
        SystemInfo(
            "s6",
            "Reads the glosses with a model learned from treebanks of other languages, together with s5.",
            "universal",
            observes=True,
            glossed=68.5,
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
        why = f"glosses; the rules are not used: they were learned for {rules}, which is less accurate on glossed text than s6"
        return SystemChoice("s6", f"{why}; choose {rules} to use them all the same")
    if rules:
        return SystemChoice(rules, "rules are given")
    if forests:
        return SystemChoice("s5", "trees or forests of F are given")
    if glosses and has_gloss_model():
        return SystemChoice("s6", "no gold trees and no rules, but glosses")
    return SystemChoice("s5", "no gold trees and no rules")


def describe_system(system: str) -> str:
    """Return what a system does, in one line; '' for an unknown system.

    >>> describe_system("s3-2"), describe_system("model:mine"), describe_system("nothing")
    ('a parser trained on trees projected by s2-1', 'a model of `proj train`', '')
    """
    if system.startswith("model:"):
        return "a model of `proj train`"
    about = SYSTEMS[system].about.rstrip(".") if system in SYSTEMS else ""
    return about[:1].lower() + about[1:] if about[1:2] not in "0123456789" else about
