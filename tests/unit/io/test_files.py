"""Reading and writing: gzip, standard streams, whole files or none."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import stat
import sys

import pytest

from divproj import ProjError
from divproj.io.files import name_of, reading, writing

PLAIN = "Grüße, 世界\n".encode()


@pytest.fixture
def stdin(monkeypatch):
    def put(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))

    return put


def read(source, digest=None) -> bytes:
    with reading(source, digest) as stream:
        return stream.read()


def folder_is_clean(folder, *names) -> bool:
    return sorted(os.listdir(folder)) == sorted(names)


class TestReading:
    def test_plain_and_gzip(self, tmp_path):
        (tmp_path / "a.txt").write_bytes(PLAIN)
        (tmp_path / "b.gz").write_bytes(gzip.compress(PLAIN))
        (tmp_path / "c.txt").write_bytes(gzip.compress(PLAIN))
        assert read(tmp_path / "a.txt") == read(str(tmp_path / "b.gz")) == read(tmp_path / "c.txt") == PLAIN

    def test_a_gz_name_does_not_make_gzip(self, tmp_path):
        (tmp_path / "a.gz").write_bytes(PLAIN)
        assert read(tmp_path / "a.gz") == PLAIN

    def test_several_gzip_members(self, tmp_path):
        (tmp_path / "a.gz").write_bytes(gzip.compress(PLAIN) * 2)
        assert read(tmp_path / "a.gz") == PLAIN * 2

    def test_standard_input(self, stdin):
        stdin(PLAIN)
        assert read("-") == PLAIN
        stdin(gzip.compress(PLAIN))
        assert read("-") == PLAIN

    def test_empty(self, tmp_path, stdin):
        (tmp_path / "a").touch()
        stdin(b"")
        assert read(tmp_path / "a") == read("-") == b""

    def test_names(self, tmp_path):
        assert name_of("-") == "<stdin>"
        assert name_of("a/b") == "a/b"
        assert name_of(tmp_path) == str(tmp_path)

    @pytest.mark.parametrize("pack", [bytes, gzip.compress])
    def test_digest_sees_all_bytes_unzipped(self, tmp_path, pack):
        text = PLAIN * 100_000  # more than one buffer
        (tmp_path / "a").write_bytes(pack(text))
        digest = hashlib.sha256()
        assert read(tmp_path / "a", digest) == text
        assert digest.hexdigest() == hashlib.sha256(text).hexdigest()


class TestCannotRead:
    def message(self, source) -> str:
        with pytest.raises(ProjError) as caught:
            read(source)
        return str(caught.value)

    def test_missing(self, tmp_path):
        assert self.message(tmp_path / "none") == f"{tmp_path / 'none'}: no such file"

    def test_folder(self, tmp_path):
        assert self.message(tmp_path) == f"{tmp_path}: this is a folder, a file was expected"

    def test_below_a_file(self, tmp_path):
        (tmp_path / "a").touch()
        assert self.message(tmp_path / "a" / "b") == f"{tmp_path / 'a' / 'b'}: cannot be opened: Not a directory"

    def test_truncated_gzip(self, tmp_path):
        (tmp_path / "a.gz").write_bytes(gzip.compress(os.urandom(5000))[:-100])
        told = self.message(tmp_path / "a.gz")
        assert told.startswith(f"{tmp_path / 'a.gz'}: broken gzip data: ")
        assert told.endswith("; unpack it or fetch it again")

    def test_gzip_with_a_wrong_checksum(self, tmp_path):
        data = bytearray(gzip.compress(PLAIN))
        data[-6] ^= 1
        (tmp_path / "a.gz").write_bytes(data)
        assert ": broken gzip data: " in self.message(tmp_path / "a.gz")

    def test_gzip_damaged_inside(self, tmp_path):
        """zlib has an error of its own for this."""
        data = bytearray(gzip.compress(PLAIN))
        data[10] = 0xFF  # no such kind of block
        (tmp_path / "a.gz").write_bytes(data)
        assert ": broken gzip data: " in self.message(tmp_path / "a.gz")


class TestWriting:
    def write_half(self, target, error: BaseException) -> None:
        with writing(target) as out:
            out.write("half")
            raise error

    @pytest.mark.parametrize("name", ["new.txt", "new.txt.gz"])
    def test_there_and_back(self, tmp_path, name):
        with writing(tmp_path / name) as out:
            out.write(PLAIN.decode())
        assert read(tmp_path / name) == PLAIN
        assert folder_is_clean(tmp_path, name)

    def test_gzip_by_name(self, tmp_path):
        with writing(tmp_path / "a.gz") as out:
            out.write("a")
        assert (tmp_path / "a.gz").read_bytes()[:2] == b"\x1f\x8b"

    def test_the_same_text_gives_the_same_bytes(self, tmp_path):
        for name in ("a.gz", "b.gz"):
            with writing(tmp_path / name) as out:
                out.write("the same")
        assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()

    def test_line_ends_stay(self, tmp_path):
        with writing(tmp_path / "a") as out:
            out.write("a\nb\r\n")
        assert read(tmp_path / "a") == b"a\nb\r\n"

    def test_standard_output(self, capsys):
        with writing("-") as out:
            out.write("data")
        assert capsys.readouterr().out == "data"

    def test_nothing_is_there_before_the_end(self, tmp_path):
        (tmp_path / "a").write_text("old")
        with writing(tmp_path / "a") as out:
            out.write("new")
            out.flush()
            assert (tmp_path / "a").read_text() == "old"
        assert (tmp_path / "a").read_text() == "new"

    @pytest.mark.parametrize("error", [ValueError, ProjError, KeyboardInterrupt, SystemExit])
    @pytest.mark.parametrize("name", ["a.txt", "a.gz"])
    def test_failure_leaves_the_old_file(self, tmp_path, error, name):
        (tmp_path / name).write_text("old")
        with pytest.raises(error):
            self.write_half(tmp_path / name, error("stop"))
        assert (tmp_path / name).read_text() == "old"
        assert folder_is_clean(tmp_path, name)

    def test_failure_leaves_no_new_file(self, tmp_path):
        with pytest.raises(ValueError, match="stop"):
            self.write_half(tmp_path / "a", ValueError("stop"))
        assert folder_is_clean(tmp_path)

    def test_an_error_of_the_block_is_its_own(self, tmp_path):
        """A full disk: see `test_outputs`."""
        (tmp_path / "a").write_text("old")
        with pytest.raises(OSError, match="No such device"), writing(tmp_path / "a"):
            raise OSError(19, "No such device")
        assert (tmp_path / "a").read_text() == "old"
        assert folder_is_clean(tmp_path, "a")

    def test_target_is_a_folder(self, tmp_path):
        (tmp_path / "a").mkdir()
        with pytest.raises(ProjError) as caught, writing(tmp_path / "a") as out:
            out.write("x")
        assert str(caught.value) == f"{tmp_path / 'a'}: cannot write here: Is a directory"
        assert folder_is_clean(tmp_path, "a")

    def test_no_such_folder(self, tmp_path):
        target = tmp_path / "none" / "a"
        with pytest.raises(ProjError) as caught, writing(target):
            pass
        assert str(caught.value) == f"{target}: cannot write here: No such file or directory"

    def test_permissions(self, tmp_path):
        """A new file is as open as any the user makes, an old one stays as it was."""
        (tmp_path / "usual").touch()
        (tmp_path / "old").touch(mode=0o600)
        for name in ("new", "old"):
            with writing(tmp_path / name):
                pass
        usual, new, old = (stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("usual", "new", "old"))
        assert (new, old) == (usual, 0o600)
