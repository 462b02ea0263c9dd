"""Models on disk: written whole, read with distrust."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from divproj.core.errors import ModelError
from divproj.runtime import modelfile

KIND = "toy-model"
ARRAYS = {"weights": np.arange(6, dtype=np.float32).reshape(2, 3), "names": np.array([1, 2, 3], np.int8)}


@pytest.fixture
def model(tmp_path):
    """A folder with a good model."""
    modelfile.save(tmp_path / "model", KIND, 3, {"name": "toy", "size": 4, "sure": True}, ARRAYS)
    return tmp_path / "model"


def refused(folder, **options):
    """The message with which a model is refused."""
    with pytest.raises(ModelError) as error:
        modelfile.load(folder, options.get("kind", KIND), options.get("version", 3))
    assert error.value.__cause__ is None
    return str(error.value)


def npy(data):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, data)
    return stream.getvalue()


def pack(folder, **entries):
    """Put other things into the arrays' file."""
    with zipfile.ZipFile(folder / "weights.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(f"{name}.npy", data)


class TestSave:
    def test_there_and_back(self, model):
        found = modelfile.load(model, KIND, 3)
        assert found.kind == KIND
        assert found.about == {"format": KIND, "version": 3, "name": "toy", "size": 4, "sure": True}
        assert found.arrays.keys() == ARRAYS.keys()
        for name, array in ARRAYS.items():
            assert found.arrays[name].dtype == array.dtype
            assert found.arrays[name].tolist() == array.tolist()
        assert sorted(path.name for path in model.iterdir()) == ["model.json", "weights.npz"]
        assert list(model.parent.iterdir()) == [model], "nothing is left beside it"

    def test_the_same_bytes_every_time(self, model, tmp_path):
        modelfile.save(
            tmp_path / "again", KIND, 3, {"sure": True, "size": 4, "name": "toy"}, dict(reversed(list(ARRAYS.items())))
        )
        for name in ("model.json", "weights.npz"):
            assert (tmp_path / "again" / name).read_bytes() == (model / name).read_bytes()

    def test_folders_on_the_way_are_made(self, tmp_path):
        modelfile.save(tmp_path / "a" / "b" / "model", KIND, 1, {}, {})
        assert modelfile.load(tmp_path / "a" / "b" / "model", KIND, 1).arrays == {}

    def test_a_model_takes_the_place_of_another(self, model):
        (model / "README.md").write_text("kept")
        modelfile.save(model, KIND, 4, {}, {})
        assert modelfile.load(model, KIND, 4).about == {"format": KIND, "version": 4}
        assert (model / "README.md").read_text() == "kept"

    def test_other_things_are_not_written_over(self, tmp_path):
        (tmp_path / "thesis").mkdir()
        (tmp_path / "thesis" / "chapter1.tex").write_text("…")
        with pytest.raises(ModelError, match=r"thesis: the folder holds other things \(chapter1.tex\); give a new folder"):
            modelfile.save(tmp_path / "thesis", KIND, 1, {}, {})
        (tmp_path / "file").write_text("…")
        with pytest.raises(ModelError, match="file: is a file, a folder expected; models are folders"):
            modelfile.save(tmp_path / "file", KIND, 1, {}, {})
        assert (tmp_path / "file").read_text() == "…"

    def test_what_fails_half_way_leaves_the_old_model(self, model):
        before = {path.name: path.read_bytes() for path in model.iterdir()}
        with pytest.raises(ValueError, match="Object arrays cannot be saved"):
            modelfile.save(model, KIND, 4, {}, {"bad": np.array([{}], dtype=object)})
        with pytest.raises(TypeError):
            modelfile.save(model, KIND, 4, {"bad": object()}, {})
        assert {path.name: path.read_bytes() for path in model.iterdir()} == before
        assert list(model.parent.iterdir()) == [model]


class TestRefused:
    def test_no_folder(self, tmp_path):
        assert refused(tmp_path / "none").endswith("none: is not there; a model is a folder: give its name")
        (tmp_path / "file").write_text("…")
        assert refused(tmp_path / "file").endswith("file: is a file; a model is a folder: give its name")

    @pytest.mark.parametrize("name", ["model.json", "weights.npz"])
    def test_a_missing_file(self, model, name):
        (model / name).unlink()
        assert refused(model).endswith(f"{name}: is missing; is this the folder of a model?")

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("", "cannot be read: Expecting value"),
            ("{", "cannot be read: Expecting property name"),
            ("[" * 100_000, "cannot be read: nested too deeply"),
            ("null", f"format is None, '{KIND}' expected"),
            ("[1]", "format is [1]"),
            ('{"format": "other"}', f"format is 'other', '{KIND}' expected"),
            ('{"version": 3}', "format is None"),
        ],
    )
    def test_a_meta_file_that_is_none(self, model, text, why):
        (model / "model.json").write_text(text)
        assert f"model.json: {why}" in refused(model)

    def test_a_meta_file_that_is_not_text(self, model):
        (model / "model.json").write_bytes(b"\xff\xfe")
        assert "model.json: cannot be read: 'utf-8' codec" in refused(model)

    @pytest.mark.parametrize("version", [2, "3", None, 3.5])
    def test_another_version(self, model, version):
        about = json.loads((model / "model.json").read_text()) | {"version": version}
        (model / "model.json").write_text(json.dumps(about))
        assert f"model.json: version is {version!r}, 3 expected; train it again with this version" in refused(model)

    def test_truncated_arrays(self, model):
        whole = (model / "weights.npz").read_bytes()
        for size in (0, 1, 20, len(whole) // 2, len(whole) - 1):
            (model / "weights.npz").write_bytes(whole[:size])
            assert "weights.npz: cannot be read: " in refused(model)
            assert refused(model).endswith(modelfile.REMEDY)

    def test_not_an_archive(self, model):
        (model / "weights.npz").write_bytes(npy(np.zeros(3)))
        assert "weights.npz: cannot be read: File is not a zip file" in refused(model)

    def test_pickled_objects(self, model):
        stream = io.BytesIO()
        np.lib.format.write_array(stream, np.array([{"a": 1}], dtype=object), allow_pickle=True)
        pack(model, weights=stream.getvalue())
        assert "weights.npz: cannot be read: Object arrays cannot be loaded when allow_pickle=False" in refused(model)

    def test_more_than_memory_should_hold(self, model, monkeypatch):
        monkeypatch.setattr(modelfile, "LARGEST", 1 << 20)
        pack(model, weights=npy(np.zeros(1 << 20, np.int8)))
        assert (model / "weights.npz").stat().st_size < 5000
        assert "weights.npz: unpacks to more than" in refused(model)

    def test_a_header_that_asks_for_more_than_there_is(self, model):
        for shape in ("99999999999", "9" * 30, "-1", "7"):
            data = npy(np.zeros(5)).replace(b"(5,),", f"({shape},),".encode().ljust(5))
            pack(model, weights=data)
            assert "weights.npz: cannot be read: " in refused(model)

    def test_whatever_is_damaged_is_said(self, model):
        """Bytes changed at random, in the archive and in an array of it: a model or a message, no other error."""
        chance = random.Random(1)
        whole, header = (model / "weights.npz").read_bytes(), npy(np.arange(5.0))
        said = 0
        for turn in range(300):
            data = bytearray(whole if turn % 2 else header)
            for _ in range(chance.choice((1, 2, 5))):
                data[chance.randrange(len(data) if turn % 2 else 120)] = chance.choice(b"\x00\x01\xff0(['{,:\n9O")
            if turn % 2:
                (model / "weights.npz").write_bytes(data)
            else:
                pack(model, weights=bytes(data))
            try:
                modelfile.load(model, KIND, 3)
            except ModelError:
                said += 1
        assert said > 100


class TestLookedUp:
    """Arrays and facts of a model that was read."""

    def found(self, model, **arrays):
        loaded = modelfile.load(model, KIND, 3)
        return modelfile.ModelFolder(loaded.kind, loaded.about, {**loaded.arrays, **arrays}, loaded.where)

    def test_an_array_of_the_right_kind(self, model):
        found = self.found(model)
        assert found.array("weights", "f", 2, 3).tolist() == ARRAYS["weights"].tolist()
        assert found.array("weights", "fi", None, 3).shape == (2, 3)
        assert found.array("names", "i", None).tolist() == [1, 2, 3]

    @pytest.mark.parametrize(
        ("asked", "why"),
        [
            (("others", "f", 2), "weights.npz has no array 'others'"),
            (("weights", "i", 2, 3), "array 'weights' is of type float32"),
            (("weights", "f", 3, 2), "array 'weights' has shape (2, 3), 3 × 2 expected"),
            (("weights", "f", None), "array 'weights' has shape (2, 3), any expected"),
            (("weights", "f", 2, 3, 1), "array 'weights' has shape (2, 3), 2 × 3 × 1 expected"),
        ],
    )
    def test_an_array_that_does_not_fit(self, model, asked, why):
        with pytest.raises(ModelError) as error:
            self.found(model).array(*asked)
        assert str(error.value) == f"{model}: {why}; {modelfile.REMEDY}"

    @pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
    def test_numbers_that_are_none(self, model, number):
        found = self.found(model, bad=np.array([0.0, number], np.float32))
        with pytest.raises(ModelError, match="array 'bad' has numbers that are not finite"):
            found.array("bad", "f", None)

    def test_facts(self, model):
        found = self.found(model)
        assert found.fact("size", int) == 4
        assert found.fact("sure", bool) is True
        assert found.fact("name", (int, str)) == "toy"

    @pytest.mark.parametrize(
        ("name", "kind", "why"),
        [
            ("none", int, "'none' is None, int expected"),
            ("name", int, "'name' is 'toy', int expected"),
            ("sure", int, "'sure' is True, int expected"),
            ("name", (int, float), "'name' is 'toy', int or float expected"),
        ],
    )
    def test_facts_that_are_none(self, model, name, kind, why):
        with pytest.raises(ModelError) as error:
            self.found(model).fact(name, kind)
        assert str(error.value) == f"{model}/model.json: {why}; {modelfile.REMEDY}"


class TestQuantised:
    def test_weights_come_back_nearly(self):
        weights = np.random.default_rng(0).normal(size=5000).astype(np.float32)
        small, unit = modelfile.quantise(weights, clip=1.0)
        assert small.dtype == np.int8
        assert np.abs(small * unit - weights).max() <= unit / 2 + 1e-6

    def test_outliers_are_cut(self):
        weights = np.ones(100_000, np.float32)
        weights[:3] = 50.0
        small, unit = modelfile.quantise(weights)
        assert unit == pytest.approx(1 / 127)
        assert small.max() == 127

    @pytest.mark.parametrize("weights", [np.zeros(4, np.float32), np.zeros((0,), np.float32)])
    def test_nothing_stays_nothing(self, weights):
        small, unit = modelfile.quantise(weights)
        assert not small.any()
        assert unit > 0


def test_many_write_and_read_in_one_folder(tmp_path):
    """The two files that are there are always of one model."""

    def save(number):
        modelfile.save(tmp_path / "model", KIND, 3, {"number": number}, {"number": np.array([number])})

    def belongs(_):
        found = modelfile.load(tmp_path / "model", KIND, 3)
        return found.fact("number", int) == found.array("number", "i", 1)[0]

    save(0)
    with ThreadPoolExecutor(4) as threads:
        saved = threads.map(save, range(1, 60))
        assert all(threads.map(belongs, range(60)))
        assert len(list(saved)) == 59
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


@pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="folders cannot trade their names")
class TestOneStep:
    """The old model is there until the new one is."""

    def test_killed_at_any_moment(self, model):
        """By SIGKILL at each of the places at which the process touches the disk: the old model or the new one, never none."""
        code = (
            "import os, signal, sys\nfrom pathlib import Path\nimport numpy as np\nfrom divproj.runtime import modelfile\n"
            "left = [0]\n"
            "def at(event, args):\n"
            "    if event in ('open', 'os.rename', 'os.mkdir', 'os.remove', 'os.rmdir', 'os.link', 'os.chmod', 'ctypes.call_function'):\n"
            "        left[0] -= 1\n"
            "        if left[0] == 0: os.kill(os.getpid(), signal.SIGKILL)\n"
            "sys.addaudithook(at)\n"
            "folder, number = Path(sys.argv[1]), 0\n"
            "while True:\n"
            "    number += 1\n"
            "    pid = os.fork()\n"
            "    if not pid:\n"
            "        left[0] = number\n"
            f"        modelfile.save(folder, '{KIND}', 3, {{'number': number}}, {{'number': np.array([number])}})\n"
            "        os._exit(0)\n"
            "    ended = os.waitpid(pid, 0)[1]\n"
            f"    found = modelfile.load(folder, '{KIND}', 3)\n"
            "    assert found.fact('number', int) == found.array('number', 'i', 1)[0]\n"
            "    assert (folder / 'README.md').read_text() == 'kept'\n"
            "    print(found.about['number'])\n"
            "    if not ended: break\n"
        )
        modelfile.save(model, KIND, 3, {"number": 0}, {"number": np.array([0])})
        (model / "README.md").write_text("kept")
        done = subprocess.run([sys.executable, "-c", code, str(model)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        numbers = [int(line) for line in done.stdout.split()]
        assert len(numbers) > 8
        assert numbers == sorted(numbers)
        assert (numbers[0], numbers[-1]) == (0, len(numbers))
        assert sorted(path.name for path in model.parent.iterdir()) == ["model"], "the last one removes what the others left"

    def test_files_that_others_write_stay(self, model, monkeypatch):
        real = modelfile._exchange

        def exchange(one, other):
            (model / "chain-2.npz").write_text("just now")
            return real(one, other)

        monkeypatch.setattr(modelfile, "_exchange", exchange)
        (model / "chain-1.npz").write_text("before")
        modelfile.save(model, KIND, 3, {"name": "new"}, ARRAYS, ("chain-*.npz",))
        assert sorted(path.name for path in model.iterdir()) == ["chain-1.npz", "chain-2.npz", "model.json", "weights.npz"]
        assert modelfile.load(model, KIND, 3).about["name"] == "new"

    def test_links_and_modes_stay(self, model, tmp_path):
        model.chmod(0o750)
        (tmp_path / "link").symlink_to(model)
        modelfile.save(tmp_path / "link", KIND, 3, {"name": "new"}, ARRAYS)
        assert (tmp_path / "link").is_symlink()
        assert model.stat().st_mode & 0o777 == 0o750
        assert modelfile.load(model, KIND, 3).about["name"] == "new"

    def test_files_that_cannot_be_linked_are_copied(self, model, monkeypatch):
        def link(*_):
            raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr(modelfile.os, "link", link)
        (model / "README.md").write_text("kept")
        modelfile.save(model, KIND, 3, {"name": "new"}, ARRAYS)
        assert (model / "README.md").read_text() == "kept"


class TestBound:
    """The two files of a model belong together."""

    def test_parts_of_two_models_are_refused(self, model, tmp_path):
        modelfile.save(tmp_path / "other", KIND, 3, {"name": "toy"}, {**ARRAYS, "names": np.array([3, 2, 1], np.int8)})
        (tmp_path / "other" / "weights.npz").replace(model / "weights.npz")
        assert "weights.npz: is not of the same model as model.json; saving was interrupted, or" in refused(model)

    def test_killed_between_the_two_files(self, model, monkeypatch):
        """Where folders cannot trade their names; what is left is refused, and the next save puts it right."""
        monkeypatch.setattr(modelfile, "_exchange", lambda one, other: False)
        real, done = Path.replace, []

        def replace(self, target):
            if done:
                raise KeyboardInterrupt
            done.append(real(self, target))

        monkeypatch.setattr(Path, "replace", replace)
        with pytest.raises(KeyboardInterrupt):
            modelfile.save(model, KIND, 3, {"name": "new"}, {"weights": np.zeros(3)})
        monkeypatch.undo()
        assert "is not of the same model as model.json" in refused(model)
        modelfile.save(model, KIND, 3, {"name": "new"}, {"weights": np.zeros(3)})
        assert modelfile.load(model, KIND, 3).about["name"] == "new"

    def test_models_from_before_have_no_fingerprint(self, model):
        about = json.loads((model / "model.json").read_text())
        assert len(about.pop("arrays")) == 32
        (model / "model.json").write_text(json.dumps(about))
        assert modelfile.load(model, KIND, 3).about == about

    def test_arrays_come_in_c_order(self, model):
        about = json.loads((model / "model.json").read_text())
        del about["arrays"]
        (model / "model.json").write_text(json.dumps(about))
        pack(model, weights=npy(np.asfortranarray(ARRAYS["weights"])))
        found = modelfile.load(model, KIND, 3).arrays["weights"]
        assert found.flags.c_contiguous
        assert found.tolist() == ARRAYS["weights"].tolist()
