"""Trees of translations: by a language pack, a model, a command, or a CoreNLP server.

A translation is parsed by a parser of its own language, or not at all. `choose` finds for every sentence of a text the
translation to parse and the parser for it:

    translations of a sentence        installed      chosen
    en "He sleeps." fr "Il dort."     en             en, by the pack `en`
    en "He sleeps." fr "Il dort."     en, fr         the language that the glosses are in; en if they are in neither
    fr "Il dort."                     en             none: the sentence is projected from its glosses alone
    fr "Il dort."                     `e_parser=en`  fr, by `en`: the user asked for it, and is warned
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from divproj.core.errors import Faults, FormatError, ProjError, Where, plural, why
from divproj.core.sentence import Sentence
from divproj.core.tree import DepTree
from divproj.io.files import name_of
from divproj.io.interlinear.languages import (
    NAMES,
    UNKNOWN_LANGUAGE,
    gloss_language,
    language_name,
    languages_of,
    translations_of,
)
from divproj.io.trees import conllu
from divproj.parsing.language import PACKAGES, Language, load_pack, pack
from divproj.runtime.safe_path import original_environment


class TranslationChoice(NamedTuple):
    """The translation of a sentence that is parsed."""

    text: str
    language: str
    """Code of its language; '' for an empty one."""
    parser: str
    """What parses it (`find_language`); '' where no parser of its language is installed."""
    stated: str = ""
    """The language that the file says it is in, where it is in another one; else ''."""

    @property
    def foreign(self) -> bool:
        """Whether it has no parser, or one of another language."""
        return bool(self.language) and (not self.parser or parser_language(self.parser) not in ("", self.language))


def choose(
    sentences: Sequence[Sentence], parser: str | None = None, default: str = "", only: str = ""
) -> list[TranslationChoice]:
    """Return the translation of every sentence that is to be parsed, and its parser.

    `parser` is the one that the user asked for, `default` the language of the text that the sentences are a part of. With `only`,
    translations in other languages than this one are not there.

    >>> [choice] = choose([Sentence(("mwen", "dòmi"), translations=(("it", "Dormo."), ("en", "I sleep.")))])
    >>> choice.text, choice.parser
    ('I sleep.', 'en')
    """
    rows = [translations_of(igt) for igt in sentences]
    codes = iter(languages_of([pair for row in rows for pair in row], default))
    candidates = [[(code := next(codes), text, _contradicts(stated, code)) for stated, text in row] for row in rows]
    if only:
        candidates = [[candidate for candidate in row if candidate[0] == only] for row in candidates]
    if parser is not None:
        wanted = parser_language(parser)
        return [_asked_for(row, igt.translation, parser, wanted) for row, igt in zip(candidates, sentences, strict=True)]
    of_glosses = (
        gloss_language(sentences) if any(len({code for code, *_ in row if pack(code)}) > 1 for row in candidates) else ""
    )
    return [_parseable(row, igt.translation, of_glosses) for row, igt in zip(candidates, sentences, strict=True)]


Candidates = list[tuple[str, str, str]]
"""Translations of a sentence: the language of each, its text, and the language that the file states where that is another one."""


def _contradicts(stated: str, code: str) -> str:
    return stated if stated not in (UNKNOWN_LANGUAGE, code) and code else ""


def _asked_for(row: Candidates, preferred: str, parser: str, wanted: str) -> TranslationChoice:
    """The translation in the language of the parser, else the preferred one."""
    if not row:
        return TranslationChoice("", "", parser)
    code, text, stated = min(row, key=lambda candidate: (candidate[0] != wanted, candidate[1] != preferred))
    return TranslationChoice(text, code if text.strip() else "", parser, stated)


def _parseable(row: Candidates, preferred: str, of_glosses: str) -> TranslationChoice:
    """The translation that a pack parses: in the language of the glosses before the preferred one."""
    if not row:
        return TranslationChoice("", "", "")
    code, text, stated = min(row, key=lambda each: (pack(each[0]) is None, each[0] != of_glosses, each[1] != preferred))
    return TranslationChoice(text, code if text.strip() else "", code if pack(code) else "", stated)


def parser_language(parser: str) -> str:
    """Return the code of the language that a parser is for, as far as its name tells; '' for a model's folder or a command.

    >>> parser_language("en-fast"), parser_language("udpipe --parse")
    ('en', '')
    """
    return parser.partition("-")[0] if pack(parser) else ""


class ForeignTranslationsError(ProjError):
    """Translations are in another language than their parser, or in one that no parser is for."""

    always_shown = True
    language = ""
    """Its name."""
    parser = ""
    """The parser that was used all the same, as requested; '' where none was used."""
    count = 0


def foreign_translations(language: str, parser: str, count: int, where: Where | None) -> ForeignTranslationsError:
    """Return what is to be said of translations in this language: they were parsed by a parser of another one, or by none."""
    name = language_name(language)
    said = f"{plural(count, 'translation')} {'is' if count == 1 else 'are'} in {name}" + f" ({language})" * (language in NAMES)
    train = "train a parser (`proj train TREEBANK.conllu -o MODEL`) and give it with `e_parser=MODEL`"
    if parser:
        message, remedy = f"{said}, but parsed by '{parser}', as requested", f"leave `e_parser` out, or {train}"
    else:
        message = f"{said}, for which there is no parser: their trees come from the glosses alone (or are guesses where there are none)"
        install = f"install one (`pip install divproj-{language}`), or " if language in PACKAGES else ""
        remedy = (
            f"{install}{train}"
            if language != UNKNOWN_LANGUAGE
            else f"say the language in the file (`# text_fr = …`), or {train}"
        )
    error = ForeignTranslationsError(message, where, remedy)
    error.language, error.parser, error.count = name, parser, count
    return error


def note_foreign(faults: Faults, language: str, parser: str, where: Where) -> None:
    """Count a translation that was parsed by a parser of another language, or not at all; raise where faults are errors."""
    if faults.strict:
        raise foreign_translations(language, parser, 1, where)
    faults.foreign[language, parser] += 1


def miscoded_translations(stated: str, language: str, count: int, where: Where | None) -> FormatError:
    """Return what is to be said of translations that are not in the language which the file says."""
    verb = "is" if count == 1 else "are"
    message = f"{plural(count, 'translation')} {verb} said to be in {language_name(stated)} ({stated}), but {verb} in {language_name(language)}"
    code = f" ({language})" * (language in NAMES)
    return FormatError(f"{message}{code}", where, f"used as {language_name(language)}; correct the key or code in the file")


def note_choice(faults: Faults, choice: TranslationChoice, where: Where) -> None:
    """Count a translation whose language the file states wrongly, or that is not parsed by a parser of its language."""
    if choice.stated:
        if faults.strict:
            raise miscoded_translations(choice.stated, choice.language, 1, where)
        faults.miscoded[choice.stated, choice.language] += 1
    if choice.foreign:
        note_foreign(faults, choice.language, choice.parser, where)


def report_foreign(faults: Faults, where: Where | None = None) -> None:
    """Say once for each language what `note_choice` has counted."""
    for (stated, language), count in sorted(faults.miscoded.items()):
        faults.file(miscoded_translations(stated, language, count, where))
    faults.miscoded.clear()
    for (language, parser), count in sorted(faults.foreign.items()):
        faults.file(foreign_translations(language, parser, count, where))
    faults.foreign.clear()


def parse_translations(parser: str, texts: list[str]) -> list[DepTree | None]:
    """Trees of the texts (None for an empty one) by a language pack, a model's folder, a command or `corenlp:URL`."""
    if parser.startswith("corenlp:"):
        return _parse_nonempty(parser, texts, lambda lines: _corenlp(parser.partition(":")[2], lines))
    language = find_language(parser)
    return by_language(language, texts) if language else by_command(parser, texts)


def by_language(language: Language, texts: list[str]) -> list[DepTree | None]:
    return _parse_nonempty("", texts, lambda lines: language.parse([language.words(line) for line in lines], confidence=True))


def by_command(command: str, texts: list[str]) -> list[DepTree | None]:
    """A command that reads a sentence a line and writes CoNLL-U; `corenlp:URL` asks a server instead."""
    if command.startswith("corenlp:"):
        return parse_translations(command, texts)
    return _parse_nonempty(command, texts, lambda lines: _run(command, lines))


def _parse_nonempty(parser: str, texts: list[str], parse: Callable[[list[str]], list[DepTree]]) -> list[DepTree | None]:
    wanted = [k for k, text in enumerate(texts) if text.strip()]
    trees = parse([" ".join(texts[k].split()) for k in wanted])
    if len(trees) != len(wanted):
        raise ProjError(
            f"the parser `{parser}` gave {len(trees)} sentences for {len(wanted)} lines",
            remedy="it must keep one sentence a line (for UDPipe: --tokenizer=presegmented)",
        )
    tree_of_text: list[DepTree | None] = [None] * len(texts)
    for k, tree in zip(wanted, trees, strict=True):
        tree_of_text[k] = tree
    return tree_of_text


def find_language(parser: str) -> Language | None:
    """Return an installed language by its code, or the model in a folder; None when it must be a command."""
    if pack(parser):
        return load_pack(parser)
    if Path(parser).is_dir():
        return Language.load(parser)
    if re.fullmatch("[a-z]{2,3}", parser) and shutil.which(parser) is None:
        return load_pack(parser)  # which lists the languages there are
    return None


def _run(command: str, lines: list[str]) -> list[DepTree]:
    if not lines:
        return []
    try:
        if not (words := shlex.split(command)):
            raise ProjError(
                "the parser is an empty command", remedy="name a language pack, the folder of a model, or a command"
            )
        done = subprocess.run(  # noqa: S603 - the command is the user's own
            words,
            input="\n".join(lines) + "\n",
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=original_environment(os.environ),
        )
    except ValueError as error:
        raise ProjError(f"the command `{command}` cannot be read: {error}") from None
    except OSError as error:
        raise ProjError(f"the parser `{command}` could not be started: {error.strerror}") from None
    if done.returncode:
        raise ProjError(f"the parser `{command}` ended with code {done.returncode}: {done.stderr.strip()[-300:]}")
    return [sentence.usable_tree()[0] for sentence in conllu.loads(done.stdout, Faults(strict=False))]


def _corenlp(url: str, lines: list[str]) -> list[DepTree]:
    from nltk.parse.corenlp import CoreNLPDependencyParser

    client = CoreNLPDependencyParser(url=url)
    trees = []
    for line in lines:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # nltk's, of answers without a root
                trees.append(DepTree.from_nltk(next(client.raw_parse(line, properties={"ssplit.isOneSentence": "true"}))))
            if not len(trees[-1]):
                raise ValueError("a tree without words")
        except (
            StopIteration,
            LookupError,
            TypeError,
            ValueError,
            AttributeError,
            RecursionError,
            AssertionError,
        ) as error:
            problem = f"{name_of(url)} answers with no parse of “{line[:60]}” ({why(error)})"
            raise ProjError(
                problem, remedy="is this a CoreNLP server with the annotators tokenize, ssplit, pos and depparse?"
            ) from None
        except OSError as error:
            raise ProjError(
                f"no CoreNLP server answers at {name_of(url)}: {str(error)[:200]}", remedy="start it, or check the address"
            ) from None
    return trees
