"""Errors and limits that the whole library shares.

`ProjError` and its kinds have a message, a place in the user's files and, where there is one, a remedy; they print as one
line:

    hi.conllu:412 (sent_id s17): HEAD is 9 but the sentence has 3 words

`Faults` decides what happens with faulty data: the first error is raised (`strict`), or errors are noted and the rest is
read.

Limits on the length of sentences stand here too, as the time and memory of several algorithms grow with its square or cube.
The longest sentences of large UD treebanks have some 400 words. `plural` and `shell_word` word counts and paths as messages print them.
"""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

LONGEST_MESSAGE = 2000
"""Characters of a message; what a damaged line holds may be much more."""


@dataclass(frozen=True)
class Where:
    """A place in the user's files.

    >>> str(Where("hi.conllu", 412, "s17"))
    'hi.conllu:412 (sent_id s17)'
    """

    path: str = ""
    line: int = 0
    sent_id: str = ""

    def __str__(self) -> str:
        place = self.path or "<text>"
        if self.line:
            place += f":{self.line}"
        return f"{place} (sent_id {self.sent_id})" if self.sent_id else place


class ProjError(Exception):
    """Something the user can fix: bad data, a missing file, an unusable model.

    Remedies name arguments, in backticks; the command line shows them as its options.

    >>> str(ProjError("no such file", Where("text.txt"), "name another with `model=DIR`"))
    'text.txt: no such file; name another with `model=DIR`'
    """

    always_shown = False
    """Whether it is shown even after many others, since it concerns the text as a whole."""

    def __init__(self, message: str, where: Where | None = None, remedy: str = "") -> None:
        self.message, self.where, self.remedy = message, where, remedy
        super().__init__(message)

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        text = f"{text}; {self.remedy}" if self.remedy else text
        return text if len(text) <= LONGEST_MESSAGE else f"{text[: LONGEST_MESSAGE // 2]} … {text[-LONGEST_MESSAGE // 4 :]}"


class FormatError(ProjError):
    """A file does not follow its format.

    >>> str(FormatError("HEAD is 9 but the sentence has 3 words", Where("hi.conllu", 412, "s17")))
    'hi.conllu:412 (sent_id s17): HEAD is 9 but the sentence has 3 words'
    """


class AlignmentError(ProjError):
    """Links that do not fit their sentences, or sentences that do not pair.

    >>> from divproj import Links
    >>> try:
    ...     Links.of([(1, 3)], (2, 2))
    ... except AlignmentError as error:
    ...     print(error)
    link 1-3 (counted from 1) is out of range: the sentences have 2 and 2 words
    """


class ModelError(ProjError):
    """A saved model or rule file that cannot be used, or a system that lacks what it needs.

    >>> import divproj as dp
    >>> try:
    ...     dp.projector("s9")
    ... except ModelError as error:
    ...     print(error.message)
    no system 's9'
    """


def why(error: Exception) -> str:
    """What a reader of JSON, TOML or arrays says of damaged data; of data nested too deeply Python says it in another way each version.

    >>> why(RecursionError("Stack overflow (used 8152 kB)"))
    'nested too deeply'
    """
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)[:200] or type(error).__name__


@dataclass
class Reading:
    """What a file was read as, and what was left out of it; a reader fills it while it reads.

    >>> reading = Reading("elan", 2, {"words": ["tx"], "translation": ["ft"]}, ["note"])
    >>> reading.omit("annotations without words")
    >>> reading.in_words()
    'ELAN, 2 speakers, words from *tx*, translation *ft*; left out: note, 1 annotation without words'
    """

    format: str = ""
    speakers: int = 0
    parts: dict[str, list[str]] = field(default_factory=dict)
    """Names of tiers, markers or columns by what they were taken for, in the order in which they were looked for."""
    unused: list[str] = field(default_factory=list)
    """Names of those that were not read."""
    kept: list[str] = field(default_factory=list)
    """Names of those whose values are kept as remarks."""
    left_out: Counter[str] = field(default_factory=Counter)
    """How many sentences were begun and not read, by reason: a plural such as `records without text`."""
    unread: Counter[str] = field(default_factory=Counter)
    """How much that is no sentence was left out: `annotations of no sentence`."""
    first_lines: dict[str, int] = field(default_factory=dict)
    """The line of the first of what is left out, by reason, where it is known."""
    sentences: int = 0
    glossed: int = 0
    translated: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    """Languages of the translations, and in how many sentences."""
    refusal: str = ""
    """Why the text is refused where misaligned text is not asked for."""

    def omit(self, reason: str, count: int = 1, *, sentences: bool = True, line: int = 0) -> None:
        """Count what is left out."""
        if count:
            (self.left_out if sentences else self.unread)[reason] += count
            if line:
                self.first_lines.setdefault(reason, line)

    def assign(self, role: str, *names: str) -> None:
        """Say that tiers, markers or columns were read as a role (`morphs`), under the name that users know."""
        shown = self.parts.setdefault(_ROLE_NAMES.get(role, role), [])
        shown += [name for name in dict.fromkeys(names) if name not in shown]

    @property
    def understood(self) -> float:
        """Share of the sentences of the file that were read."""
        total = self.sentences + self.left_out.total()
        return self.sentences / total if total else 1.0

    def warning(self) -> str:
        """Return which sentences were left out, and that too little was understood if so; '' if all were read.

        >>> reading = Reading("toolbox", sentences=3)
        >>> reading.omit("records without text", line=7)
        >>> reading.warning()
        'only 3 of 4 sentences were understood; left out: 1 record without text (line 7)'
        """
        if not self.left_out:
            return ""
        said = []
        for reason, n in self.left_out.most_common():
            line = self.first_lines.get(reason, 0)
            place = f" ({'the first in line' if n > 1 else 'line'} {line})" if line else ""
            said.append(f"{n:,} {reason if n != 1 else _singular(reason)}{place}")
        total = self.sentences + self.left_out.total()
        few = f"only {self.sentences:,} of {total:,} sentences were understood; " if self.understood < UNDERSTOOD else ""
        return f"{few}left out: {', '.join(said)}"

    def in_words(self) -> str:
        """Return one line that says what was taken for what, and what was left out."""
        said = [FORMAT_NAMES.get(self.format, self.format)]
        said += [f"{self.speakers} speakers"] if self.speakers > 1 else []
        for role, names in sorted(
            self.parts.items(), key=lambda item: _ORDER.index(item[0]) if item[0] in _ORDER else len(_ORDER)
        ):
            languages = ", ".join(name for name, _ in self.languages.most_common()) if role == "translation" else ""
            shown = ", ".join(f"*{name}*" for name in names) + (f" ({languages})" if languages else "")
            said.append(f"{role}{'' if role == 'translation' else ' from'} {shown}")
        if self.languages and "translation" not in self.parts:
            said.append(f"translation in {', '.join(name for name, _ in self.languages.most_common())}")
        if self.kept:
            said.append(f"kept as remarks {', '.join(f'*{name}*' for name in self.kept)}")
        if self.sentences:
            count = f"{self.sentences:,} sentence{'s' * (self.sentences != 1)}"
            said.append(f"{count} ({self.glossed:,} with glosses, {self.translated:,} with a translation)")
        counts = (self.left_out + self.unread).most_common()
        omitted = [*self.unused, *(f"{n:,} {reason if n != 1 else _singular(reason)}" for reason, n in counts)]
        return ", ".join(filter(None, said)) + (f"; left out: {', '.join(omitted)}" if omitted else "; nothing left out")


_ORDER = ("text", "words", "morphemes", "glosses", "tags", "translation", "literal translation")
_ROLE_NAMES = {"morphs": "morphemes", "pos": "tags", "lit": "literal translation"}
UNDERSTOOD = 0.9
"""Share of the sentences of a file of which fewer being read is said at the end."""
FORMAT_NAMES = {
    "plain": "plain text", "conllu": "CoNLL-U", "xigt": "Xigt", "odin": "ODIN text", "toolbox": "Toolbox", "flextext": "FLEx", "elan": "ELAN",
    "cldf": "CLDF", "sigmorphon": "SIGMORPHON", "latex": "LaTeX", "table": "a table", "document": "a document", "textgrid": "a TextGrid of Praat",
    "exmaralda": "EXMARaLDA", "chat": "CHAT", "pangloss": "Pangloss", "eopas": "EOPAS", "toolbox-xml": "Toolbox XML", "json": "JSON",
    "pandoc": "pandoc-ling", "typst": "Typst",
}  # fmt: skip
"""How people call the formats."""


def _singular(reason: str) -> str:
    """
    >>> _singular("records without text")
    'record without text'
    >>> _singular("entries without sentences")
    'entry without sentences'
    """
    first, blank, rest = reason.partition(" ")
    return (f"{first[:-3]}y" if first.endswith("ies") else first.removesuffix("s")) + blank + rest


@dataclass
class Faults:
    """What to do with faulty data: stop at the first error (`strict`), or note it and continue.

    `tell` is called with each fault noted, so that a command can warn as it reads.

    >>> faults = Faults(strict=False)
    >>> faults.sentence(FormatError("no words", Where("text.txt", 7)))
    >>> faults.sentences, str(faults.noted[0])
    (1, 'text.txt:7: no words')
    """

    strict: bool = True
    tell: Callable[[ProjError], None] | None = None
    noted: list[ProjError] = field(default_factory=list)
    words: int = 0
    sentences: int = 0
    foreign: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Translations in another language than their parser, by language and parser ('' for none): reported once at the end."""
    miscoded: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Translations in another language than the file says, by the language stated and their own: reported once at the end."""
    most: int = 1000
    """Errors kept in `noted`, with those of files twice as many: memory stays flat on a corpus that is bad throughout."""
    reading: Reading = field(default_factory=Reading)
    """What the last file was read as."""

    def take(self, other: Faults) -> None:
        """Add the faults that another object noted for a part of the corpus."""
        self.words += other.words
        self.sentences += other.sentences
        self.foreign += other.foreign
        self.miscoded += other.miscoded
        for error in other.noted:
            self._note(error)

    def split_off(self) -> Faults:
        """The faults noted so far, moved to an object of their own."""
        apart = replace(self, tell=None)
        self.noted, self.words, self.sentences, self.foreign, self.miscoded = [], 0, 0, Counter(), Counter()
        return apart

    def word(self, error: ProjError) -> None:
        """One word cannot be used; the rest of its sentence can."""
        self.words += 1
        self._note(error)

    def sentence(self, error: ProjError) -> None:
        """A whole sentence (pair) cannot be used."""
        self.sentences += 1
        self._note(error)

    def kept(self, error: ProjError) -> None:
        """A sentence lacks something, and is used as it is."""
        self._note(error)

    def file(self, error: ProjError) -> None:
        """The file as a whole has a fault that leaves its sentences usable."""
        self._note(error, always=True)

    def _note(self, error: ProjError, *, always: bool = False) -> None:
        if self.strict:
            raise error
        if len(self.noted) < self.most * (1 + always):
            self.noted.append(error)
        if self.tell:
            self.tell(error)


PARSED_WHOLE, PART = 400, 150
"""Words up to which a sentence is parsed as one; a longer one is parsed in parts of at most so many."""
LONGEST_SENTENCE = 1000
"""Words of a sentence from which parsers learn, whose phrases are aligned or whose brackets are scored; longer ones are left out."""
CUT = "cut it into sentences"


def too_long(words: int, where: Where) -> FormatError:
    """The fault of a sentence that is left out."""
    return FormatError(f"{words} words, at most {LONGEST_SENTENCE} expected", where, CUT)


def in_parts(words: int, where: Where) -> FormatError:
    """The fault of a sentence that is parsed in parts."""
    message = f"{words} words: parsed in parts of at most {PART}, whose roots depend on the first"
    return FormatError(message, where, CUT)


def plural(count: int, noun: str) -> str:
    """
    >>> plural(1, "sentence"), plural(1276, "sentence")
    ('1 sentence', '1,276 sentences')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"


def shell_word(path: object) -> str:
    """Return a path as one would type it in a shell: quoted where need be, and never taken for an option.

    >>> print(shell_word("trees.conllu"), shell_word("my text.conllu"), shell_word("-x.conllu"), shell_word("a\\nb"))
    trees.conllu 'my text.conllu' ./-x.conllu $'a\\nb'
    """
    text = str(path)
    text = f"./{text}" if text.startswith("-") else text
    if text.isprintable():
        return shlex.quote(text)
    return "$'" + "".join(c if c.isprintable() and c not in "'\\" else _escape(c) for c in text) + "'"


def _escape(character: str) -> str:
    named = {"\n": "\\n", "\t": "\\t", "'": "\\'", "\\": "\\\\"}
    return named.get(character) or "".join(f"\\x{byte:02x}" for byte in os.fsencode(character))
