"""CoNLL-U there and back, in any number of pieces, and as udapi reads it."""

from __future__ import annotations

import io
import logging
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from shared import need
from strategies import sentences, tame_comments
from udapi.core.document import Document

from divproj import Faults, ProjError
from divproj.io.trees import conllu
from divproj.runtime import resources

several = st.lists(sentences(), max_size=4)


def text_of(found) -> str:
    out = io.StringIO()
    conllu.dump(found, out)
    return out.getvalue()


@given(several)
def test_loads_of_dumps(found):
    text = text_of(found)
    assert conllu.loads(text) == found
    assert text_of(conllu.loads(text)) == text


@given(sentences())
def test_one_sentence(sentence):
    assert conllu.loads(conllu.dumps(sentence)) == [sentence]


@given(several, st.sampled_from(["", "\n", "\n\n", "\n\n\n"]))
def test_byte_for_byte_whatever_the_end(found, end):
    text = text_of(found).rstrip("\n") + end
    if found:
        assert text_of(conllu.loads(text)) == text


@given(several, st.integers(3, 60), st.booleans())
def test_chunks_do_not_matter(found, size, windows):
    data = text_of(found).encode()
    if windows:
        data = data.replace(b"\n", b"\r\n")
    with patch.object(conllu, "CHUNK", size):
        again = list(conllu.read(io.BytesIO(data), "", None))
    assert again == found
    assert [s.where for s in again] == [s.where for s in conllu.loads(text_of(found))]


@given(st.binary(max_size=200))
@example(b"1\tx\t_\t_\n_\t_\t0\troot\t_\n\n")
def test_any_bytes_give_sentences_or_an_error_of_ours(data):
    faults = Faults(strict=False)
    found = [s for s in conllu.read(io.BytesIO(data), "a", faults) if s]
    assert conllu.loads(text_of(found)) == found
    for fault in faults.noted:
        assert str(fault).startswith("a:")


pieces = st.sampled_from(["1", "2", "1-2", "1.1", "_", "\t", "\t", "\n", "\n\n", "#", " ", "0", "x", "\r\n", "\ufeff", "\0"])
good_row = st.just("1\tx\t_\t_\t_\t_\t0\troot\t_\t_\n")


@given(st.lists(st.one_of(pieces, good_row), max_size=30).map("".join))
def test_bits_of_conllu(text):
    """Near misses: what is read can be written and read again, with no line end inside a field."""
    faults = Faults(strict=False)
    found = conllu.loads(text, faults)
    assert conllu.loads(text_of(found)) == found
    assert not any("\n" in field for s in found for column in s.columns for field in column)
    if not faults.noted:
        assert len(conllu.loads(text)) == len(found)


@given(several, st.data())
def test_one_byte_changed(found, data):
    """Damage stays where it is: other sentences come through."""
    raw = bytearray(text_of(found).encode())
    if not raw:
        return
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] = data.draw(st.integers(0, 255))
    faults = Faults(strict=False)
    try:
        again = [s for s in conllu.read(io.BytesIO(bytes(raw)), "a", faults) if s]
    except ProjError:
        pytest.fail("a lenient reader does not stop")
    untouched = sum(s in again for s in found)
    assert untouched >= len(found) - 2, "two when it was a blank line between them"


def udapi_view(text: str) -> list[tuple]:
    """Forms, heads, relations, multiword tokens and empty nodes of each tree."""
    document = Document()
    text = text.rstrip("\n") + "\n\n"  # udapi wants the blank line at the end
    logging.disable(logging.WARNING)
    try:
        document.from_conllu_string(text)
    finally:
        logging.disable(logging.NOTSET)
    found = []
    for bundle in document.bundles:
        root = bundle.get_tree()
        nodes = root.descendants
        words = [(node.form, node.parent.ord, node.deprel if node.deprel is not None else "_") for node in nodes]
        tokens = [(f"{mwt.words[0].ord}-{mwt.words[-1].ord}", mwt.form) for mwt in root.multiword_tokens]
        empty = [(str(node.ord), node.form) for node in root.empty_nodes]
        found.append((words, tokens, empty))
    return found


def our_view(text: str) -> list[tuple]:
    found = []
    for s in conllu.loads(text):
        tree = s.tree
        words = list(zip(tree.forms, tree.heads, tree.deprels, strict=True))
        tokens = [(row[0], row[1]) for row in s.lines if "-" in row[0]]
        empty = [(row[0], row[1]) for row in s.lines if "." in row[0]]
        found.append((words, tokens, empty))
    return found


@given(st.lists(sentences(tame_comments, 3), min_size=1, max_size=2))
@settings(max_examples=settings().max_examples // 3)
def test_as_udapi_reads_it(found):
    text = text_of(found)
    assert our_view(text) == udapi_view(text)


@pytest.mark.parametrize("name", sorted(path.name for path in resources.folder("corpora").iterdir() if path.is_dir()))
@pytest.mark.parametrize("side", ["f", "e"])
def test_shipped_files_as_udapi_reads_them(name, side):
    text = (resources.folder("corpora") / name / f"{side}.conllu").read_text(encoding="utf-8")
    assert our_view(text) == udapi_view(text)
    assert text_of(conllu.loads(text)) == text


@pytest.mark.parametrize("name", ["ewt/en_ewt-ud-dev.conllu", "pud/fr/f.conllu", "cdt-da/f.conllu", "odin/gli/f.conllu"])
def test_development_files_as_udapi_reads_them(name):
    text = need(name).read_text(encoding="utf-8")
    assert our_view(text) == udapi_view(text)
    assert text_of(conllu.loads(text)) == text
