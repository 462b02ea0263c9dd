"""ELAN files for tests, tier by tier."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

SENTENCES = (("sena", "uva-n"), ("kolu-t", "ku", "na"), ("ne", "kolu", "uva"))
GLOSSES = (("sister", "swim-PST"), ("fish-ACC", "big", "the"), ("and", "fish", "swim"))
FREE = {
    "en": ("The sister swam in the river.", "The fish is very big.", "And the fish swims."),
    "es": ("La hermana nadó en el río.", "El pez es muy grande.", "Y el pez nada."),
    "pt": ("A irmã nadou no rio.", "O peixe é muito grande.", "E o peixe está nadando."),
    "fr": ("La sœur a nagé dans la rivière.", "Le poisson est très grand.", "Et le poisson nage."),
    "ru": ("Сестра плавала в реке.", "Рыба очень большая.", "И рыба плавает."),
    "de": ("Die Schwester schwamm im Fluss.", "Der Fisch ist sehr groß.", "Und der Fisch schwimmt."),
    "id": ("Kakak perempuan berenang di sungai.", "Ikan itu sangat besar.", "Dan ikan itu berenang."),
}
ASSOCIATION, SUBDIVISION, TIMES, INCLUDED = "Symbolic_Association", "Symbolic_Subdivision", "Time_Subdivision", "Included_In"


class Eaf:
    """Tiers are added in order; `text()` is the file. Sentence k is spoken from 1000 k to 1000 k + 900."""

    def __init__(self) -> None:
        self.slots: list[str] = []
        self.tiers: list[str] = []
        self.kinds: dict[str, str] = {}

    def _slot(self, at: int | None) -> str:
        name = f"ts{len(self.slots) + 1}"
        value = "" if at is None else f' TIME_VALUE="{at}"'
        self.slots.append(f'<TIME_SLOT TIME_SLOT_ID="{name}"{value}/>')
        return name

    def _tier(self, name: str, kind: str, rows: list[str], above: str, more: dict[str, str]) -> Eaf:
        given = {"TIER_ID": name, "LINGUISTIC_TYPE_REF": kind, **({"PARENT_REF": above} if above else {}), **more}
        said = " ".join(f"{key}={quoteattr(value)}" for key, value in given.items())
        self.tiers.append(f"<TIER {said}>{''.join(rows)}</TIER>")
        return self

    def timed(self, name, values, kind="", shift=0, above="", constraint="", **more) -> Eaf:
        """A tier with times of its own: a value for each sentence, or (value, begin, end)."""
        self.kinds[kind or name] = constraint
        rows = []
        for k, value in enumerate(values):
            text, begin, end = value if isinstance(value, tuple) else (value, 1000 * k + shift, 1000 * k + 900 + shift)
            times = f'TIME_SLOT_REF1="{self._slot(begin)}" TIME_SLOT_REF2="{self._slot(end)}"'
            rows.append(f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="{name}{k}" {times}><ANNOTATION_VALUE>{escape(text)}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>')  # fmt: skip
        return self._tier(name, kind or name, rows, above, more)

    def under(self, name, above, values, kind="", **more) -> Eaf:
        """A tier that depends on another: values, or lists of values, for its annotations in order."""
        divided = any(not isinstance(value, str) for value in values)
        self.kinds[kind or name] = SUBDIVISION if divided else ASSOCIATION
        rows, n = [], 0
        for k, value in enumerate(values):
            before = ""
            for text in [value] if isinstance(value, str) else value:
                previous = f' PREVIOUS_ANNOTATION="{before}"' if before else ""
                before = f"{name}{n}"
                n += 1
                rows.append(f'<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="{before}" ANNOTATION_REF="{above}{k}"{previous}><ANNOTATION_VALUE>{escape(text)}</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>')  # fmt: skip
        return self._tier(name, kind or name, rows, above, more)

    def text(self) -> str:
        kinds = "".join(
            f"<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID={quoteattr(kind)}{f' CONSTRAINTS={quoteattr(what)}' if what else ''}/>"
            for kind, what in self.kinds.items()
        )
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n<ANNOTATION_DOCUMENT>\n<HEADER/>\n'
            f"<TIME_ORDER>{''.join(self.slots)}</TIME_ORDER>\n{chr(10).join(self.tiers)}\n{kinds}\n</ANNOTATION_DOCUMENT>\n"
        )


def lines(rows) -> list[str]:
    return [" ".join(row) for row in rows]


def plain_words(rows) -> list[list[str]]:
    return [[word.replace("-", "") for word in row] for row in rows]


def story(names: tuple[str, str, str, str, str], lang: str = "en", **more: str) -> Eaf:
    """Text, words, morphemes, glosses and translation under these names."""
    text, words, morphs, glosses, free = names
    pieces = [[("-" if k else "") + part for k, part in enumerate(word.split("-"))] for row in SENTENCES for word in row]
    meanings = [("-" if k else "") + part for row in GLOSSES for word in row for k, part in enumerate(word.split("-"))]
    made = Eaf().timed(text, lines(plain_words(SENTENCES)), **more)
    return made.under(words, text, plain_words(SENTENCES)).under(morphs, words, pieces).under(glosses, morphs, meanings).under(free, text, FREE[lang])  # fmt: skip
