"""`Checkpoint`: what is written when, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from toybank import TREEBANK

from divproj import ModelError
from divproj.links.word_direction import Settings
from divproj.links.word_model import WordAligner
from divproj.parsing.language import Language
from divproj.runtime.checkpoint import NOTHING, Checkpoint, checksum
from divproj.runtime.modelfile import read_arrays, write_arrays

PAIRS = [(f"f{k % 3} f{k % 5} x".split(), f"e{k % 3} e{k % 5} y".split()) for k in range(30)]


def arrays(value: float = 1.0) -> dict[str, np.ndarray]:
    return {"a": np.full(3, value), "b": np.full((2, 2), 7, np.int32)}


def kept(folder: Path, *facts: object, **options: object) -> Checkpoint:
    made = Checkpoint(folder, **options)
    made.identify(*facts)
    return made


def test_what_was_kept_comes_back_into_the_same_arrays(tmp_path: Path):
    kept(tmp_path / "c", "data", seconds=0).offer("part", arrays(5.0))
    again = kept(tmp_path / "c", "data", resume=True)
    assert again.there
    mine = arrays(0.0)
    assert again.restore("part", mine)
    assert mine["a"].tolist() == [5.0] * 3
    assert not again.restore("other", mine)
    again.remove()
    assert not (tmp_path / "c").exists()


def test_short_work_writes_nothing(tmp_path: Path):
    short = kept(tmp_path / "c", "data")
    short.offer("part", arrays())
    short.finish("whole", arrays())
    short.remove()
    assert not (tmp_path / "c").exists()


def test_finished_parts_are_written_with_the_next_that_is_due(tmp_path: Path):
    made = kept(tmp_path / "c", "data")
    made.finish("early", arrays())
    made.seconds = 0
    made.offer("late", arrays())
    assert sorted(path.name for path in (tmp_path / "c").iterdir()) == ["early.npz", "late.npz"]


def test_nothing_without_a_folder_and_without_resume(tmp_path: Path):
    NOTHING.finish("part", arrays())
    NOTHING.remove()
    assert not NOTHING.there
    assert not NOTHING.restore("part", arrays())
    kept(tmp_path, "data", seconds=0).offer("part", arrays())
    assert not kept(tmp_path, "data").restore("part", arrays())


def test_a_new_run_replaces_what_an_old_one_left(tmp_path: Path):
    kept(tmp_path / "c", "old", seconds=0).offer("part", arrays())
    kept(tmp_path / "c", "new", seconds=0).offer("other", arrays())
    assert [path.name for path in (tmp_path / "c").iterdir()] == ["other.npz"]


def test_other_data_or_settings(tmp_path: Path):
    for facts in (("data", 1), (np.arange(3), 1), (np.arange(3), 2)):
        kept(tmp_path, *facts, seconds=0).offer("part", arrays())
        assert kept(tmp_path, *facts, resume=True).restore("part", arrays())
        with pytest.raises(
            ModelError, match=r"part\.npz: the checkpoint is of other data or other settings; give the same ones"
        ):
            kept(tmp_path, *facts, "more", resume=True).restore("part", arrays())


def test_broken(tmp_path: Path):
    kept(tmp_path, "data", seconds=0).offer("part", arrays())
    again = kept(tmp_path, "data", resume=True)
    with pytest.raises(ModelError, match="a broken checkpoint: array 'c'; start without `resume`"):
        again.restore("part", {"c": np.zeros(1)})
    with pytest.raises(ModelError, match="a broken checkpoint: array 'a'"):
        again.restore("part", {"a": np.zeros(4)})
    write_arrays(tmp_path / "part.npz", {"a": np.zeros(1 << 18)})
    with pytest.raises(ModelError, match="unpacks to more than 1 MB"):
        again.restore("part", arrays())
    (tmp_path / "part.npz").write_bytes(b"PK\3\4 and no more")
    with pytest.raises(ModelError, match="cannot be read"):
        again.restore("part", arrays())


def test_a_full_disk_ends_no_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    said: list[str] = []
    made = kept(tmp_path / "c", "data", seconds=0, tell=said.append)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("divproj.runtime.checkpoint.write_arrays", full)
    made.offer("part", arrays())
    made.offer("part", arrays())
    assert said == [f"no checkpoint in {tmp_path / 'c'}: No space left on device; the work goes on without"]
    assert list((tmp_path / "c").iterdir()) == []


def test_a_disk_that_fills_up_leaves_no_checkpoint_of_finished_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The first part was written, the second was not: both are gone when the work is done."""
    work = kept(tmp_path / "c", "data", seconds=0)
    work.offer("first", arrays())

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("divproj.runtime.checkpoint.write_arrays", full)
    work.offer("second", arrays())
    assert [path.name for path in (tmp_path / "c").iterdir()] == ["first.npz"]
    work.remove()
    assert not (tmp_path / "c").exists()


def forge(path: Path, identity: str, found: dict[str, np.ndarray]) -> None:
    """A checkpoint that says it is what it is not."""
    rest = {name: array for name, array in found.items() if name not in ("identity", "sum")}
    write_arrays(path, {**rest, "identity": np.array(identity), "sum": np.array(checksum(rest))})


def test_changed_bytes(tmp_path: Path):
    made = kept(tmp_path, "data", seconds=0)
    made.offer("part", arrays())
    write_arrays(tmp_path / "part.npz", {**read_arrays(tmp_path / "part.npz"), "a": np.zeros(3)})
    with pytest.raises(ModelError, match=r"part\.npz: a broken checkpoint: its bytes have changed; start without `resume`"):
        kept(tmp_path, "data", resume=True).restore("part", arrays())


def test_arrays_of_any_type_have_a_checksum():
    for array in (np.array(["2026-11-16"], "M8[D]"), np.array("text"), np.zeros((2, 0)), np.array([1j]), np.array([True])):
        assert checksum({"a": array}) == checksum({"a": array.copy()}) != checksum({"b": array})


class Death(Exception):
    pass


def test_sampling_goes_on_where_it_was(tmp_path: Path):
    def aligner() -> WordAligner:
        return WordAligner(settings=Settings(chains=2, sweeps=20))

    told: list[int] = []

    def dies(stage: str, turn: int, _: float) -> None:
        told.append(turn)
        if stage == "sampling" and turn == 30:
            raise Death

    whole = aligner().fit_align(PAIRS)
    with pytest.raises(Death):
        aligner().fit_align(PAIRS, watch=dies, checkpoint=Checkpoint(tmp_path, seconds=0))
    again: list[tuple[str, int]] = []
    resumed = Checkpoint(tmp_path, resume=True)
    linked = aligner().fit_align(PAIRS, watch=lambda stage, turn, _: again.append((stage, turn)), checkpoint=resumed)
    assert linked == whole
    assert sorted(again) == [("sampling", 30), ("sampling", 30), ("sampling", 40), ("sampling", 40)]
    identity = resumed.identity
    with pytest.raises(ModelError, match="the checkpoint is of other data or other settings"):
        aligner().fit_align(PAIRS[:-1], checkpoint=Checkpoint(tmp_path, resume=True))
    with pytest.raises(ModelError, match="the checkpoint is of other data or other settings"):
        aligner().fit_align(PAIRS, {("x", "y"): 3.0}, checkpoint=Checkpoint(tmp_path, resume=True))
    found = read_arrays(tmp_path / "forward.npz")
    forge(tmp_path / "forward.npz", identity, {**found, "links": found["links"] + 9})
    with pytest.raises(ModelError, match="a broken checkpoint: links or sweeps that cannot be"):
        aligner().fit_align(PAIRS, checkpoint=Checkpoint(tmp_path, resume=True))


@pytest.mark.parametrize("sweeps", [3, 10, 14, 20])
def test_few_sweeps_are_not_all_burnt(sweeps: int):
    """As for a large text: some sweeps are kept, so that links have probabilities between 0 and 1."""
    found = WordAligner(settings=Settings(chains=1, sweeps=sweeps, burn_in=2)).fit_align(PAIRS)
    assert any(0 < chance < 0.999 for linked in found for chance in linked.probabilities.values())


def test_training_goes_on_where_it_was(tmp_path: Path):
    options = {"bits": 12, "epochs": 3}
    Language.train(TREEBANK, dev=TREEBANK, **options).save(tmp_path / "whole")

    def dies(stage: str, state: object) -> None:
        if getattr(state, "epoch", 0) == 2:
            raise Death

    with pytest.raises(Death):
        Language.train(TREEBANK, dev=TREEBANK, progress=dies, checkpoint=Checkpoint(tmp_path / "c", seconds=0), **options)
    stages: list[object] = []
    again = Checkpoint(tmp_path / "c", resume=True)
    made = Language.train(TREEBANK, dev=TREEBANK, progress=lambda _, state: stages.append(state), checkpoint=again, **options)
    made.save(tmp_path / "resumed")
    assert [getattr(state, "epoch", None) for state in stages if state] == [2, 3]
    for name in ("model.json", "weights.npz"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "resumed" / name).read_bytes()
    identity = np.array(again.identity)
    with pytest.raises(ModelError, match=r"tagger\.npz: the checkpoint is of other data or other settings"):
        Language.train(TREEBANK[1:], dev=TREEBANK, checkpoint=again, **options)
    for part, some, why in (
        ("tagger", {"meta": np.array("[]")}, "a broken checkpoint: 'list' object has no attribute 'get'"),
        ("parser-edges", None, "a broken checkpoint: 9 passes of 3"),
    ):
        found = some or {**read_arrays(tmp_path / "c" / f"{part}.npz"), "passes": np.array([9])}
        forge(tmp_path / "c" / f"{part}.npz", str(identity), found)
        with pytest.raises(ModelError, match=why):
            Language.train(TREEBANK, dev=TREEBANK, checkpoint=Checkpoint(tmp_path / "c", resume=True), **options)
        (tmp_path / "c" / "tagger.npz").unlink(missing_ok=True)
