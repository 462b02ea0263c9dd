"""Trees written back into FLEx, ELAN and Toolbox files: every byte of the original stays, and the trees can be read again."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

from eaffile import Eaf
from hypothesis import given, settings
from hypothesis import strategies as st

from divproj.core.errors import Faults
from divproj.core.options import ReaderOptions
from divproj.core.sentence import Sentence
from divproj.core.tree import DepTree
from divproj.io.interlinear import formats, write_back
from divproj.io.interlinear import rows as igt_conllu

WORDS = st.sampled_from(("sena", "uva-n", "kolu", "ñe", "ʔa", "ku=mi", "«na", "ro,", "R&B", "<tu>"))
SENTENCES = st.lists(st.lists(WORDS, min_size=1, max_size=4), min_size=1, max_size=4)
ENDS = st.sampled_from(("\n", "\r\n"))
MARK = st.sampled_from((b"", b"\xef\xbb\xbf"))


def trees_of(found: list[Sentence], chance: list[bool]) -> list[Sentence]:
    """A chain over the words of some sentences; the first always has one."""
    made = []
    for k, one in enumerate(found):
        if one.words and (not k or chance[k % len(chance)]):
            n = len(one.words)
            tree = DepTree(one.words, tuple(range(n)), ("root", *["nmod:poss"] * (n - 1)))
            made.append(Sentence(one.words, sent_id=one.sent_id, tree=tree))
    return made


def holds(data: bytes, name: str, added: re.Pattern[bytes], chance: list[bool]) -> None:
    options = ReaderOptions(format=name)
    found = formats.load_bytes(data, name, Faults(strict=False), options)
    trees = trees_of(found, chance)
    rows = [igt_conllu.to_sentence(one) for one in trees]
    made = write_back.into(data, rows, options, "", Faults(strict=False))
    assert made != data
    assert added.sub(b"", made) == data
    again = formats.load_bytes(made, name, Faults(strict=False), options)
    assert [(one.words, one.glosses, one.translation, one.sent_id) for one in again] == [
        (one.words, one.glosses, one.translation, one.sent_id) for one in found
    ]
    wanted = {one.sent_id: one.tree.heads for one in trees if one.tree}
    assert {one.sent_id: one.tree.heads for one in again if one.tree} == wanted
    assert write_back.into(made, rows, options, "", Faults(strict=False)) == made


CHANCE = st.lists(st.booleans(), min_size=1, max_size=4)
LINES = re.compile(rb"\\hd [\d ]+(?:\r\n|\r|\n)\\rl [\w: ]+(?:(?:\r\n|\r|\n)|$)")


@given(SENTENCES, ENDS, MARK, CHANCE, st.booleans(), st.booleans(), st.sampled_from(("utf-8", "cp1252")))
@settings(max_examples=40)
def test_toolbox(sentences, end, mark, chance, blank, wrapped, coding):
    text = "\\_sh v3.0  400  Text\n\n\\id Kolu\n\n"
    for k, words in enumerate(sentences, 1):
        text += f"\\ref {k}\n\\tx {' '.join(words)}\n\\ge {' '.join('x' for _ in words)}\n"
        text += f"\n\\tx {words[0]}\n\\ge y\n" if wrapped else ""
        text += "\\ft It is\n so.\n" + ("\n" if blank else "")
    text = text.replace("ʔ", "q") if coding == "cp1252" else text
    holds((mark if coding == "utf-8" else b"") + text.replace("\n", end).encode(coding), "toolbox", LINES, chance)


ITEMS = re.compile(rb'<item type="hd" lang="en">[\d ]+</item><item type="rl" lang="en">[\w: ]+</item>')


@given(SENTENCES, ENDS, MARK, CHANCE, st.lists(st.sampled_from(("", "<phrase/>", "<phrase><words/></phrase>", "<!-- <phrase> -->")), min_size=4, max_size=4))  # fmt: skip
@settings(max_examples=40)
def test_flextext(sentences, end, mark, chance, between):
    phrases = []
    for k, words in enumerate(sentences):
        inside = "".join(f'<word><item type="txt" lang="k">{escape(word)}</item><item type="gls" lang="en">x</item></word>' for word in words)  # fmt: skip
        phrases.append(f'{between[k]}\n<phrase guid="p{k}">\n<words>{inside}</words>\n<item lang="en" type="gls">It is so.</item></phrase>')  # fmt: skip
    body = "\n".join(f"<paragraph><phrases>{phrase}</phrases></paragraph>" for phrase in phrases)
    text = f'<?xml version="1.0" encoding="utf-8"?>\n<document>\n<interlinear-text><paragraphs>{body}</paragraphs></interlinear-text>\n</document>\n'
    holds(mark + text.replace("\n", end).encode(), "flextext", ITEMS, chance)


TIER = re.compile(
    rb'<TIER LINGUISTIC_TYPE_REF="divproj-tree"(?:(?!</TIER>).)*</TIER>|<LINGUISTIC_TYPE [^<>]*LINGUISTIC_TYPE_ID="divproj-tree"[^<>]*/>',
    re.DOTALL,
)


@given(SENTENCES, ENDS, MARK, CHANCE, st.booleans(), st.booleans())
@settings(max_examples=40)
def test_elan(sentences, end, mark, chance, speakers, ids):
    values = [" ".join(words) for words in sentences]
    made = Eaf()
    if ids:
        made.timed("ref@A", [f"K.{k:03}" for k in range(len(values))]).under("tx@A", "ref@A", values)
    else:
        made.timed("tx@A", values)
    if speakers:
        made.timed("tx@B", ["", *values], shift=500)
    made.under("ft@A", "tx@A", ["It is so and not otherwise."] * len(values))
    holds(mark + made.text().replace("\n", end).encode(), "elan", TIER, chance)
