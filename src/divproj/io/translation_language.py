"""Which language translations are in, told by their words: the right code for `text_xx`, and a warning before a wrong parser."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from divproj.data.errors import ProjError, Where
from divproj.data.igt import Igt
from divproj.io.settings import BELIEVED_TRANSLATIONS
from divproj.text.language_id import of_lines

NAMES = {
    "en": "English", "de": "German", "es": "Spanish", "fr": "French", "pt": "Portuguese", "it": "Italian", "nl": "Dutch",
    "ru": "Russian", "id": "Indonesian", "zh": "Chinese", "ja": "Japanese", "ko": "Korean", "ar": "Arabic", "hi": "Hindi",
    "tpi": "Tok Pisin", "ca": "Catalan", "da": "Danish", "sv": "Swedish", "pl": "Polish", "fi": "Finnish", "tr": "Turkish",
    "sw": "Swahili", "ro": "Romanian", "hu": "Hungarian", "uk": "Ukrainian", "bg": "Bulgarian", "el": "Greek", "he": "Hebrew",
    "th": "Thai", "ka": "Georgian", "hy": "Armenian", "fa": "Persian",
}  # fmt: skip


class ForeignTranslationsError(ProjError):
    """Translations are about to be parsed by a parser of another language."""

    language = ""
    """The name of theirs."""


def foreign(noted: Iterable[ProjError]) -> str:
    """The language of translations that were not in the parser's, by what was warned of; '' for none."""
    return next((error.language for error in noted if isinstance(error, ForeignTranslationsError)), "")


def language_of(found: Sequence[Igt | None]) -> str:
    """The code of the language that translations without one are in; '' when undecided."""
    texts = [igt.translation for igt in found if igt is not None and igt.translation]
    return of_lines(texts).code if len(texts) >= BELIEVED_TRANSLATIONS else ""


def with_code(igt: Igt, code: str) -> Igt:
    """The instance with its translation under this code, where it had none.

    >>> with_code(Igt(("casa",), translation="a casa é grande"), "pt").translations
    (('pt', 'a casa é grande'),)
    """
    if code in ("", "en") or igt.translations or not igt.translation:
        return igt
    return replace(igt, translations=((code, igt.translation),))


def mismatch(code: str, parser: str, where: Where) -> ForeignTranslationsError | None:
    """What is to be said when a shipped parser is about to parse another language; None when it is its own or undecided."""
    if code in ("", parser) or parser not in NAMES:
        return None
    said = NAMES.get(code, code)
    made = ForeignTranslationsError(
        f"the translations look like {said} ({code}), but they are parsed as {NAMES[parser]}",
        where,
        f"choose: a parser for {said} with `e_parser`, trees with `e`, or another translation line with `lang={parser}`",
    )
    made.language = said
    return made
