"""`proj review` as a process: an address, a page, Ctrl-C, and being killed."""

from __future__ import annotations

import contextlib
import gzip
import http.client
import io
import os
import random
import re
import shutil
import signal
import stat
import subprocess
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from cli.commands import ROOT, proj
from reviewfiles import TEXT, Client, Command
from typer.testing import CliRunner

from divproj import Faults, ProjError
from divproj.core.errors import plural
from divproj.io.corpus import Corpus
from divproj.parsing.language import pack
from divproj.projection.prepare import Preparation
from divproj.review.document import Document, Journal
from divproj.review.edits import EditError
from divproj.review.learning import sentences_to_learn_with
from divproj.review.server import POSTS, Review
from divproj.review.session import Session
from proj_cli import app, review

CORPUS = ROOT / "corpora" / "hin-eng"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    path = tmp_path / "trees.conllu"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return tmp_path / "trees.reviewed.conllu"


@pytest.fixture
def started() -> Iterator[list[Command]]:
    """Commands to be ended whatever happens."""
    made: list[Command] = []
    yield made
    for command in made:
        if command.process.poll() is None:
            command.end(signal.SIGKILL)


def test_review_correct_and_leave(trees: Path, saved: Path, started: list[Command]):
    command = Command(trees)
    started.append(command)
    assert command.url.startswith("http://127.0.0.1:")
    client = Client(command.url)
    assert client.edit(0, 0, "head", word=4, head=3)[0] == 200
    assert client.edit(0, 1, "gold", gold=True)[0] == 200
    code, said = command.end()
    assert code == 0, said
    assert "4 sentences, saved as" in said
    assert f"saved: {saved}" in said
    assert "Traceback" not in said
    text = saved.read_text(encoding="utf-8")
    assert text == TEXT.replace(
        "1\tobj\t_\tGloss=dog.DEF|SpaceAfter=No|Proj=guess|ProjConf=0.30",
        "3\tobj\t_\tGloss=dog.DEF|SpaceAfter=No|Proj=corrected",
    ).replace("links=4\n", "links=4\n# gold = yes\n")
    assert trees.read_text(encoding="utf-8") == TEXT


def test_killed_in_the_middle_nothing_is_lost(trees: Path, saved: Path, started: list[Command]):
    for version in range(2):
        command = Command(trees)
        started.append(command)
        client = Client(command.url)
        if version:
            _, view = client.get("/api/sentence?n=0")
            assert view["rels"][0] == f"r{version - 1}"
            assert saved.exists()  # written anew from the journal
        assert client.edit(0, version, "relation", word=1, relation=f"r{version}")[0] == 200
        code, said = command.end(signal.SIGKILL)
        assert code == -signal.SIGKILL
        assert version == 0 or f"{plural(version, 'change')} of an earlier review taken up" in said
    assert not list(trees.parent.glob("*.old*")), "what the journal gave before the crash needs no copy"
    command = Command(trees)
    started.append(command)
    client = Client(command.url)
    assert [client.post("/api/undo")[1]["told"] for _ in range(2)] == [f"undone: ni (1) is now r{k}" for k in (1, 0)]
    assert client.post("/api/undo")[0] == 409
    assert command.end(signal.SIGTERM)[0] == 0
    assert saved.read_text(encoding="utf-8") == TEXT


def test_one_review_at_a_time(trees: Path, started: list[Command]):
    """The second is told where the first is, also when it would begin anew, which moves the journal away."""
    first = Command(trees)
    started.append(first)
    for words in ((), ("--fresh",)):
        assert told(trees, *words).endswith(
            f"another `proj review` has this file open (process {first.process.pid}, {first.url}); use its page, or end it first"
        )
    assert not list(trees.parent.glob("*.old*"))


def test_a_changed_input_is_told_and_begun_anew(trees: Path, saved: Path, started: list[Command]):
    command = Command(trees)
    started.append(command)
    Client(command.url).edit(0, 0, "gold", gold=True)
    command.end()
    old = saved.read_bytes()
    trees.write_text(TEXT.replace("ruwa", "ruwan"), encoding="utf-8")
    past = saved.stat().st_mtime - 100
    os.utime(saved, (past, past))
    done = proj("review", trees)
    assert done.returncode == 1, "the file lags behind the journal: what was corrected last is in the journal alone"
    assert (
        "trees.conllu has changed since its review began; put the earlier file back, or begin anew with --fresh" in done.stderr
    )
    command = Command(trees, "--fresh")
    started.append(command)
    code, said = command.end()
    assert code == 0
    assert "the earlier trees.reviewed.conllu is now trees.reviewed.conllu.old" in said
    assert saved.with_name("trees.reviewed.conllu.old").read_bytes() == old
    assert "ruwan" in saved.read_text(encoding="utf-8")


def test_run_review_gold_run_review(tmp_path: Path, started: list[Command]):
    """The whole circle as the README of `proj new` describes it: what was corrected survives new trees."""
    (tmp_path / "t.txt").write_bytes((ROOT / "tutorial" / "turkish.txt").read_bytes())
    (tmp_path / "divproj.toml").write_text('[input]\ntext = "t.txt"\n[report]\npictures = 1\n', encoding="utf-8")
    assert proj("run", cwd=tmp_path).returncode == 0
    trees, saved = tmp_path / "results" / "trees.conllu", tmp_path / "results" / "trees.reviewed.conllu"
    before = [block.initial for block in Document.open(str(trees), Faults()).blocks]
    command = Command(trees)
    started.append(command)
    client = Client(command.url)
    word = next(k for k, head in enumerate(before[1].heads, 1) if head != 1 and k > 1 and before[1].heads[0] != k)
    assert client.edit(1, 0, "head", word=word, head=1)[0] == 200
    for n in range(4):
        assert client.edit(n, int(n == 1), "gold", gold=True)[0] == 200
    command.end()
    corrected = saved.read_text(encoding="utf-8")
    (tmp_path / "divproj.toml").write_text(
        '[input]\ntext = "t.txt"\ngold = "results/trees.reviewed.conllu"\n[report]\npictures = 1\n', encoding="utf-8"
    )
    done = proj("run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert saved.read_text(encoding="utf-8") == corrected
    command = Command(trees)
    started.append(command)
    code, said = command.end()
    assert code == 0
    assert "trees.conllu is new: 4 corrected sentences taken over from the earlier review" in said
    after = [block.initial for block in Document.open(str(saved), Faults()).blocks]
    assert [n for n, state in enumerate(after) if state.gold] == [0, 1, 2, 3]
    assert after[1].heads[word - 1] == 1
    assert proj("run", cwd=tmp_path).returncode == 0


def test_a_text_that_has_changed_is_projected_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Unless its trees are under review: then the review goes on, and a message says so."""
    text, trees = tmp_path / "a.txt", tmp_path / "a.txt.trees.conllu"
    text.write_text("miko\ndog\n'dog'\n", encoding="utf-8")
    projected: list[object] = []
    monkeypatch.setattr(subprocess, "run", lambda words, **_: projected.append(words) or subprocess.CompletedProcess(words, 0))
    for path, seconds in ((trees, 1000), (text, 900)):
        path.touch()
        os.utime(path, (seconds, seconds))
    assert review.ensure_trees(str(text)) == str(trees)
    assert (projected, trees.exists()) == ([], True)
    os.utime(text, (2000, 2000))
    (tmp_path / "a.txt.trees.reviewed.conllu.journal").touch()
    review.ensure_trees(str(text))
    assert (projected, trees.exists()) == ([], True)
    (tmp_path / "a.txt.trees.reviewed.conllu.journal").unlink()
    review.ensure_trees(str(text))
    assert len(projected) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "a.txt.trees.conllu.old"]


def test_what_no_journal_accounts_for_is_not_overwritten(trees: Path, saved: Path):
    saved.write_text("mine", encoding="utf-8")
    assert "is there already, and no journal beside it says how it came about; review it itself" in told(trees)
    assert saved.read_text(encoding="utf-8") == "mine"
    assert told(trees, "-o", trees).endswith("--output would take the place of an input; give another name")


def test_other_names(trees: Path, tmp_path: Path, started: list[Command]):
    packed = tmp_path / "t.conllu.gz"
    packed.write_bytes(gzip.compress(TEXT.encode()))
    for args, out in (((packed,), "t.reviewed.conllu"), ((trees, "-o", "x.conllu.gz"), "x.conllu.gz")):
        command = Command(*args, cwd=tmp_path)
        started.append(command)
        assert command.end()[0] == 0
        data = (tmp_path / out).read_bytes()
        assert (gzip.decompress(data) if out.endswith(".gz") else data) == TEXT.encode()


def test_bad_sentences_are_told_and_kept(tmp_path: Path, started: list[Command]):
    path = tmp_path / "bad.conllu"
    path.write_text("1\tbroken\n\n" + TEXT, encoding="utf-8")
    command = Command(path)
    started.append(command)
    code, said = command.end()
    assert code == 0
    assert "bad.conllu:1: 2 columns, 10 expected" in said
    assert (tmp_path / "bad.reviewed.conllu").read_bytes() == path.read_bytes()
    assert "2 columns, 10 expected" in told(path, "--strict")


def told(*args: object) -> str:
    """The message with which the command ends, without a process of its own."""
    done = CliRunner().invoke(app, ["review", *map(str, args)])
    assert done.exit_code == 1
    assert isinstance(done.exception, ProjError)
    return str(done.exception)


def test_messages(tmp_path: Path, trees: Path):
    assert told(tmp_path / "no.conllu").endswith("no.conllu: no such file")
    assert told(trees, "--system", "s1-r").startswith("system 's1-r' does not learn; choose one of s2-3")
    assert told(trees, "--e", tmp_path / "no.conllu").endswith("no.conllu: no such file")
    assert told(trees, "--source", CORPUS).endswith(f"is in {trees}; their words must be the same")
    assert CliRunner().invoke(app, ["review", "-"]).exit_code == 2


def test_what_there_is_to_learn_with(trees: Path):
    document = Document.open(trees)
    found, said = sentences_to_learn_with(document, Corpus(trees), Preparation(), partial(Faults, strict=False), lambda _: None)
    assert (bool(found), said) == (True, "the translations will be parsed for learning")
    italian = trees.read_text(encoding="utf-8").replace("# text_en", "# text_it")
    for text, told in (
        (italian, "learning will use the glosses alone: no parser is installed for Italian"),
        (re.sub("(?m)^# text_it.*\n", "", italian), "learning will use the glosses alone"),
    ):
        trees.write_text(text, encoding="utf-8")
        inputs, said = sentences_to_learn_with(
            Document.open(trees), Corpus(trees), Preparation(), partial(Faults, strict=False), lambda _: None
        )
        assert (len(inputs.all()), said) == (sum(bool(block.sentence.glosses) for block in document.blocks), told)
    trees.write_text(re.sub(r"Gloss=[^|\n]*", "_", italian), encoding="utf-8")
    document = Document.open(trees)
    found, said = sentences_to_learn_with(document, Corpus(trees), Preparation(), partial(Faults, strict=False), lambda _: None)
    assert not found
    assert said.startswith("only correction is possible: learning needs the trees of the translations (`e=FILE.conllu` or")


@pytest.mark.skipif(pack("fr") is None, reason="the French pack is not installed")
def test_the_language_of_the_translations_is_named(tmp_path: Path):
    """Whether the review parses them or their trees are given, as the workbench gives them."""
    trees, e, links = (tmp_path / name for name in ("trees.conllu", "e.conllu", "links.txt"))
    text = ROOT / "tutorial" / "fr" / "bambara.txt"
    assert proj("project", text, "-o", trees, "--e-out", e, "--links-out", links).returncode == 0
    document = Document.open(trees)
    for corpus, told in (
        (Corpus(trees), "the translations will be parsed for learning, as French (26)"),
        (Corpus(trees, e, links), "26 to learn with, translations in French (26)"),
    ):
        inputs, said = sentences_to_learn_with(document, corpus, Preparation(), partial(Faults, strict=False), lambda _: None)
        assert said == told
        assert {sentence.e_language for sentence in inputs.all().values()} == {"fr"}


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a folder that cannot be written to")
def test_a_read_only_folder(trees: Path):
    trees.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)
    message = told(trees)
    trees.parent.chmod(stat.S_IRWXU)
    assert "the journal cannot be opened: Permission denied" in message


def test_learning_from_corrections(tmp_path: Path, started: list[Command]):
    trees = tmp_path / "trees.conllu"
    assert proj("project", CORPUS, "--system", "s1-r", "-o", trees).returncode == 0
    gold = [
        [(int(row.split("\t")[6]), row.split("\t")[7]) for row in block.split("\n") if row[:1].isdigit()]
        for block in (CORPUS / "f.conllu").read_text(encoding="utf-8").split("\n\n")
    ]
    command = Command(trees, "--e", CORPUS / "e.conllu", "--links", CORPUS / "align.txt", "--system", "s2+")
    started.append(command)
    client = Client(command.url)
    for n in range(12):
        for _ in range(2):
            for word, (head, rel) in enumerate(gold[n], 1):
                version = client.get(f"/api/sentence?n={n}")[1]["version"]
                fields = {"word": word, "head": head, "relation": rel, "fix": True}
                assert client.edit(n, version, "head", **fields)[0] == 200
        version = client.get(f"/api/sentence?n={n}")[1]["version"]
        assert client.edit(n, version, "gold", gold=True)[0] == 200
    assert client.post("/api/learn")[0] == 200
    while (job := client.get("/api/job")[1]["job"])["state"] == "running":
        time.sleep(0.05)
    assert job["state"] == "done", job
    assert job["told"].startswith("checked on 12 gold sentences that it had not seen, learning puts ")
    assert "heads changed in " in job["told"]
    document = client.get("/api/document")[1]
    sure = [document["sentences"][n]["sure"] for n in document["order"][:54]]
    assert sure == sorted(sure)
    code, said = command.end()
    assert code == 0
    assert "66 to learn with" in said
    text = (tmp_path / "trees.reviewed.conllu").read_text(encoding="utf-8")
    assert text.count("# gold = yes") == 12
    assert text.count("# projection = s2+") == 54
    assert text.count("# projection = s1-r") == 12
    document = Document.open(trees)
    found = sentences_to_learn_with(document, Corpus(CORPUS), Preparation(), Faults, lambda _: None)[
        0
    ].all()  # as --source does
    assert sorted(found) == list(range(66))
    assert all(found[n].forms == block.sentence.forms for n, block in enumerate(document.blocks))


KILLS, EDITS = 34, 5000


def any_edit(draw: random.Random, session: Session) -> tuple[str, dict[str, object]]:
    """An edit of any kind, with its path: most can be done, some are refused."""
    n = draw.choice(session.places)
    size = len(session.states[n].heads)
    k, h = draw.randint(1, size), draw.randint(0, size)
    form = session.states[n].rows.forms[k - 1]
    kinds: list[tuple[str, dict[str, object]]] = [
        ("head", {"word": k, "head": h, "fix": draw.random() < 0.7}),
        ("relation", {"word": k, "relation": draw.choice(["obj", "nsubj", "nmod:poss", "dep"])}),
        ("gold", {"gold": draw.random() < 0.7, "fix": True}),
        ("cells", {"word": k, "values": {draw.choice(["lemma", "xpos", "gloss", "note"]): draw.choice(["", "x", "é"])}}),
        ("cells", {"word": k, "values": {"upos": draw.choice(["NOUN", "VERB", "X"]), "feats": draw.choice(["", "Case=Nom"])}}),
        ("comment", {"key": draw.choice(["note", "text_en"]), "text": draw.choice(["", "sic", "I saw it ."])}),
        ("state", {"state": draw.choice(["draft", "corrected", "second", "gold"]), "annotator": "Ana", "fix": True}),
        ("links", {"links": [[k, draw.randint(1, 5)]]}),
        ("split word", {"word": k, "parts": [form[:1], form[1:] or "x"], "token": draw.random() < 0.5}),
        ("join words", {"word": k, "form": ""}),
        ("token", {"word": k, "last": min(size, k + 2), "form": "abc"}),
        ("no token", {"word": k}),
        ("split sentence", {"word": k}),
        ("join sentences", {}),
        ("keep", {}),
        ("take", {"at": 0, "drop": draw.random() < 0.5}),
    ]
    if draw.random() < 0.2:
        return ("/api/undo" if draw.random() < 0.7 else "/api/redo"), {}
    kind, fields = draw.choice(kinds)
    return "/api/edit", {"n": n, "version": session.versions[n], "kind": kind, **fields}


def same_edit(mirror: Review, path: str, fields: dict[str, object]) -> bool:
    """Do to a review of ours what the server is asked for; return whether it could be done."""
    with contextlib.suppress(EditError):
        return POSTS[path](mirror, fields)[0] == 200
    return False


@pytest.mark.long
def test_34_kills_and_5000_edits_of_all_kinds_lose_nothing(trees: Path, tmp_path: Path):
    """Killed at any moment, the next review has every edit that was acknowledged, and at most the one that was on its way."""
    draw = random.Random(7)
    mirror = Review(Session(Document(trees.read_bytes(), str(trees))), tmp_path / "mirror" / "out.conllu")
    mirror.output.parent.mkdir()
    journal, header = trees.with_name("trees.reviewed.conllu.journal"), trees.read_bytes()
    done = waiting = 0
    for kill in range(KILLS):
        command = Command(trees)
        client = Client(command.url)
        last = EDITS * (kill + 1) // KILLS
        timer = threading.Timer(0.0, command.process.kill)
        while True:
            path, fields = any_edit(draw, mirror.session)
            if done >= last and not timer.ident:
                timer = threading.Timer(draw.random() * 0.05, command.process.kill)
                timer.start()
            try:
                status, _ = client.post(path, fields)
            except (OSError, http.client.HTTPException, ValueError):
                break
            assert (status == 200) == same_edit(mirror, path, fields), (path, fields)
            done += 1
        command.end(signal.SIGKILL)
        copy = tmp_path / "copy.journal"
        shutil.copyfile(journal, copy)
        document = Document(header, str(trees))
        reopened = Journal(copy, {"input": trees.name, "sha256": document.digest, "bytes": document.size})
        session = Session(document, reopened)
        reopened.close()
        if session.versions != mirror.session.versions:  # the last edit was on its way: it is there whole
            assert same_edit(mirror, path, fields)
            waiting += 1
        assert session.render() == mirror.session.render()
        assert (session.layout, session.states) == (mirror.session.layout, mirror.session.states)
    mirror.close()
    assert done >= EDITS
    assert not list(trees.parent.glob("*.old*"))


def test_from_a_flex_file_to_a_released_treebank(tmp_path: Path, started: list[Command]):
    """The tutorial's text: projected, every sentence looked at in the review, released, valid for UD."""
    shutil.copyfile(ROOT / "tutorial" / "turkish.flextext", tmp_path / "story.flextext")
    command = Command("story.flextext", cwd=tmp_path)
    started.append(command)
    client = Client(command.url)
    sentences = client.get("/api/document")[1]["file"]
    assert len(sentences) > 20
    for n in sentences:
        view = client.get(f"/api/sentence?n={n}")[1]
        status, answer = client.edit(n, view["version"], "state", state="gold", annotator="Ana", fix=True)
        assert status == 200, answer
    code, said = command.end()
    assert code == 0
    back = "proj convert story.trees.reviewed.conllu story.trees.flextext --into story.flextext"
    reviewed = next(path for path in tmp_path.glob("*.reviewed.conllu"))
    assert f"to write its trees into your file: {back.replace('story.trees.reviewed.conllu', reviewed.name)}" in " ".join(
        said.split()
    )
    values = (
        "since=2.19",
        "license=CC BY-SA 4.0",
        "genre=grammar-examples",
        "contributors=Example, Ana",
        "contact=ana@example.org",
    )
    about = [word for value in values for word in ("--set", value)]
    done = proj("release", reviewed, "--language", "Turkish", "--treebank", "Village", "-o", tmp_path / "release", *about)
    assert done.returncode == 0, done.stderr
    [trees] = (tmp_path / "release").rglob("*-test.conllu")
    text = trees.read_text(encoding="utf-8")
    released = text.count("# sent_id = ")
    assert released > 0.8 * len(sentences), done.stderr
    assert "Proj" not in text
    assert proj("check", trees, "--ud").returncode == 0
    written = proj("convert", reviewed, tmp_path / "back.flextext", "--into", tmp_path / "story.flextext")
    assert written.returncode == 0, written.stderr
    argparser = pytest.importorskip("udtools.argparser", reason="udtools is not installed")
    from udtools.validator import Validator

    validator = Validator(lang="ud", level=3, args=argparser.parse_args_validator(["--lang", "ud", "--level", "3", "--quiet"]))
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert validator.validate_files([str(trees)]).passed()
