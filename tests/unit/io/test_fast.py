"""The fast lane must not be noticed: the same pairs, counts and words about faults as the careful reader."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from corpusfiles import block, lenient, write
from shared import need

from divproj import AlignmentError, Corpus, Faults, FormatError, ProjError
from divproj.core.pair import in_batches
from divproj.divergence.analysis import analyze_batches
from divproj.io import corpus as corpus_module
from divproj.io import fast
from divproj.runtime import jit, resources


@pytest.fixture(autouse=True)
def _every_corpus_takes_the_fast_lane(monkeypatch):
    monkeypatch.setattr(corpus_module, "FAST", 0)
    monkeypatch.setattr(jit, "WORTH", 0)  # which kernel counts is no matter here


def assert_same(folder, **options):
    """Both lanes find the same in a folder; returns what the careful one did."""
    slow, quick = (lenient(folder, **options) for _ in range(2))
    expected_pairs, found_pairs = [], []
    expected = analyze_batches(in_batches(slow.pairs()), each=lambda *seen: expected_pairs.append(seen))
    found = analyze_batches(quick.batches(), each=lambda *seen: found_pairs.append(seen))
    assert list(map(str, quick.faults.noted)) == list(map(str, slow.faults.noted))
    assert (quick.faults.words, quick.faults.sentences) == (slow.faults.words, slow.faults.sentences)
    assert found_pairs == expected_pairs
    assert found.as_json() == expected.as_json()
    assert quick.digests == slow.digests
    return slow


N = 8
GOOD = "".join(block((2, 0, 2), f"s{k}") for k in range(N))
LINES = ["0-0 1-1 1-2 2-2"] * N


def with_line(k: int, text: str) -> str:
    return "\n".join([*LINES[:k], text, *LINES[k + 1 :]]) + "\n"


def with_sentence(k: int, text: str | bytes) -> bytes:
    parts = [block((2, 0, 2), f"s{i}").encode() for i in range(N)]
    parts[k] = text if isinstance(text, bytes) else text.encode()
    return b"".join(parts)


MULTIWORD = block((2, 0, 2), "s5").replace("1\tw1", "1-2\tw1w2\t_\t_\t_\t_\t_\t_\t_\t_\n1\tw1", 1)
EMPTY_NODE = block((2, 0, 2), "s5").replace("3\tw3", "2.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n3\tw3", 1)
ROW = "1\tw1\t_\tNOUN\tNN\t_\t{}\tdep\t_\t_\n"

SENTENCES = {
    "multiword token": MULTIWORD,
    "empty node": EMPTY_NODE,
    "one word": block((0,), "s5"),
    "no sent_id": block((2, 0, 2)),
    "another id": block((2, 0, 2), "other"),
    "comments": "# one\n#two\n# sent_id = s5\n# text = x = y\n" + block((2, 0, 2)),
    "sent_id without blanks": "#sent_id=other\n" + block((2, 0, 2)),
    "sent_id twice": "# sent_id = s5\n# sent_id = other\n" + block((2, 0, 2)),
    "like sent_id": "# seed_id = 5\n# sent_id_old = 7\n# sent_id = s5\n" + block((2, 0, 2)),
    "cycle": block((2, 1, 0), "s5"),
    "cycle below the root": block((0, 3, 2), "s5"),
    "no root": block((2, 3, 1), "s5"),
    "two roots": block((0, 0, 1), "s5"),
    "own head": block((0, 2, 1), "s5"),
    "head out of range": block((0, 1, 4), "s5"),
    "head far out of range": block((0, 1, 10**12), "s5"),
    "head with zeros": block((0, "01", 1), "s5"),
    "head 00": block(("00", 1, 1), "s5"),
    "no head": block((0, "_", 1), "s5"),
    "head with a sign": block((0, "+1", 1), "s5"),
    "nine columns": block((2, 0, 2), "s5").replace("NOUN\t", "", 1),
    "eleven columns": block((2, 0, 2), "s5").replace("NOUN\t", "NOUN\tX\t", 1),
    "columns divided between lines": "# sent_id = s5\n1\tx\t_\t_\n_\t_\t0\troot\t_\n\n",
    "empty column": block((2, 0, 2), "s5").replace("NOUN", "", 1),
    "spaces for tabs": block((2, 0, 2), "s5").replace("\t", " "),
    "wrong id": block((2, 0, 2), "s5").replace("\n2\t", "\n7\t"),
    "id 0": block((2, 0, 2), "s5").replace("\n1\t", "\n0\t"),
    "id with a zero": block((2, 0, 2), "s5").replace("\n1\t", "\n01\t"),
    "late comment": block((2, 0, 2), "s5").replace("3\t", "# late\n3\t", 1),
    "comments alone": "# sent_id = s5\n# nothing\n\n",
    "NUL in a form": block((2, 0, 2), "s5").replace("w2", "w\0"),
    "NUL in a tag": block((2, 0, 2), "s5").replace("NOUN", "N\0", 1),
    "NUL in a comment": "# x\0\n" + block((2, 0, 2), "s5"),
    "broken UTF-8 in a form": block((2, 0, 2), "s5").encode().replace(b"w2", b"w\xff"),
    "broken UTF-8 in a tag": block((2, 0, 2), "s5").encode().replace(b"NOUN", b"N\xff", 1),
    "broken UTF-8 in a relation": block((2, 0, 2), "s5").encode().replace(b"dep", b"d\xc3", 1),
    "broken UTF-8 in a comment": b"# \xff\n" + block((2, 0, 2), "s5").encode(),
    "surrogates": b"# \xed\xa0\x80\n" + block((2, 0, 2), "s5").encode(),
    "odd characters": block((2, 0, 2), "s5").replace("w2", "\u2028\u0085\x0b\x1c🦊").replace("NOUN", "Ñ语", 1),
    "carriage return inside": block((2, 0, 2), "s5").replace("w2", "a\rb"),
    "not CoNLL-U": "just a line of text\n\n",
    "a number alone": "# sent_id = s5\n5\n\n",
    "an id alone": "1\n\n",
    "a range alone": "1-2\n\n",
    "half a range": "1-\n\n",
    "a row cut after its id": block((2, 0, 2), "s5").replace("2\tw2", "2\n\tw2"),
    "range past the end": block((2, 0, 2), "s5").replace("3\tw3", "3-4\tx\t_\t_\t_\t_\t_\t_\t_\t_\n3\tw3", 1),
    "range backwards": block((2, 0, 2), "s5").replace("3\tw3", "3-2\tx\t_\t_\t_\t_\t_\t_\t_\t_\n3\tw3", 1),
    "empty node out of place": block((2, 0, 2), "s5").replace("3\tw3", "3.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n3\tw3", 1),
    "empty node at the start": "0.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n" + block((2, 0, 2)),
    "empty node alone": "0.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n",
    "NUL in a multiword token": MULTIWORD.replace("w1w2", "\0"),
    "empty column in a multiword token": MULTIWORD.replace("w1w2", ""),
    "glosses": block((2, 0, 2), "s5").replace("\t_\n", "\tGloss=word\n", 2),
    "many blank lines": block((2, 0, 2), "s5") + "\n\n\n",
    "line of a blank": block((2, 0, 2), "s5").rstrip("\n") + "\n \n",
}


@pytest.mark.parametrize("case", SENTENCES)
def test_peculiar_sentences(tmp_path, monkeypatch, case):
    """Each in the middle, at the start and at the end, on either side, in large chunks and in small ones."""
    lines = "\n".join(LINES) + "\n"
    for k, side, chunk in ((5, "f", 1 << 20), (0, "e", 300), (N - 1, "f", 300)):
        monkeypatch.setattr(fast, "CHUNK", chunk)
        text = SENTENCES[case]
        text = text.replace(b"s5", b"s%d" % k) if isinstance(text, bytes) else text.replace("s5", f"s{k}")
        sides = (with_sentence(k, text), GOOD) if side == "f" else (GOOD, with_sentence(k, text))
        assert_same(write(tmp_path, *sides, lines))


LINKS = {
    "none": "",
    "blanks": "   ",
    "not sorted": "2-2 0-0",
    "twice": "0-0 0-0",
    "tabs": "0-0\t1-1",
    "possible": "0-0 1?1",
    "probability": "0-0:0.5 1-1:1e-3",
    "out of range": "0-0 3-0 1-1",
    "far out of range": "0-0 1-99999999999999",
    "number alone at the end": "0-0 5",
    "number alone": "5",
    "number alone in between": "0-0 5 1-1",
    "half a link": "0-0 1-",
    "other half": "-1 0-0",
    "word": "x",
    "double dash": "0--1 1-1",
    "three": "0-0-0",
    "broken UTF-8": b"0-0 \xff",
    "NUL": "0-0 \0",
    "leading zeros": "00-01",
    "no-break space": "0-0\u00a01-1",
    "line separator": "0-0\u20281-1",
    "carriage return": "0-0\r1-1",
}


@pytest.mark.parametrize("case", LINKS)
def test_peculiar_links(tmp_path, monkeypatch, case):
    for k, chunk in ((5, 1 << 20), (0, 40), (N - 1, 40)):
        monkeypatch.setattr(fast, "CHUNK", chunk)
        text = LINKS[case]
        line = with_line(k, "@").encode().replace(b"@", text if isinstance(text, bytes) else text.encode())
        assert_same(write(tmp_path, GOOD, GOOD, line))


@pytest.mark.parametrize("size", [7, 64, 100, 257, 1000])
def test_chunk_borders(tmp_path, monkeypatch, size):
    f, e = (GOOD.replace("w2", "wörd\u2028").replace("\n", end) for end in ("\n", "\r\n"))
    folder = write(tmp_path / "a", f, "\ufeff" + e, "\r\n".join(LINES))
    monkeypatch.setattr(fast, "CHUNK", size)
    assert assert_same(folder).faults.noted == []


@pytest.mark.parametrize("end", ["", "\n", "\n\n\n"])
def test_ends_of_files(tmp_path, end):
    text = GOOD.rstrip("\n") + end
    assert assert_same(write(tmp_path / "a", text, text, "\n".join(LINES) + end)).faults.noted == []


def test_leading_blank_lines(tmp_path):
    bad = "\n\n" + GOOD.replace("\t2\tdep", "\t9\tdep")
    assert assert_same(write(tmp_path / "a", bad, GOOD, "\n".join(LINES))).faults.words == 2 * N


@pytest.mark.parametrize(
    ("f", "e", "links"),
    [(N + 2, N, N), (N, N + 2, N), (N, N, N + 2), (N, N, N - 2), (N - 2, N, N), (N, N - 2, N + 2), (1, N, N)],
)
@pytest.mark.parametrize("chunk", [1 << 20, 200])
def test_different_numbers(tmp_path, monkeypatch, f, e, links, chunk):
    monkeypatch.setattr(fast, "CHUNK", chunk)
    sides = ("".join(block((2, 0, 2), f"s{k}") for k in range(n)) for n in (f, e))
    folder = write(tmp_path / "a", *sides, "0-0\n" * links)
    assert len(assert_same(folder).faults.noted) == 1


@pytest.mark.parametrize("name", ["f.conllu", "e.conllu", "align.txt"])
def test_empty_file(tmp_path, name):
    folder = write(tmp_path / "a", GOOD, GOOD, "0-0\n" * N)
    (folder / name).write_bytes(b"")
    with pytest.raises(FormatError, match="no sentence in the file; is it empty"):
        list(lenient(folder).batches())


IDS = {
    "equal": ("abcdef", "abcdef"),
    "two schemes": ("abcdef", "uvwxyz"),
    "exchanged": ("abcdef", "abdcef"),
    "exchanged at the start": ("abcdef", "bacdef"),
    "shifted": ("abcdef", "bcdefg"),
    "shifted after a while": ("abcdef", "abdefg"),
    "one differs": ("abcdef", "abXdef"),
    "the first differs": ("abcdef", "Xbcdef"),
    "none": (" " * 6, " " * 6),
    "one side": ("abcdef", " " * 6),
    "first without": (" bcdef", " bXdef"),
    "first without on one side": (" bcdef", "abXdef"),
    "some without": ("ab def", "abc ef"),
}


@pytest.mark.parametrize("case", IDS)
@pytest.mark.parametrize("chunk", [1 << 20, 100])
@pytest.mark.parametrize("same_ids", [True, False])
def test_ids(tmp_path, monkeypatch, case, chunk, same_ids):
    monkeypatch.setattr(fast, "CHUNK", chunk)
    f, e = ("".join(block((2, 0, 2), x.strip()) for x in ids) for ids in IDS[case])
    assert_same(write(tmp_path / "a", f, e, "0-0\n" * 6), same_ids=same_ids)


@pytest.mark.parametrize("style", ["# seed_id = 1\n# sent_id = {}\n", "#sent_id = {}\n", "#  sent_id = {}\n", "# sent_id={}\n"])
def test_ids_in_other_spellings(tmp_path, style):
    f, e = ("".join(style.format(x) + block((2, 0, 2)) for x in ids) for ids in ("abc", "abX"))
    assert_same(write(tmp_path / "a", f, e, "0-0\n" * 3))


def test_relations_and_tags_are_the_same_strings(tmp_path):
    rels = [f"rel{k % 40}:sub{k}" for k in range(300)]
    f = "".join(block((0, 1, 1), f"s{k}", rels[k : k + 3]) for k in range(290))
    e = "".join(block((0, 1, 1), f"s{k}", rels[k + 1 : k + 4]) for k in range(290)).replace("NOUN", "VERB")
    assert_same(write(tmp_path / "a", f, e, "0-0 1-1 2-2\n" * 290))


def test_more_labels_than_the_scanner_has_room_for(tmp_path, monkeypatch):
    monkeypatch.setattr(fast, "MOST", 20)
    text = "".join(block((0, 1, 1), f"s{k}", (f"a{k}", f"b{k}", "c")) for k in range(30))
    assert_same(write(tmp_path / "a", text, text.replace("b", "x"), "0-0 1-1 2-2\n" * 30))


def test_strict_stops_with_the_same_words(tmp_path):
    folder = write(tmp_path / "a", with_sentence(5, SENTENCES["cycle"]), GOOD, with_line(2, "0-0 9-9"))
    told = []
    for way in ("pairs", "batches"):
        with pytest.raises(ProjError) as caught:
            list(getattr(Corpus.at(folder), way)())
        told.append(str(caught.value))
    assert told[0] == told[1]
    assert "align.txt:3 (sent_id s2): link 9-9 is out of range" in told[0]


def test_strict_ids(tmp_path):
    f, e = ("".join(block((0,), x) for x in ids) for ids in ("abc", "abX"))
    folder = write(tmp_path / "a", f, e, "0-0\n" * 3)
    with pytest.raises(AlignmentError, match=r"F has sent_id c where E .* has X"):
        list(Corpus.at(folder).batches())


def test_batches_can_be_kept(tmp_path, monkeypatch):
    """Pairs are made when asked for, also after the reader has gone on."""
    monkeypatch.setattr(fast, "CHUNK", 200)
    text = "".join(block((2, 0, 2), f"s{k}") for k in range(40))
    folder = write(tmp_path / "a", text, text, "0-0 1-1\n" * 40)
    kept = list(Corpus.at(folder).batches())
    assert [batch.pair(k).sent_id for batch in kept for k in range(len(batch))] == [f"s{k}" for k in range(40)]


def test_gzip(tmp_path):
    folder = write(tmp_path / "a", gzip.compress(GOOD.encode()), GOOD, "\n".join(LINES))
    assert_same(folder)


def test_missing_file(tmp_path):
    folder = write(tmp_path / "a", GOOD, GOOD, "\n".join(LINES))
    for name in ("f.conllu", "e.conllu", "align.txt"):
        sources = [folder / ("none" if x == name else x) for x in ("f.conllu", "e.conllu", "align.txt")]
        with pytest.raises(ProjError, match="none: no such file"):
            list(Corpus(*sources).batches())


def test_long_sentences(tmp_path):
    n = 5000
    chain, flat = block(range(n), "s1"), block((0, *[1] * 19_999), "s2")
    text = chain + flat + block((0,), "s3")
    links = "\n".join(" ".join(f"{k}-{k}" for k in range(size)) for size in (n, 20_000, 1)) + "\n"
    assert assert_same(write(tmp_path / "a", text, text, links)).faults.noted == []


def test_shipped_corpora():
    for folder in sorted(p for p in resources.folder("corpora").iterdir() if p.is_dir()):
        assert assert_same(folder).faults.noted == []


@pytest.mark.parametrize("name", ["odin/ger", "odin/kkn", "smultron/en-de", "pud/fr", "cdt-da"])
def test_development_corpora(name):
    assert_same(need(name))


def test_the_lane_is_chosen_by_size(tmp_path, monkeypatch):
    folder = write(tmp_path / "a", GOOD, GOOD, "\n".join(LINES))
    taken = []
    monkeypatch.setattr(corpus_module, "_fast_batches", lambda chunk, faults: iter(taken.append(chunk) or ()))
    monkeypatch.setattr(corpus_module, "FAST", 2 * len(GOOD) + 1)
    list(Corpus.at(folder).batches())
    assert not taken
    monkeypatch.setattr(corpus_module, "FAST", 2 * len(GOOD))
    list(Corpus.at(folder, faults=Faults()).batches())
    assert taken


def test_strings_of_one_hash_stay_apart():
    """As if both had the hash that the table holds: their bytes are compared."""
    book = fast.ScanVocabulary()
    a, b = book.code("NOUN"), np.frombuffer(b"VERB", np.uint8)
    twin = fast.ScanVocabulary()
    verb = twin.code("VERB")
    [slot] = np.flatnonzero((twin.slots == verb) & (twin.keys != 0))
    book.keys[slot], book.slots[slot] = twin.keys[slot], a
    found = fast.string_code(b, 0, 4, book.keys, book.slots, book.size, book.bounds, book.pool)
    assert found != a
    assert book.code("NOUN") == a
    assert book.code("VERB") == found
    assert book.names[found] == "VERB"


def test_tags_of_one_hash_stay_apart(tmp_path):
    """Two tags whose 64-bit FNV-1a hashes are the same: the lane compares strings by value, as the careful reader does."""
    a, b = "8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ"
    book = fast.ScanVocabulary()
    codes = [book.code(a), book.code(b)]
    assert codes[0] != codes[1]
    keys = {int(book.keys[k]) for k in np.flatnonzero(np.isin(book.slots, codes) & (book.keys != 0))}
    assert len(keys) == 1
    f = "".join(block((2, 0, 2), f"s{k}").replace("NOUN", (a, b)[k % 2]) for k in range(N))
    e = "".join(block((2, 0, 2), f"s{k}").replace("NOUN", a) for k in range(N))
    assert_same(write(tmp_path / "c", f, e, "\n".join(LINES)))


def test_a_full_pool_gives_no_code():
    book = fast.ScanVocabulary()
    book.size[1] = fast.POOL
    assert fast.string_code(np.frombuffer(b"X", np.uint8), 0, 1, book.keys, book.slots, book.size, book.bounds, book.pool) == -1
