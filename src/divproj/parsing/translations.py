"""Trees of translations: by a language of ours, a command, or a CoreNLP server."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from divproj.data.errors import Faults, ProjError
from divproj.data.tree import DepTree
from divproj.io import conllu
from divproj.io.files import name_of
from divproj.runtime.safe_path import unprotected

if TYPE_CHECKING:
    from divproj.parsing.language import Language


def parse_translations(parser: str, texts: list[str]) -> list[DepTree | None]:
    """Trees of the texts (None for an empty one) by a language in the box, a model's folder, a command or `corenlp:URL`."""
    if parser.startswith("corenlp:"):
        return _placed(parser, texts, lambda lines: _corenlp(parser.partition(":")[2], lines))
    language = language_named(parser)
    return by_language(language, texts) if language else by_command(parser, texts)


def by_language(language: Language, texts: list[str]) -> list[DepTree | None]:
    return _placed("", texts, lambda lines: language.parse([language.words(line) for line in lines], confidence=True))


def by_command(command: str, texts: list[str]) -> list[DepTree | None]:
    """A command that reads a sentence a line and writes CoNLL-U; `corenlp:URL` asks a server instead."""
    if command.startswith("corenlp:"):
        return parse_translations(command, texts)
    return _placed(command, texts, lambda lines: _run(command, lines))


def _placed(parser: str, texts: list[str], parse: Callable[[list[str]], list[DepTree]]) -> list[DepTree | None]:
    wanted = [k for k, text in enumerate(texts) if text.strip()]
    trees = parse([" ".join(texts[k].split()) for k in wanted])
    if len(trees) != len(wanted):
        raise ProjError(
            f"the parser `{parser}` gave {len(trees)} sentences for {len(wanted)} lines",
            remedy="it must keep one sentence a line (for UDPipe: --tokenizer=presegmented)",
        )
    made: list[DepTree | None] = [None] * len(texts)
    for k, tree in zip(wanted, trees, strict=True):
        made[k] = tree
    return made


def language_named(parser: str) -> Language | None:
    """Return an installed language by its code, or the model in a folder; None when it must be a command."""
    from divproj.parsing.language import Language, available, shipped

    if parser in available():
        return shipped(parser)
    if Path(parser).is_dir():
        return Language.load(parser)
    if re.fullmatch("[a-z]{2,3}", parser) and shutil.which(parser) is None:
        return shipped(parser)  # which lists the languages there are
    return None


def _run(command: str, lines: list[str]) -> list[DepTree]:
    if not lines:
        return []
    try:
        words = shlex.split(command)
        done = subprocess.run(  # noqa: S603 - the command is the user's own
            words,
            input="\n".join(lines) + "\n",
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=unprotected(os.environ),
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
    try:
        return [DepTree.from_nltk(next(client.raw_parse(line, properties={"ssplit.isOneSentence": "true"}))) for line in lines]
    except OSError as error:
        raise ProjError(
            f"no CoreNLP server answers at {name_of(url)}: {error}", remedy="start it, or check the address"
        ) from None
