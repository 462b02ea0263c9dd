"""The results folder: locks, stages that appear whole, results that a person changed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from divproj import ProjError
from divproj.run.cache import Store, file_digest, tree_digests, versions


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "results")
    with made.lock():
        pass
    return made


def commit(store: Store, stage: str = "read", text: str = "a", parts: object = 1) -> None:
    (store.part(stage) / "out.txt").write_text(text, encoding="utf-8")
    store.commit(stage, {"parts": parts}, {"n": 1}, ["careful"])


def test_a_stage_comes_back(store: Store):
    assert store.done("read") is None
    commit(store)
    found = store.done("read")
    assert found is not None
    assert (found.parts, found.facts, found.warnings) == ({"parts": 1}, {"n": 1}, ("careful",))
    assert store.damage("read", found) == ""
    commit(store, text="b")
    assert (store.at("read") / "out.txt").read_text() == "b"
    assert sorted(p.name for p in store.stages.iterdir()) == ["read"]


def test_damage_is_seen(store: Store):
    commit(store)
    found = store.done("read")
    assert found is not None
    (store.at("read") / "out.txt").write_text("x")
    assert store.damage("read", found) == "out.txt"
    (store.at("read") / "out.txt").unlink()
    assert store.damage("read", found) == "out.txt"
    commit(store)
    (store.at("read") / "more.txt").write_text("x")
    assert store.damage("read", found) == "more.txt"


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 0}', '{"version": 2, "sum": "", "parts": 3, "outputs": {}, "facts": {}}']
)
def test_a_broken_note_is_no_note(store: Store, text: str):
    commit(store)
    (store.at("read") / "done.json").write_text(text)
    assert store.done("read") is None


@pytest.mark.parametrize("change", [('"n": 1', '"n": 2'), ("careful", "careless"), ('"parts": 1', '"parts": 7')])
def test_a_record_that_was_changed_is_no_record(store: Store, change: tuple[str, str]):
    commit(store)
    path = store.at("read") / "done.json"
    text = path.read_text()
    assert change[0] in text
    path.write_text(text.replace(*change))
    assert store.done("read") is None


def test_odd_names_in_a_record_are_read_as_written(store: Store):
    (store.part("read") / "out.txt").write_text("a")
    store.commit("read", {"file": "a\udc80"}, {"of": "b\udcff"}, ["c\udc81"])
    record = store.done("read")
    assert record is not None
    assert (record.parts, record.facts, record.warnings) == ({"file": "a\udc80"}, {"of": "b\udcff"}, ("c\udc81",))


def test_what_was_cut_off_is_swept(store: Store):
    (store.part("read") / "half").write_text("x")
    (store.stages / ".read.old").mkdir()
    (store.folder / ".trees.conllu.part").write_text("x")
    with store.lock():
        assert [p.name for p in store.stages.iterdir()] == []
        assert not (store.folder / ".trees.conllu.part").exists()


def test_one_at_a_time(store: Store):
    other = Store(store.folder)
    told = rf"another run is at work here \(process {os.getpid()}\); wait for it, or give other"
    with store.lock(), pytest.raises(ProjError, match=told), other.lock():
        pass
    with other.lock():
        pass


def test_a_folder_with_other_things_is_refused(tmp_path: Path):
    (tmp_path / "thesis.tex").touch()
    with (
        pytest.raises(ProjError, match=r"the folder holds other things \(thesis.tex\); give the results a new folder"),
        Store(tmp_path).lock(),
    ):
        pass
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_folder_that_cannot_be_made(tmp_path: Path):
    (tmp_path / "file").touch()
    told = "could not be written: Not a directory; is there room, and may you write here"
    with pytest.raises(ProjError, match=told), Store(tmp_path / "file" / "results").lock():
        pass


def test_a_full_disk_ends_with_a_message(store: Store):
    with pytest.raises(ProjError, match="could not be written: No space left on device"), store.lock():
        raise OSError(28, "No space left on device")


def publish(store: Store, **texts: str) -> list[str]:
    made = {}
    for name, text in texts.items():
        path = store.stages / f"source-{name}"
        path.write_text(text)
        made[f"{name}.txt"] = path
    return store.publish(made)


def test_publishing(store: Store):
    assert publish(store, a="1", b="2") == []
    assert (store.path("a.txt").read_text(), store.path("b.txt").read_text()) == ("1", "2")
    assert publish(store, a="3") == []
    assert store.path("a.txt").read_text() == "3"
    assert not store.path("b.txt").exists()


@pytest.mark.parametrize("is_folder", [False, True])
def test_publishing_on_a_full_disk_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch, is_folder: bool):
    part = store.part("draw")
    (part / "pages").mkdir()
    for name in ("page.html", "pages/1.html", "pages/2.html"):
        (part / name).write_text(name)

    def full(source: str | Path, target: str | Path) -> None:
        Path(target).write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copyfile", full)
    name = "pages" if is_folder else "page.html"
    with pytest.raises(OSError, match="No space left on device"):
        store.publish({name: part / name})
    assert not [path for path in store.folder.iterdir() if "page" in path.name]


def test_what_a_person_changed_is_kept(store: Store):
    publish(store, a="1", b="2")
    store.path("a.txt").write_text("mine")
    store.path("b.txt").write_text("mine too")
    assert publish(store, a="1") == ["a.yours-1.txt", "b.yours-1.txt"]
    assert store.path("a.txt").read_text() == "1"
    assert store.path("a.yours-1.txt").read_text() == "mine"
    assert store.path("b.yours-1.txt").read_text() == "mine too"
    store.path("a.txt").write_text("mine again")
    assert publish(store, a="1") == ["a.yours-2.txt"]


def test_folders_are_published(store: Store):
    source = store.stages / "model"
    source.mkdir()
    (source / "model.json").write_text("1")
    store.publish({"model": source})
    (source / "model.json").write_text("2")
    store.publish({"model": source})
    assert (store.path("model") / "model.json").read_text() == "2"
    store.publish({})
    assert not store.path("model").exists()


def test_names_in_a_tampered_list_do_not_lead_out(store: Store, tmp_path: Path):
    victim = tmp_path / "victim.txt"
    victim.write_text("x")
    digest = file_digest(victim)
    (store.stages / "published.json").write_text(
        json.dumps({"../victim.txt": [digest], ".lock": [digest], "": [digest], "..": [digest]})
    )
    publish(store, a="1")
    assert victim.exists()
    (store.stages / "published.json").write_text("[1]")
    assert publish(store, a="1") == []


def test_a_stage_is_dropped(store: Store):
    store.drop("read")
    commit(store)
    store.drop("read")
    assert not store.at("read").exists()


def test_digests(tmp_path: Path):
    (tmp_path / "a").write_text("x")
    assert list(tree_digests(tmp_path)) == ["a"]
    with pytest.raises(ProjError, match="cannot be read: No such file"):
        file_digest(tmp_path / "b")
    assert set(versions()) == {"divproj", "numba", "numpy", "scipy"}
