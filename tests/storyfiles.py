"""One story in a language that does not exist, which tests write in the formats and the fashions of many authors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

MARKS = re.compile(r"(?<=.)(?=[-=])|(?<=[-=])(?=[^-=])")


class Line(NamedTuple):
    """A sentence: its words with morphemes and glosses, what ends it, and translations by language."""

    pieces: tuple[str, ...]
    glosses: tuple[str, ...]
    end: str
    free: dict[str, str]

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(re.sub("[-=]", "", word) for word in self.pieces)

    @property
    def text(self) -> str:
        return " ".join(self.words) + self.end

    @property
    def morphs(self) -> list[list[str]]:
        """Morphemes of each word, with the marks at their edges as FLEx and Toolbox write them: `kolu`, `-t`."""
        return [split(word) for word in self.pieces]

    @property
    def morph_glosses(self) -> list[list[str]]:
        return [split(gloss) for gloss in self.glosses]


def split(word: str) -> list[str]:
    """
    >>> split("ma=tavi-n")
    ['ma', '=tavi', '-n']
    """
    return re.findall(r"^[^-=]+|[-=][^-=]+", word)


def _line(pieces: str, glosses: str, end: str, *free: str) -> Line:
    return Line(tuple(pieces.split()), tuple(glosses.split()), end, dict(zip(("en", "es", "fr", "ru"), free, strict=True)))


STORY = (
    _line("sena kolu-t uva-n", "sister fish-ACC swim-PST", ".", "The sister swam after the fish.", "La hermana nadó detrás del pez.", "La sœur a nagé derrière le poisson.", "Сестра плыла за рыбой."),
    _line("ne kuna tavi-n na čéko-t", "and man see-PST DEF dog-ACC", ".", "And the man saw the dog.", "Y el hombre vio al perro.", "Et l’homme a vu le chien.", "И мужчина увидел собаку."),
    _line("ŋũ-ki kolu ku", "this-PL fish big", ".", "These fish are big.", "Estos peces son grandes.", "Ces poissons sont grands.", "Эти рыбы большие."),
    _line("mi=tavi-ra le-n ro suli", "1SG=see-NEG go-PST in house", ".", "I did not see who went into the house.", "No vi quién entró en la casa.", "Je n’ai pas vu qui est entré dans la maison.", "Я не видел, кто вошёл в дом."),
    _line("kaʔo sena-ni mala-lo", "when sister-1SG.POSS come-FUT", "?", "When will my sister come?", "¿Cuándo vendrá mi hermana?", "Quand est-ce que ma sœur viendra ?", "Когда придёт моя сестра?"),
    _line("na kuna sopi-n uma kolu-ki-t", "DEF man say-PST eat fish-PL-ACC", ".", "The man said that he eats the fish.", "El hombre dijo que come los peces.", "L’homme a dit qu’il mange les poissons.", "Мужчина сказал, что ест рыбу."),
    _line("le le na čéko", "go go DEF dog", "!", "Go, go, said the dog.", "Anda, anda, dijo el perro.", "Va, va, dit le chien.", "Иди, иди, сказала собака."),
    _line("uva-lo=ka na kolu ro nemi", "swim-FUT=Q DEF fish in river", "?", "Will the fish swim in the river?", "¿Nadará el pez en el río?", "Le poisson nagera-t-il dans la rivière ?", "Поплывёт ли рыба в реке?"),
    _line("ne mala-n sena ta", "and come-PST sister one", ".", "And then one sister came.", "Y entonces vino una hermana.", "Et puis une sœur est venue.", "И пришла одна сестра."),
    _line("tavi-n=mi suli ku na kuna", "see-PST=1SG house big DEF man", ".", "I saw the big house of the man.", "Vi la casa grande del hombre.", "J’ai vu la grande maison de l’homme.", "Я увидел большой дом мужчины."),
)  # fmt: skip


def columns(rows: Sequence[Sequence[str]], gap: int = 1) -> list[str]:
    """Lines whose cells stand under one another."""
    widths = [max(map(len, cells)) + gap for cells in zip(*rows, strict=True)]
    return ["".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def flat(groups: Sequence[Sequence[str]]) -> Iterator[str]:
    return (piece for group in groups for piece in group)
