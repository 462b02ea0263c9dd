"""The two ways to read a corpus agree on whatever is in the files."""

from __future__ import annotations

import tempfile
from itertools import chain
from pathlib import Path
from unittest.mock import patch

from corpusfiles import block, lenient, write
from hypothesis import given
from hypothesis import strategies as st
from strategies import tree_heads

from divproj import ProjError
from divproj.core.pair import in_batches
from divproj.divergence.analysis import analyze_batches
from divproj.io import corpus as chunks
from divproj.io import corpus as corpus_module
from divproj.io import fast

plain = st.builds(
    lambda heads, sent_id, rel: block(heads, sent_id, [rel] * len(heads)).encode(),
    st.integers(1, 6).flatmap(tree_heads),
    st.sampled_from(("", "a", "b", "c")),
    st.sampled_from(("root", "obj", "obj:x", "Ñ")),
)
peculiar = st.sampled_from(
    (
        "# sent_id = a\n1-2\tx\t_\t_\t_\t_\t_\t_\t_\t_\n" + block((0, 1)),
        "0.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n" + block((2, 0)),
        "# text = Ñ\n#sent_id=b\n" + block((0,)),
        block((2, 1, 0), "a"),
        block((0, 0, 7, "_"), "b"),
        "# sent_id = c\n1\tx\n\n",
        "# alone\n\n",
        block((0, 1), "a").replace("w1", "\u2028\x85 ٣"),
    )
).map(str.encode)
damage = st.sampled_from((b"", b"", b"", b"\t", b"\n", b"\0", b"\xff", b"9", b"#", b"\r", b"x", b" ", b"-"))


@st.composite
def files(draw) -> tuple[bytes, bytes, bytes]:
    """Three files that fit more or less, with a byte put in here and there."""
    n = draw(st.integers(1, 5))
    sides = [b"".join(draw(st.lists(st.one_of(plain, plain, peculiar), min_size=n, max_size=n))) for _ in range(2)]
    link = st.sampled_from((b"0-0", b"1-1", b"0-1", b"1-0", b"3-3", b"0?1", b"0-0:0.5", b"5", b"x-1", b"0-0 1-0 1-1"))
    lines = draw(st.lists(st.lists(link, max_size=3).map(b" ".join), min_size=n, max_size=n))
    found = [*sides, b"".join(line + b"\n" for line in lines)]
    for k, text in enumerate(found):
        at = draw(st.integers(0, len(text)))
        found[k] = text[:at] + draw(damage) + text[at:]
    return found[0], found[1], found[2]


def outcome(folder: Path, way: str) -> tuple:
    corpus = lenient(folder)
    pairs = []
    try:
        if way == "chunks":
            batches = chain.from_iterable(chunk.batches(corpus.faults) for chunk in corpus.chunks(size=None))
        else:
            batches = in_batches(corpus.pairs()) if way == "careful" else corpus.batches()
        result = analyze_batches(batches, each=lambda pair, share: pairs.append((pair, share))).as_json()
    except ProjError as error:
        result = {"error": str(error)}
    told = list(map(str, corpus.faults.noted))
    if told and told[-1].startswith("different numbers"):
        del told[:-1]  # only the careful reader looks into what no partner has
    return pairs, told, result


@given(files(), st.sampled_from((1 << 20, 30, 100)))
def test_the_fast_lane_is_not_noticed(texts, chunk):
    with tempfile.TemporaryDirectory() as name, patch.multiple(corpus_module, FAST=0), patch.multiple(fast, CHUNK=chunk):
        folder = write(Path(name), *texts)
        assert outcome(folder, "fast") == outcome(folder, "careful")


@given(files(), st.sampled_from((1 << 20, 1, 30, 100)), st.sampled_from((0, 1 << 30)))
def test_chunks_are_not_noticed(texts, chunk, large):
    with tempfile.TemporaryDirectory() as name, patch.multiple(corpus_module, FAST=large), patch.multiple(chunks, CHUNK=chunk):
        folder = write(Path(name), *texts)
        assert outcome(folder, "chunks") == outcome(folder, "careful")
