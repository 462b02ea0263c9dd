"""Every reader of the project as a target: bytes in, everything that a command would do with what was read."""

from __future__ import annotations

import gzip
import io
import json
import tempfile
import zlib
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np
from fuzz import igt_seeds
from fuzz.limits import Target
from fuzz.places import file, lenient, place
from pipelinefiles import LEARNED, PLAIN
from pipelinefiles import write as write_pipeline
from reviewfiles import HOSTILE, TEXT
from tinywordnet import write as write_wordnet

from divproj.core import options as options_module
from divproj.core.errors import Faults, ProjError
from divproj.io.interlinear import plain
from divproj.io.interlinear.formats import FORMATS as IGT
from divproj.runtime.resources import folder

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "igt"
SAMPLES = {
    "plain": ("plain.txt",), "conllu": ("gold.conllu",), "xigt": ("good.xml",), "odin": ("odin.txt",), "toolbox": ("bytes.sfm", "characters.sfm"),
    "flextext": ("new.flextext", "old.flextext"), "elan": ("story.eaf",), "cldf": ("examples.csv",), "sigmorphon": ("shared_task.txt",),
    "latex": ("paper.tex",),
}  # fmt: skip
"""Fixtures of the formats that have some; the seeds of the others are in `igt_seeds.OTHERS`."""
BRACKETS = (
    b"(S (NP (DT the) (NN fox)) (VP (VBZ digs)))\n( (S (NP-SBJ (-NONE- *)) (VP (VB dig) (. .))) )\n",
    b"# sent_id = a\n-1.5\n(S (NN Nets) (VBP creak))\n-2.5\n(NP (NN Nets) (NN creak))\n\n",
)
ENJU = (
    b'<sentence id="s0" parse_status="success"><cons id="c0" cat="S" head="c1" sem_head="c1"><cons id="c1" cat="NP" head="t0" sem_head="t0">'
    b'<tok id="t0" cat="N" pos="NN" base="net">Nets</tok></cons> <cons id="c2" cat="VP" head="t1" sem_head="t1">'
    b'<tok id="t1" cat="V" pos="VBP" base="creak">creak</tok></cons></cons>.</sentence>\n'
    b'<sentence id="s1"><cons id="c3" cat="UH" head="t2" sem_head="t2" A="c0 c1"><tok id="t2" cat="U" pos="UH" base="ho">Ho</tok></cons></sentence>\n',
)
TIGER = (
    b'<?xml version="1.0" encoding="UTF-8"?><corpus id="c"><head/><body><s id="s1"><graph root="s1_500"><terminals>'
    b'<t id="s1_1" word="Nets" pos="NN" lemma="net"/><t id="s1_2" word="creak" pos="VBP"/></terminals><nonterminals>'
    b'<nt id="s1_500" cat="S"><edge label="SB" idref="s1_1"/><edge label="HD" idref="s1_2"/></nt></nonterminals></graph></s></body></corpus>',
)
TREEALIGN = (
    b'<treealign><head><treebanks><treebank id="de" filename="a.xml"/><treebank id="en" filename="b.xml"/></treebanks></head><alignments>'
    b'<align type="good"><node node_id="s1_1" treebank_id="de"/><node node_id="s2_1" treebank_id="en"/></align></alignments></treealign>',
)


def _stream(data: bytes) -> io.BufferedReader:
    return io.BufferedReader(io.BytesIO(data))  # type: ignore[arg-type]


def conllu_text(data: bytes) -> None:
    from divproj.io.interlinear import rows
    from divproj.io.trees import conllu

    for sentence in conllu.read(_stream(data), "case", lenient(), keep_places=True):
        if sentence is None:
            continue
        tree, faults = sentence.usable_tree()
        assert all(map(str, faults))
        conllu.dumps(sentence)
        rows.from_sentence(sentence, lenient())
        assert len(sentence.glosses) in (0, len(tree.forms))
    list(conllu.read(_stream(data), "case", Faults()))


def written_back(data: bytes, name: str) -> None:
    """Trees go into a damaged file, and come out of it again."""
    from dataclasses import replace

    from divproj.core.options import ReaderOptions
    from divproj.core.tree import DepTree
    from divproj.io.interlinear import formats, rows, write_back

    options = ReaderOptions(format=name, misaligned=True)
    found = formats.load_bytes(data, name, lenient(), options, "case")
    flat = [replace(one, tree=DepTree(one.words, (0, *[1] * (len(one.words) - 1)))) for one in found if one.words]
    write_back.into(data, [rows.to_sentence(one) for one in flat], options, "case", lenient())


def corpus(data: bytes, role: str) -> None:
    """One of the three files of a corpus is damaged: both ways of reading it find the same, and say the same of what is wrong."""
    here = place() / "corpus"
    here.mkdir(exist_ok=True)
    for name, good in corpus_files().items():
        (here / name).write_bytes(data if name == role else good)
    careful, fast = lane(here, fast=False), lane(here, fast=True)
    found, noted = ([*map(str, told)] for told in (careful, fast))
    if any("different numbers of sentences" in why for why in noted):  # the fast lane does not look at those without a partner
        found = [why for why in found if why in noted]
    assert found == noted
    if isinstance(careful[0], ProjError):
        raise careful[0]


def lane(folder: Path, fast: bool) -> list[object]:
    """What was found in a corpus, or why it was refused; then the faults noted."""
    from dataclasses import replace
    from itertools import chain

    from divproj.core.pair import in_batches
    from divproj.divergence.analysis import analyze_batches
    from divproj.io.corpus import Corpus

    found = Corpus.at(folder, faults=lenient())
    try:
        chunks = (replace(chunk, fast=True).batches(found.faults) for chunk in found.chunks(size=None))
        batches = chain.from_iterable(chunks) if fast else in_batches(found.pairs())
        made: object = analyze_batches(batches).as_json()
    except ProjError as error:
        made = error
    return [made, *found.faults.noted]


@cache
def corpus_files() -> dict[str, bytes]:
    made = {}
    for name in ("f.conllu", "e.conllu", "align.txt"):
        data = (folder("corpora") / "deu-eng" / name).read_bytes()
        made[name] = (
            b"\n".join(data.split(b"\n")[:6]) + b"\n"
            if name == "align.txt"
            else b"\n\n".join(data.split(b"\n\n")[:6]) + b"\n\n"
        )
    return made


def interlinear(data: bytes, name: str | None) -> None:
    from divproj.io.interlinear import formats, rows, xigt
    from divproj.links.grade import grade

    found = list(formats._any(_stream(data), "case", name, lenient(), options_module.ReaderOptions(misaligned=True)))[:8]
    for one in found:
        grade(one)
        plain.dumps([one])
        _aligner().align(one, one.translation.split())
    rows.dumps(found)
    xigt.dumps(found)


def in_archive(data: bytes, part: str) -> None:
    """A part of a document or workbook is damaged, not the archive."""
    from divproj.io.interlinear import formats

    whole = igt_seeds.with_part(part, data)
    list(formats._any(_stream(whole), "case", None, lenient(), options_module.ReaderOptions()))


def cldf_files(data: bytes, role: str) -> None:
    """One of the files of a CLDF data set is damaged."""
    from divproj.io.interlinear import formats

    here = place() / "cldf"
    here.mkdir(exist_ok=True)
    good = {"case.csv": igt_seeds.TABLE, "x-metadata.json": igt_seeds.metadata(), "languages.csv": b"ID,Name\nk,Kolu\n"}
    for name, text in good.items():
        (here / name).write_bytes(data if name == role else text)
    list(formats.load(here / "case.csv", None, lenient(), misaligned=True))


@cache
def _aligner():  # type: ignore[no-untyped-def]
    from divproj.links.glosses import GlossAligner

    return GlossAligner()


def trees(data: bytes, name: str | None) -> None:
    from divproj.io.trees import forest, forests

    for how in (forests.ForestOptions(pack="trees"), forests.ForestOptions(binarise="all", punctuation="drop", empties=True)):
        for one in forests._any(_stream(data), "case", name, lenient(), how, True):
            if one is not None:
                assert forest.loads(forest.dumps(one)) == [one]


def node_links(data: bytes) -> None:
    from divproj.io.trees import tiger

    tiger.best_sentence_pairs(tiger.load_links(file(data), lenient()))


def enju_links(data: bytes) -> None:
    from divproj.io.trees import enju

    enju.load_links(file(data), lenient())


def pharaoh_lines(data: bytes) -> None:
    from divproj.io.trees import pharaoh

    for where, line in pharaoh.read(_stream(data), "case"):  # type: ignore[arg-type]
        pharaoh.dumps(pharaoh.parse(line, (5, 4), where, lenient()))


def rules(data: bytes) -> None:
    from divproj.projection import rulefile

    found = rulefile.loads(data.decode("utf-8", "replace"), "case")
    again = rulefile.loads(rulefile.dumps(found), "case")
    assert again.rules.kept_swaps() == found.rules.kept_swaps()


def grams(data: bytes) -> None:
    from divproj.links.grams import Grams

    table = Grams.load(file(data))
    for name in ("3SG.F", "NEG", "", "\u202e", "pl"):
        table.words(name)


def word_table(data: bytes) -> None:
    from divproj.phrases.lexicon import read_table

    read_table(file(data), lenient())


def vectors(data: bytes) -> None:
    from divproj.phrases import lexicon

    found = lexicon.load(file(data, "vectors"))
    found.cosine("net", "nets")
    found.rows(["net", "", "\ud800"])


def wordnet(data: bytes, role: str) -> None:
    from divproj.phrases.wordnet import find

    here = place() / "wordnet"
    if not here.is_dir():
        here.mkdir()
        write_wordnet(here)
    good = (here / role).read_bytes()
    (here / role).unlink()  # a new file: the old one may still be mapped
    (here / role).write_bytes(data)
    try:
        found = find(here)
        assert found is not None
        for word in ("blick", "blicker", "blicken", "frim", "", "zz", "\u202e"):
            found.synonyms(word)
            found.derivations(word)
            found.lemmas(word)
    finally:
        (here / role).unlink()
        (here / role).write_bytes(good)


def config(data: bytes) -> None:
    from divproj.run.config import load
    from divproj.run.runner import Run

    here = place() / "pipeline"
    if not here.is_dir():
        write_pipeline(here, 4, 2)
    (here / "divproj.toml").write_bytes(data)
    found = load(here / "divproj.toml")
    list(Run(found).plan())


def running_text(data: bytes) -> None:
    from divproj.io.trees import conllu
    from divproj.parsing import batch

    for keep in (False, True):
        for sentence in batch.load(file(data), lenient(), keep_lines=keep):
            again = conllu.loads(conllu.dumps(sentence))
            assert [s.forms for s in again] == [sentence.forms]


def packed(data: bytes) -> None:
    from divproj.io.trees import conllu

    list(conllu.load(file(data, "case.gz"), lenient()))


def reviewed(data: bytes) -> None:
    """A file under review: what is not edited comes out as it went in."""
    from divproj.review.document import Document
    from divproj.review.session import Session

    session = Session(Document(data, "case", lenient()))
    assert session.render() == data


def journal(data: bytes) -> None:
    """A journal, its checksums made right again so that what it says is looked at too."""
    from divproj.review.document import Document, Journal
    from divproj.review.session import Session

    lines = []
    for line in data.split(b"\n"):
        text = line.partition(b" ")[2]
        lines.append(b"%08x %s" % (zlib.crc32(text), text) if text else line)
    for name, content in (("raw.journal", data), ("right.journal", b"\n".join(lines))):
        path = file(content, name)
        found = Journal(path, {"sha256": "0", "input": "trees.conllu"})
        try:
            Session(Document(TEXT.encode(), "trees.conllu"), found)
        finally:
            found.close()


def journal_seeds() -> Sequence[bytes]:
    from divproj.review.document import Document, Journal
    from divproj.review.session import LearnedTree, Session

    path = place() / "good.journal"
    path.unlink(missing_ok=True)
    log = Journal(path, {"sha256": "0", "input": "trees.conllu"})
    session = Session(Document(TEXT.encode(), "trees.conllu"), log)
    session.set_head(0, 4, 3, "obj")
    session.set_relation(0, 2, "advmod")
    session.set_gold(0, True)
    session.learn([(1, LearnedTree([3, 3, 0], ["nsubj", "aux", "root"], ["learned"] * 3, [0.5] * 3, "s2+"))], "learned")
    session.undo()
    session.redo()
    log.close()
    return [path.read_bytes()]


def results(data: bytes, name: str) -> None:
    """What a results folder says of itself."""
    from divproj.run.cache import Store

    store = Store(place() / "results")
    (store.stages / "read").mkdir(parents=True, exist_ok=True)
    (store.stages / name).write_bytes(data)
    done = store.done("read")
    if done is not None:
        store.damage("read", done)
        assert done.digest
    store._published_digests()


def vector_seeds() -> Sequence[bytes]:
    out = io.BytesIO()
    np.savez(out, words=np.array(["net", "nets"]), vectors=np.eye(2, dtype=np.float32))
    return [out.getvalue()]


def _read(path: Path) -> Callable[[], list[bytes]]:
    return lambda: [path.read_bytes()[:20_000]]


def _wordnet_seeds(role: str) -> Callable[[], Sequence[bytes]]:
    def make() -> Sequence[bytes]:
        with tempfile.TemporaryDirectory() as name:
            return [(write_wordnet(Path(name)) / role).read_bytes()]

    return make


def _igt(name: str) -> Callable[[], list[bytes]]:
    more = {"latex": [igt_seeds.LATEX], "toolbox": [igt_seeds.TOOLBOX], "plain": [igt_seeds.PLAIN], "cldf": [igt_seeds.TABLE.replace(b"Text", b"Primary_Text")], "elan": [igt_seeds.elan(), igt_seeds.clitics()]}  # fmt: skip
    others = igt_seeds.OTHERS.get(name, ())
    return lambda: [*((FIXTURES / sample).read_bytes() for sample in SAMPLES.get(name, ())), *more.get(name, []), *others]


def _forest_json() -> Sequence[bytes]:
    from divproj.io.trees import forest, forests

    return ["".join(map(forest.dumps, forests.forests_of(BRACKETS[0].decode()))).encode()]


def _rules() -> Sequence[bytes]:
    """A shipped rule file, shortened."""
    found = json.loads((folder("rules") / "deu.json").read_bytes())
    for name in ("merge", "spontaneous"):
        found[name] = dict(list(found[name].items())[:2])
    found["swap"] = found["swap"][:2]
    found["model"] = {key: dict(list(value.items())[:3]) for key, value in found["model"].items()}
    return [json.dumps(found).encode()]


DONE = json.dumps({"version": 1, "parts": {"files": {}}, "outputs": {"a": "0"}, "facts": {"n": 1}, "warnings": ["w"]}).encode()

READERS: tuple[Target, ...] = (
    Target("conllu", conllu_text, lambda: [corpus_files()["f.conllu"], TEXT.encode(), HOSTILE.encode()]),
    *(Target(f"corpus/{name}", partial(corpus, role=name), lambda name=name: [corpus_files()[name]]) for name in ("f.conllu", "e.conllu", "align.txt")),
    *(Target(f"igt/{name}", partial(interlinear, name=name), _igt(name)) for name in IGT),
    *(Target(f"igt/back/{name}", partial(written_back, name=name), _igt(name)) for name in ("toolbox", "flextext", "elan", "exmaralda", "textgrid")),
    *(Target(f"igt/parts/{name}", partial(in_archive, part=part), lambda part=part: igt_seeds.PARTS[part]) for name, part in igt_seeds.PLACES.items()),
    Target("cldf/metadata", partial(cldf_files, role="x-metadata.json"), lambda: [igt_seeds.metadata()], "json"),
    Target("cldf/languages", partial(cldf_files, role="languages.csv"), lambda: [b"ID,Name,ISO639P3code\nk,Kolu,kol\n"]),
    Target("igt/guessed", partial(interlinear, name=None), lambda: [s for name in IGT for s in _igt(name)()]),
    Target("forests/brackets", partial(trees, name="brackets"), lambda: BRACKETS),
    Target("forests/enju", partial(trees, name="enju"), lambda: ENJU),
    Target("forests/tiger", partial(trees, name="tiger"), lambda: TIGER),
    Target("forests/conllu", partial(trees, name="conllu"), lambda: [corpus_files()["e.conllu"]]),
    Target("forests/json", partial(trees, name="json"), _forest_json, "json"),
    Target("forests/guessed", partial(trees, name=None), lambda: [*BRACKETS, *ENJU, *TIGER]),
    Target("links/tiger", node_links, lambda: TREEALIGN),
    Target("links/enju", enju_links, lambda: ENJU),
    Target("pharaoh", pharaoh_lines, lambda: [b"0-0 1-1:0.93 2?3\n\n4-0\n"]),
    Target("rules", rules, _rules, "json"),
    Target("grams", grams, _read(folder("rules") / "grams.tsv")),
    Target("word table", word_table, lambda: [b"# pairs\nNet\tHaul\t0.5\nfox\tvixen\n"]),
    Target("vectors/text", vectors, lambda: [b"2 3\nnet 1 0 0.5\nnets 0.5 1e-3 -2\n", b"net 1 2\nfox 3 4\n"]),
    Target("vectors/npz", vectors, vector_seeds, "npz"),
    *(Target(f"wordnet/{name}", partial(wordnet, role=name), _wordnet_seeds(name)) for name in ("index.noun", "data.verb", "data.adj", "noun.exc")),
    Target("config", config, lambda: [PLAIN.encode(), LEARNED.encode()]),
    Target("plain text", running_text, lambda: ["Mara mends nets. Ilo doesn't (yet)… \u201cWhy?\u201d\nDr. Ulm left at 5 p.m.\n".encode()]),
    Target("gzip", packed, lambda: [gzip.compress(corpus_files()["f.conllu"], mtime=0)]),
    Target("review", reviewed, lambda: [TEXT.encode(), HOSTILE.encode()]),
    Target("review/journal", journal, journal_seeds),
    Target("results/done", partial(results, name="read/done.json"), lambda: [DONE], "json"),
    Target("results/published", partial(results, name="published.json"), lambda: [b'{"trees.conllu": ["0", "1"]}'], "json"),
)  # fmt: skip
