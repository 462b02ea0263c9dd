"""Errors and limits that the whole library shares.

`ProjError` and its kinds have a message, a place in the user's files and, where there is one, a remedy; they print as one
line:

    hi.conllu:412 (sent_id s17): HEAD is 9 but the sentence has 3 words

`Faults` decides what happens with faulty data: the first error is raised (`strict`), or errors are noted and the rest is
read.

Limits on the length of sentences stand here too, as the time and memory of several algorithms grow with its square or cube.
The longest sentences of large UD treebanks have some 400 words.
"""

from __future__ import annotations

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
class Faults:
    """What to do with faulty data: stop at the first fault (`strict`), or note it and continue.

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
    most: int = 1000
    """Errors kept in `noted`: memory stays flat on a corpus that is bad throughout."""

    def take(self, other: Faults) -> None:
        """Add the faults that another object noted for a part of the corpus."""
        self.words += other.words
        self.sentences += other.sentences
        self.foreign += other.foreign
        for error in other.noted:
            self._note(error)

    def split_off(self) -> Faults:
        """The faults noted so far, moved to an object of their own."""
        apart = replace(self, tell=None)
        self.noted, self.words, self.sentences, self.foreign = [], 0, 0, Counter()
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
        if always or len(self.noted) < self.most:
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
