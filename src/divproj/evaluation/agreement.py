"""Two annotations of one text: how far they agree, where they differ, and one file made of both.

`compare` counts agreement of heads and relations (UAS, LAS) and of every column, with Cohen's kappa:

    κ = (p_o − p_e) / (1 − p_e)      p_o: share of words with the same value, p_e: the share that chance would give

For heads the value is where the head stands, seen from the word (`−1`, `+3`, root), since numbers of words mean nothing across sentences.
Where sentences are marked as confirmed, only those count that both annotators have confirmed: others hold the same projected tree, on which
to agree is no merit.

`merge` makes one sentence of two reviews. What one annotator has changed and the other has left goes in; what both have changed, in
different ways, stays as the first has it and is listed in `# disagreement`, and the sentence is no longer gold (`# state = second`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from divproj.core.errors import AlignmentError, Where
from divproj.core.sentence import Rows, is_gold, misc_value
from divproj.io.interlinear.rows import parse_comment

COLUMNS = {2: "LEMMA", 3: "UPOS", 4: "XPOS", 5: "FEATS", 6: "HEAD", 7: "DEPREL"}
"""Columns that annotators fill, by their number."""
MACHINE = ("Proj", "ProjConf", "ParseConf")
"""Keys of MISC that belong to the head of a word."""
CORRECTED = "corrected"
"""`Proj=` of a head that a person has chosen."""
SECOND = "# state = second"
DISAGREEMENT = "disagreement"


class Difference(NamedTuple):
    """A value in which two annotations differ; word 0 stands for the whole sentence."""

    sent_id: str
    word: int
    form: str
    column: str
    one: str
    other: str


@dataclass
class ColumnAgreement:
    """Words with the same value in a column, and how often each annotator has used each value."""

    same: int = 0
    total: int = 0
    one: Counter[str] = field(default_factory=Counter)
    other: Counter[str] = field(default_factory=Counter)

    def add(self, one: str, other: str) -> None:
        self.total += 1
        self.same += one == other
        self.one[one] += 1
        self.other[other] += 1

    @property
    def share(self) -> float:
        return 100 * self.same / self.total if self.total else 0.0

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None where both have used one and the same value throughout.

        >>> column = ColumnAgreement()
        >>> for pair in ("NN", "NN", "NV", "VV"): column.add(*pair)
        >>> column.share, column.kappa
        (75.0, 0.5)
        """
        chance = sum(count * self.other[value] for value, count in self.one.items()) / max(self.total, 1) ** 2
        return None if chance >= 1 else (self.same / max(self.total, 1) - chance) / (1 - chance)


@dataclass
class Agreement:
    """What two annotators agree on."""

    sentences: int = 0
    words: int = 0
    heads: int = 0
    labelled: int = 0
    columns: dict[str, ColumnAgreement] = field(default_factory=lambda: {name: ColumnAgreement() for name in COLUMNS.values()})
    differences: list[Difference] = field(default_factory=list)
    unconfirmed: int = 0
    """Sentences that are not compared, since not both have confirmed them."""
    divided: list[str] = field(default_factory=list)
    """Ids of sentences whose words are not the same."""
    alone: list[str] = field(default_factory=list)
    """Ids of sentences that only one file has."""

    @property
    def uas(self) -> float:
        return 100 * self.heads / self.words if self.words else 0.0

    @property
    def las(self) -> float:
        return 100 * self.labelled / self.words if self.words else 0.0

    def as_json(self) -> dict[str, Any]:
        return {
            "sentences": self.sentences,
            "words": self.words,
            "uas": self.uas,
            "las": self.las,
            "columns": {
                name: {"agreement": column.share, "kappa": column.kappa}
                for name, column in self.columns.items()
                if column.total
            },
            "differences": [difference._asdict() for difference in self.differences],
            "not_confirmed": self.unconfirmed,
            "other_words": self.divided,
            "in_one_file": self.alone,
        }


def paired(one: Iterable[Rows], other: Iterable[Rows], alone: list[str] | None = None) -> Iterator[tuple[Rows, Rows]]:
    """Yield sentences of two files of the same text, by `sent_id`, or by order where there are none; ids of one file alone go to `alone`."""
    first, second = list(one), list(other)
    if not all(sentence.sent_id for sentence in (*first, *second)):
        if len(first) != len(second):
            problem = f"{len(first)} sentences and {len(second)}, and no sent_id to pair them by"
            raise AlignmentError(problem, second[0].where if second else Where(), "give files of the same text")
        yield from zip(first, second, strict=True)
        return
    by_id = {sentence.sent_id: sentence for sentence in second}
    ids = {sentence.sent_id for sentence in first}
    if ids.isdisjoint(by_id) and ids:
        raise AlignmentError("the two files have no sent_id in common", first[0].where, "give files of the same text")
    if alone is not None:
        alone += [name for name in (*(s.sent_id for s in first), *by_id) if (name in ids) != (name in by_id)]
    yield from ((sentence, by_id[sentence.sent_id]) for sentence in first if sentence.sent_id in by_id)


def compare(one: Iterable[Rows], other: Iterable[Rows], *, subtypes: bool = False) -> Agreement:
    """Return how far two annotations agree; relations are compared without subtypes for LAS unless `subtypes`, and whole in their column."""
    result = Agreement()
    pairs = list(paired(one, other, result.alone))
    confirmed = [(gold(a), gold(b)) for a, b in pairs]
    only_confirmed = any(a or b for a, b in confirmed)
    for (a, b), (gold_a, gold_b) in zip(pairs, confirmed, strict=True):
        if only_confirmed and not (gold_a and gold_b):
            result.unconfirmed += 1
        elif a.forms != b.forms:
            result.divided.append(a.sent_id)
            result.differences.append(Difference(a.sent_id, 0, "", "words", " ".join(a.forms), " ".join(b.forms)))
        else:
            _compare(a, b, result, subtypes)
    return result


def gold(sentence: Rows) -> bool:
    return any(map(is_gold, sentence.comments))


def _compare(a: Rows, b: Rows, result: Agreement, subtypes: bool) -> None:
    result.sentences += 1
    columns = {k: (a.column(k), b.column(k)) for k in COLUMNS}
    for word, form in enumerate(a.forms, 1):
        values = {k: (ours[word - 1], theirs[word - 1]) for k, (ours, theirs) in columns.items()}
        for k, (one, other) in values.items():
            result.columns[COLUMNS[k]].add(*(_place(x, word) if k == 6 else x for x in (one, other)))
            if one != other:
                result.differences.append(Difference(a.sent_id, word, form, COLUMNS[k], one, other))
        rels = [x if subtypes else x.partition(":")[0] for x in values[7]]
        same = values[6][0] == values[6][1]
        result.words += 1
        result.heads += same
        result.labelled += same and rels[0] == rels[1]


def _place(head: str, word: int) -> str:
    """Where a head stands, seen from the word.

    >>> _place("5", 3), _place("0", 3), _place("_", 3)
    ('+2', 'root', '_')
    """
    return "root" if head == "0" else f"{int(head) - word:+d}" if head.isdecimal() else head


class Merged(NamedTuple):
    """A sentence made of two, and what they disagree on."""

    sentence: Rows
    disagreements: list[Difference]


def merge_files(one: Iterable[Rows], other: Iterable[Rows], base: Iterable[Rows] = ()) -> Iterator[Merged]:
    """Yield the sentences of two reviews of one text, merged; in the order of the first, then those that only the second has."""
    first, second = list(one), list(other)
    origin = {sentence.sent_id: sentence for sentence in base}
    partner = {id(a): b for a, b in paired(first, second)}
    for a in first:
        yield merge(a, partner[id(a)], origin.get(a.sent_id)) if id(a) in partner else Merged(a, [])
    taken = {id(b) for b in partner.values()}
    yield from (Merged(b, []) for b in second if id(b) not in taken)


def merge(a: Rows, b: Rows, base: Rows | None = None) -> Merged:
    """Return one sentence made of two reviews of it.

    `base` is what both started from. Without it a head counts as changed where it was chosen by hand (`Proj=corrected`), and any other
    value where only one of the two sentences is confirmed.
    """
    if a.forms != b.forms or a.columns[0] != b.columns[0]:
        return _whole(a, b, base)
    if base is not None and base.forms != a.forms:
        base = None
    columns: dict[int, list[str]] = {k: list(a.column(k)) for k in (*COLUMNS, 9)}
    disagreements: list[Difference] = []
    for k in range(len(a.forms)):
        for unit in ((2,), (3,), (4,), (5,), (6, 7)):
            ours, theirs = (tuple(s.column(c)[k] for c in unit) for s in (a, b))
            if ours == theirs:
                continue
            first = tuple(base.column(c)[k] for c in unit) if base is not None else None
            side = _choose(ours, theirs, first, _hands(a, k, unit), _hands(b, k, unit), gold(a), gold(b))
            if side == "b":
                for c, value in zip(unit, theirs, strict=True):
                    columns[c][k] = value
                if unit == (6, 7):
                    columns[9][k] = _with_machine(columns[9][k], b.column(9)[k])
            elif not side:
                name = " ".join(COLUMNS[c] for c in unit)
                disagreements.append(Difference(a.sent_id, k + 1, a.forms[k], name, " ".join(ours), " ".join(theirs)))
        columns[9][k] = _with_missing(columns[9][k], b.column(9)[k])
    sentence = a.with_columns({k: tuple(values) for k, values in columns.items()})
    if sentence.usable_tree()[1] and not a.usable_tree()[1]:  # heads of both make no tree
        sentence = sentence.with_columns(
            {k: a.column(k) for k in (6, 7)} | {9: tuple(map(_with_machine, columns[9], a.column(9)))}
        )
        heads = zip(
            a.forms, zip(a.column(6), a.column(7), strict=True), zip(b.column(6), b.column(7), strict=True), strict=True
        )
        listed = {(each.word, each.column) for each in disagreements}
        disagreements += [
            Difference(a.sent_id, k, form, "HEAD DEPREL", " ".join(ours), " ".join(theirs))
            for k, (form, ours, theirs) in enumerate(heads, 1)
            if ours != theirs and (k, "HEAD DEPREL") not in listed
        ]
    return Merged(replace(sentence, comments=_comments(a, b, disagreements)), disagreements)


def _choose(
    ours: Sequence[str],
    theirs: Sequence[str],
    first: Sequence[str] | None,
    hand_a: bool,
    hand_b: bool,
    gold_a: bool,
    gold_b: bool,
) -> str:
    """Whose value goes in: `a` or `b`; '' where both have changed it."""
    if first is not None:
        return "b" if ours == first else "a" if theirs == first else ""
    if hand_a != hand_b:
        return "a" if hand_a else "b"
    return "" if gold_a == gold_b else "a" if gold_a else "b"


def _hands(sentence: Rows, k: int, unit: Sequence[int]) -> bool:
    """Whether a person has chosen the head of a word, as far as the file says so."""
    return 6 in unit and misc_value(sentence.column(9)[k], "Proj") == CORRECTED


def _items(cell: str) -> list[tuple[str, str]]:
    return [(item.partition("=")[0], item) for item in cell.split("|") if item != "_"]


def _with_machine(cell: str, other: str) -> str:
    """MISC with what another cell says of the head."""
    kept = [item for key, item in _items(cell) if key not in MACHINE]
    return "|".join([*kept, *(item for key, item in _items(other) if key in MACHINE)]) or "_"


def _with_missing(cell: str, other: str) -> str:
    """MISC with the keys that only another cell has, but for those of the head."""
    keys = {key for key, _ in _items(cell)}
    more = [item for key, item in _items(other) if key not in keys and key not in MACHINE]
    return "|".join([*(item for _, item in _items(cell)), *more]) or "_"


def _whole(a: Rows, b: Rows, base: Rows | None) -> Merged:
    """One of two sentences that have not the same words."""
    if base is not None and base.forms in (a.forms, b.forms):
        return Merged(b if base.forms == a.forms else a, [])
    if gold(a) != gold(b) and base is None:
        return Merged(a if gold(a) else b, [])
    difference = Difference(a.sent_id, 0, "", "words", " ".join(a.forms), " ".join(b.forms))
    return Merged(replace(a, comments=_comments(a, b, [difference])), [difference])


def _comments(a: Rows, b: Rows, disagreements: Sequence[Difference]) -> tuple[str, ...]:
    """The comments of both; a sentence on which they disagree is not gold."""
    keys = {(parse_comment(line) or (line, ""))[0] for line in a.comments}
    lines = [*a.comments, *(line for line in b.comments if (parse_comment(line) or (line, ""))[0] not in keys)]
    if not disagreements:
        return tuple(lines)
    kept = [line for line in lines if not is_gold(line) and (parse_comment(line) or ("",))[0] not in ("state", DISAGREEMENT)]
    listed = [f"# {DISAGREEMENT} = {each.word} {each.column}: {each.one} | {each.other}" for each in disagreements]
    return (*kept, SECOND, *listed)


def by_sentence(differences: Iterable[Difference]) -> Mapping[str, list[Difference]]:
    """Return differences by sentence, in order."""
    rows: dict[str, list[Difference]] = {}
    for difference in differences:
        rows.setdefault(difference.sent_id, []).append(difference)
    return rows
