"""Columns and comments of CoNLL-U as UD requires them.

FEATS come from the grams of a gloss (`features`), LEMMA from a segmented stem (`lemma`); `with_text` makes `sent_id`,
`text` and `SpaceAfter` agree. `attach_marks` attaches punctuation: as a leaf, to the highest word that it reaches without
crossing an edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain

from divproj.core.sentence import Rows, misc_value, morphs
from divproj.links.grams import REMEMBERED, GlossPart, Grams
from divproj.text.tokens import normal_form

NUMBERS = {"SG": "Sing", "PL": "Plur", "DU": "Dual"}
GENDERS = {"M": "Masc", "F": "Fem", "N": "Neut"}
CLUSIVITY = {"INCL": "In", "EXCL": "Ex"}
CAPITAL_NOUNS = frozenset({"de", "deu", "ger", "lb", "ltz"})
"""Languages, by `# language`, that write every noun with a capital."""
NOMINAL = frozenset({"NOUN", "PROPN", "ADJ", "NUM"})


@lru_cache(maxsize=1)
def shipped_grams() -> Grams:
    """The table for translations in English."""
    return Grams.load_shipped()


def features(gloss: str, tag: str, grams: Grams) -> str:
    """FEATS of a word by the grams of its gloss; grams without features in the table add nothing.

    >>> features("dog-PL.ACC", "NOUN", shipped_grams()), features("3SG.F", "PRON", shipped_grams())
    ('Case=Acc|Number=Plur', 'Gender=Fem|Number=Sing|Person=3|PronType=Prs')
    >>> features("dog", "NOUN", shipped_grams())
    '_'
    """
    feats: dict[str, str] = {}
    persons = []
    for part in grams.split(gloss):
        if part.features:
            persons.append(part.features)
        elif part.gram and part.gram.feats and (not part.plain or part.text[:1].upper() + part.text[1:] in gloss):
            for feature in part.gram.feats.split("|"):
                name, _, value = feature.partition("=")
                feats.setdefault(name, value)
    if len(persons) == 1:  # two persons are subject and object: which is which the gloss does not say
        owner = "[psor]" if tag in NOMINAL else ""
        for name, values in (("Number", NUMBERS), ("Gender", GENDERS), ("Clusivity", CLUSIVITY)):
            for label, value in values.items():
                if label in persons[0] and (not owner or name + owner not in feats):
                    feats[name + owner] = value
        number = min((x for x in persons[0] if x.isdecimal()), default="")
        if number in ("0", "1", "2", "3", "4"):
            feats.setdefault("Person" + owner, number)
        if tag == "PRON" and "POSS" in persons[0]:
            feats.setdefault("Poss", "Yes")
        if tag == "PRON":
            feats.setdefault("PronType", "Prs")
            if feats["PronType"] == "Prs" and "Person" not in feats:
                del feats["PronType"]
    if tag == "PUNCT" or not feats:
        return "_"
    return "|".join(f"{name}={feats[name]}" for name in sorted(feats, key=str.casefold))


def lemma(form: str, segments: str, gloss: str, grams: Grams, *, segmented: bool = False) -> str:
    """The stem of a segmented word whose morphemes have a gloss each; '_' where that is not so.

    A word of one morpheme is its own stem where its gloss shows no inflection: one gram alone, or none. Without `segments` this holds
    only in a sentence with `segmented` words; elsewhere nobody has looked for morphemes.

    >>> lemma("Hunde", "Hund-e", "dog-PL", shipped_grams()), lemma("Hunde", "", "dog", shipped_grams())
    ('Hund', '_')
    >>> [lemma(form, "", gloss, shipped_grams(), segmented=True) for form, gloss in (("laut", "loud"), ("sah", "see.PST"))]
    ['laut', '_']
    """
    ours, theirs = morphs(segments or form), morphs(gloss)
    if len(ours) != len(theirs):
        return "_"
    if len(ours) == 1:
        whole = (segments or segmented) and _has_no_inflection(theirs[0], grams)
        return (ours[0].strip("-=~") if whole else "") or "_"
    stems = [morph.strip("-=~") for morph, part in zip(ours, theirs, strict=True) if any(map(_lexical, grams.split(part)))]
    return "".join(stems) or "_"


def _lexical(part: GlossPart) -> bool:
    return part.plain and not part.features and not part.gram


def _has_no_inflection(gloss: str, grams: Grams) -> bool:
    """Whether a gloss names one thing: words of the translation alone, or one gram."""
    parts = grams.split(gloss)
    return len(parts) == 1 or all(map(_lexical, parts))


def lemmas_and_features(sentence: Rows, tags: Sequence[str], grams: Grams) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """LEMMA and FEATS of the words: those of the sentence, and where it has none those that glosses show."""
    lemmas, feats = list(sentence.column(2)), list(sentence.column(5))
    misc = sentence.column(9)
    segmented = "segmented" if any(len(morphs(misc_value(cell, "MSeg"))) > 1 for cell in misc if "MSeg=" in cell) else ""
    for k, (form, tag, cell) in enumerate(zip(sentence.forms, tags, misc, strict=True)):
        if lemmas[k] == "_" or feats[k] == "_":
            word = form, tag, cell, segmented
            analysis = grams.known.get(word)
            if analysis is None:
                if len(grams.known) >= REMEMBERED:
                    grams.known.clear()
                analysis = grams.known[word] = _analyse(form, tag, cell, grams, bool(segmented))
            if lemmas[k] == "_":
                lemmas[k] = analysis[0] if k else _small(analysis[0], sentence, tags)
            if feats[k] == "_":
                feats[k] = analysis[1]
    return tuple(lemmas), tuple(feats)


def _analyse(form: str, tag: str, misc: str, grams: Grams, segmented: bool) -> tuple[str, str]:
    """Lemma and features of a word by its gloss; '_' where it shows none."""
    gloss = misc_value(misc, "MGloss") or misc_value(misc, "Gloss")
    if not gloss:
        return form if tag == "PUNCT" else "_", "_"
    stem = form if tag == "PUNCT" else lemma(form, misc_value(misc, "MSeg"), gloss, grams, segmented=segmented)
    return stem, features(gloss, tag, grams)


def _small(lemma: str, sentence: Rows, tags: Sequence[str]) -> str:
    """The lemma of the first word without the capital of a sentence; names keep it, and nouns where nouns have one elsewhere too."""
    if tags[0] == "PROPN" or not (lemma[:1].isupper() and lemma[1:].islower()):
        return lemma
    if tags[0] == "NOUN":
        others = zip(tags[1:], sentence.forms[1:], strict=True)
        if sentence.comment("language") in CAPITAL_NOUNS or any(tag == "NOUN" and form[:1].isupper() for tag, form in others):
            return lemma
    return lemma[0].lower() + lemma[1:]


def to_nfc(sentence: Rows) -> Rows:
    """The sentence in Unicode's composed form (NFC), as UD wants it: é as one character and not as e with an accent after it."""
    whole = "\n".join(chain(sentence.comments, *sentence.columns))
    if whole.isascii() or normal_form("NFC", whole) == whole:
        return sentence
    columns = tuple(tuple(normal_form("NFC", cell) for cell in column) for column in sentence.columns)
    return replace(sentence, comments=tuple(normal_form("NFC", c) for c in sentence.comments), columns=columns)


def with_text(sentence: Rows, line: int = 0) -> Rows:
    """`# sent_id` and `# text` where they are missing; a text that its words do not make up is kept as `text_orig`."""
    comments = list(sentence.comments)
    if sentence.comment("sent_id") is None:
        comments.insert(0, f"# sent_id = {sentence.sent_id or f's{sentence.where.line or line}'}")
    text = sentence.comment("text")
    if text and len(comments) == len(sentence.comments) and _is_plain(sentence, text):
        return sentence
    spaced = _mark_spaces(sentence, text) if text else None
    if spaced is None:
        whole = surface_text(sentence)
        comments = [f"# text_orig = {text}" if line.partition("=")[0].strip("# ") == "text" else line for line in comments]
        comments.insert(1, f"# text = {whole}")
        spaced = sentence
    return replace(spaced, comments=tuple(comments))


def _is_plain(sentence: Rows, text: str) -> bool:
    """Whether the text is the words with a space after each, and no word says otherwise: what `_mark_spaces` would leave as it is."""
    forms, misc = sentence.columns[1], "|".join(sentence.columns[9])
    if "SpaceAfter" in misc or len(sentence.word_rows) != len(forms) or " ".join(forms) != text or "  " in text:
        return False
    return "_|" not in misc and "|_" not in misc


def _tokens(sentence: Rows) -> list[int]:
    """Rows that are written: multiword tokens, and words outside of them."""
    token_rows, hidden = [], 0
    for row, name in enumerate(sentence.columns[0]):
        low, dash, high = name.partition("-")
        if dash:
            token_rows.append(row)
            hidden = int(high)
        elif name.isdecimal() and int(low) > hidden:
            token_rows.append(row)
    return token_rows


def surface_text(sentence: Rows) -> str:
    """The text that words and `SpaceAfter` make up."""
    rows = _tokens(sentence)
    forms, misc = sentence.columns[1], sentence.columns[9]
    return "".join(forms[r] + ("" if "SpaceAfter=No" in misc[r].split("|") else " ") for r in rows).strip()


def _mark_spaces(sentence: Rows, text: str) -> Rows | None:
    """The sentence with `SpaceAfter=No` as its text has it; None where the words are not those of the text."""
    rows, at = _tokens(sentence), 0
    misc = list(sentence.columns[9])
    for k, row in enumerate(rows):
        form = sentence.columns[1][row]
        if not text.startswith(form, at):
            return None
        at += len(form)
        gap = at < len(text) and text[at] == " "
        last = k == len(rows) - 1
        cell = misc[row]
        if (gap or last) and "SpaceAfter" not in cell and (cell == "_" or (cell and "_" not in cell)):
            at += gap
            continue
        items = [x for x in cell.split("|") if x not in ("_", "SpaceAfter=No")]
        if not gap and not last:
            items.append("SpaceAfter=No")
        misc[row] = "|".join(items) or "_"
        at += gap
    if at != len(text) or "  " in text:
        return None
    return replace(sentence, columns=(*sentence.columns[:9], tuple(misc)))


def attach_marks(heads: list[int], marks: Sequence[int]) -> None:
    """Fill the heads of punctuation marks (places from 1) in place; the other words have theirs.

    A mark takes the highest word that it can reach without crossing, the nearest of equals.

    >>> heads = [2, 0, 0, 2, 0]
    >>> attach_marks(heads, [3, 5])
    >>> heads
    [2, 0, 2, 2, 2]
    """
    loose = set(marks)
    words = [k for k in range(1, len(heads) + 1) if k not in loose]
    if not words:
        for k in marks:
            heads[k - 1] = 0 if k == marks[0] else marks[0]
        return
    for mark in marks:  # so that none is below another while they are placed
        heads[mark - 1] = -1
    below = descendants(heads)
    hidden, placed = sum(1 << mark for mark in marks), 0
    depth = {k: _depth(heads, k) for k in words}
    for mark in marks:
        ranked = sorted(words, key=lambda k: (depth[k], abs(k - mark), k))
        hidden &= ~(1 << mark)
        over = spanning(heads, mark)
        heads[mark - 1] = up = next((k for k in ranked if fits(below, mark, k, over, hidden, placed)), ranked[0])
        placed |= 1 << mark
        while up > 0:
            below[up] |= 1 << mark
            up = heads[up - 1]


def descendants(heads: Sequence[int]) -> list[int]:
    """For each word from 0 the words below it and itself, as bits of a number."""
    bits = [1 << k for k in range(len(heads) + 1)]
    for k in range(1, len(heads) + 1):
        up, steps = heads[k - 1], 0
        while up > 0 and steps <= len(heads):
            bits[up] |= 1 << k
            up = heads[up - 1]
            steps += 1
    return bits


def spanning(heads: Sequence[int], mark: int) -> list[tuple[int, int]]:
    """Edges (dependent, head) that have the mark between their ends."""
    return [(k, up) for k, up in enumerate(heads, 1) if up > 0 and min(k, up) < mark < max(k, up)]


def fits(below: Sequence[int], mark: int, head: int, over: Sequence[tuple[int, int]], hidden: int = 0, placed: int = 0) -> bool:
    """Return whether a punctuation mark may attach to this head by the rules of the UD validator.

    All words between the two are below the head, and the mark is to blame for no crossing: an edge `over` the mark may end between
    mark and head only where its upper end governs the head. Edges that span both are not the mark's doing. `hidden` marks have no place
    yet and do not count; those `placed` must not get the mark between themselves and their head. Both are bits, as `below` is.
    """
    low, high = (mark, head) if mark < head else (head, mark)
    between = ((1 << high) - 1) & ~((1 << (low + 1)) - 1) & ~hidden
    if between & ~below[head]:
        return False
    for k, up in over:
        ends_inside = min(k, up) > head if head < mark else max(k, up) < head
        if (ends_inside or placed >> k & 1) and not below[up] >> head & 1:
            return False
    return True


def _depth(heads: Sequence[int], word: int) -> int:
    steps = 0
    while word > 0 and steps <= len(heads):
        word = heads[word - 1]
        steps += 1
    return steps
