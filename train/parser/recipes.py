"""How each language pack is made: what it is learned from, what its words are seen as, and how long it learns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Recipe:
    """The settings of one language; they were chosen on a part of the training sentences, never on the development part."""

    name: str
    source: str
    """The treebank, as the model card names it."""
    licence: str
    vectors: str = "pieces"
    """Where word vectors come from: `glove`, `pieces` (of a multilingual sentence encoder), or nothing."""
    vector_words: int = 15_000
    fine: tuple[str, ...] = ()
    """Features that make up the second tag of a word; none where the treebank's own tags (XPOS) are taken."""
    layers: int = 2
    width: int = 200
    teachers: int = 0
    """Networks that teach, besides the linear parser; none where one network learns from the treebank alone."""
    teacher_epochs: int = 0
    epochs: int = 14
    punctuation: bool = False
    """Whether marks are attached as the treebank usually has them; treebanks that are put together do not agree on it."""
    parts: str = ""
    """Words written as one that the treebank may not have, and what they stand for: `fürs=für+das`."""
    bare: float = 0.15
    """Share of the sentences that are shown without capital and final mark (where they have them)."""

    def contractions(self) -> dict[str, tuple[str, ...]]:
        """Return the words of `parts`."""
        pairs = (item.split("=") for item in self.parts.split())
        return {word: tuple(words.split("+")) for word, words in pairs}


UD = "CC BY-SA 4.0"
VERBAL = ("VerbForm", "Mood", "Tense", "PronType", "Number")
CASES = ("Case", "Number", "VerbForm", "PronType")
FRENCH = "au=à+le aux=à+les auquel=à+lequel auxquels=à+lesquels auxquelles=à+lesquelles duquel=de+lequel desquels=de+lesquels desquelles=de+lesquelles"
GERMAN = """am=an+dem ans=an+das aufs=auf+das beim=bei+dem durchs=durch+das fürs=für+das hinterm=hinter+dem hinters=hinter+das im=in+dem
ins=in+das überm=über+dem übers=über+das ums=um+das unterm=unter+dem unters=unter+das vom=von+dem vorm=vor+dem vors=vor+das zum=zu+dem
zur=zu+der"""
PORTUGUESE = """daquele=de+aquele daquela=de+aquela daqueles=de+aqueles daquelas=de+aquelas daquilo=de+aquilo naquele=em+aquele naquela=em+aquela
naqueles=em+aqueles naquelas=em+aquelas naquilo=em+aquilo àquele=a+aquele àquela=a+aquela disto=de+isto nisto=em+isto nisso=em+isso
nele=em+ele nela=em+ela neles=em+eles nelas=em+elas doutro=de+outro doutra=de+outra noutro=em+outro noutra=em+outra"""
RECIPES = {
    "en": Recipe(
        "English",
        "UD English EWT",
        UD,
        vectors="glove",
        vector_words=30_000,
        layers=3,
        punctuation=True,
        teachers=3,
        teacher_epochs=13,
        epochs=18,
    ),
    "fr": Recipe("French", "UD French GSD, Rhapsodie and ParisStories", UD, fine=VERBAL, parts=FRENCH),
    "es": Recipe("Spanish", "UD Spanish AnCora, GSD and COSER", f"{UD}; AnCora CC BY 4.0", fine=VERBAL),
    "pt": Recipe(
        "Portuguese", "UD Portuguese GSD and Bosque", UD, fine=VERBAL, vector_words=11_400, epochs=6, parts=PORTUGUESE
    ),
    "ru": Recipe("Russian", "UD Russian Taiga, GSD and Poetry", UD, fine=(*CASES, "Gender"), epochs=16),
    "id": Recipe("Indonesian", "UD Indonesian GSD and CSUI", UD, vectors="", fine=("Voice", "PronType", "Number")),
    "de": Recipe("German", "UD German GSD", UD, fine=(*CASES, "Gender"), epochs=30, parts=GERMAN),
}
