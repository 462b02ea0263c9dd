"""Where text goes: through links, devices and pipes, and whole or not at all to plain files; what killed runs left is removed."""

from __future__ import annotations

import os
import stat
import threading

import pytest

from divproj.core.errors import ProjError
from divproj.io.files import reading, writing
from divproj.runtime.leftovers import new_folder, new_part


def test_links_stay_and_their_targets_are_written(tmp_path):
    (tmp_path / "real").write_text("old")
    for link, target in (("link", "real"), ("dangling", "new")):
        (tmp_path / link).symlink_to(tmp_path / target)
        with writing(tmp_path / link) as out:
            out.write("words\n")
        assert (tmp_path / link).is_symlink()
        assert (tmp_path / target).read_text() == "words\n"
    assert sorted(os.listdir(tmp_path)) == ["dangling", "link", "new", "real"]


def test_a_pipe_gets_the_text(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    got = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    with writing(tmp_path / "pipe") as out:
        out.write("words\n")
    reader.join()
    assert got == [b"words\n"]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such devices here")
def test_devices_stay_devices():
    with writing("/dev/null") as out:
        out.write("words\n")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with (
        pytest.raises(ProjError, match="/dev/full: could not be written: No space left on device"),
        writing("/dev/full") as out,
    ):
        out.write("words\n")


def test_what_is_no_character_is_escaped(tmp_path):
    with writing(tmp_path / "out.gz") as out:
        out.write("caf\u00e9 \udcff\n")
    with reading(tmp_path / "out.gz") as stream:
        assert stream.read() == "café \\udcff\n".encode()


def test_only_errors_of_the_file_are_its_own(tmp_path):
    with pytest.raises(OSError, match="of something else") as error, writing(tmp_path / "out"):
        raise OSError("of something else")
    assert not isinstance(error.value, ProjError)
    assert os.listdir(tmp_path) == []


def test_what_a_killed_run_left_is_removed(tmp_path):
    (tmp_path / ".out.abcd_123.part").write_text("half")
    (tmp_path / ".other.abcd_123.part").write_text("of another output")
    with writing(tmp_path / "out") as out, writing(tmp_path / "out") as second:  # a run at the same time is left alone
        out.write("one")
        second.write("two")
        assert len(list(tmp_path.glob(".out.*.part"))) == 2
    assert (tmp_path / "out").read_text() == "one"
    assert sorted(os.listdir(tmp_path)) == [".other.abcd_123.part", "out"]


def test_names_as_long_as_file_systems_allow(tmp_path):
    """The file in the making must have a name too, and be found by the next run if this one is killed."""
    for name in ("x" * 255, "é" * 127):
        handle, left = new_part(tmp_path / name)
        os.close(handle)
        assert left.exists()
        with writing(tmp_path / name) as out:
            out.write("words\n")
        assert (tmp_path / name).read_text() == "words\n"
    assert sorted(os.listdir(tmp_path)) == sorted(("x" * 255, "é" * 127))


def test_folders_too(tmp_path):
    (tmp_path / ".model.abcd_123.part").mkdir()
    (tmp_path / ".model.abcd_123.part" / "weights.npz").write_text("half")
    with new_folder(tmp_path, ".model.", mode=0o700) as own:
        assert os.listdir(tmp_path) == [own.name]
        with new_folder(tmp_path, ".model.") as other:
            assert own.is_dir()
            assert other.is_dir()
    assert os.listdir(tmp_path) == []


def test_a_part_that_is_cleaned_away_too_early_is_made_again(tmp_path, monkeypatch):
    from divproj.runtime import leftovers

    calls = []

    def locked(handle):
        calls.append(handle)
        if len(calls) == 1:
            for path in tmp_path.iterdir():
                path.unlink()
        return True

    monkeypatch.setattr(leftovers, "try_lock", locked)
    handle, part = new_part(tmp_path / "out")
    os.close(handle)
    assert part.exists()


def test_standard_input_that_is_closed(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(ProjError, match="<stdin>: standard input is closed; give a file"), reading("-"):
        pass
