"""Small files that unpack, expand or nest without end: refused, within a second or so and within a bound on memory."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from fuzz.limits import survived
from fuzz.readers import READERS

from divproj.core.errors import ModelError, ProjError
from divproj.io.files import reading
from divproj.io.interlinear import formats
from divproj.runtime import modelfile

resource = pytest.importorskip("resource", reason="limits on memory need POSIX")
TESTS = Path(__file__).resolve().parents[1]
ROOM = 3 << 30
"""Address space of the process that meets the bombs; what it really uses is far less."""

LAUGHS = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))
ENTITIES = {
    "laughs": f'<!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]>',
    "quadratic": f'<!DOCTYPE x [<!ENTITY l9 "{"a" * 50_000}">]>',
    "external": '<!DOCTYPE x [<!ENTITY l9 SYSTEM "file:///etc/hostname">]>',
    "parameter": '<!DOCTYPE x [<!ENTITY % l9 SYSTEM "http://127.0.0.1:9/x.dtd"> %l9;]>',
}
XML = {
    "xigt": '<xigt-corpus><igt id="i1"><tier type="phrases"><item id="p1">{0}</item></tier></igt></xigt-corpus>',
    "flextext": '<document><interlinear-text><phrase><item type="gls" lang="en">{0}</item></phrase></interlinear-text></document>',
    "elan": "<ANNOTATION_DOCUMENT><TIER TIER_ID='t'><ANNOTATION_VALUE>{0}</ANNOTATION_VALUE></TIER></ANNOTATION_DOCUMENT>",
    "tiger": '<corpus><body><s id="s1"><graph root="a"><terminals><t id="a" word="{0}"/></terminals></graph></s></body></corpus>',
    "enju": '<sentence id="s0"><cons id="c0" cat="S"><tok id="t0" pos="NN" base="x">{0}</tok></cons></sentence>',
}
DRIVER = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({ROOM}, {ROOM}))
from fuzz.limits import Target, survived
from fuzz.loaders import LOADERS
from fuzz.readers import READERS
targets = {{t.name: t for t in (*READERS, *LOADERS)}}
for name, path in zip(sys.argv[1::2], sys.argv[2::2]):
    print(name, survived(targets[name], open(path, "rb").read()), flush=True)
try:  # of this program alone: `ru_maxrss` counts the process that started it too
    peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
except OSError:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print("peak", peak // 1024)
"""


def xml(name: str, kind: str) -> str:
    return f'<?xml version="1.0"?>{ENTITIES[kind]}{XML[name].format("&l9;" * 20)}'


@pytest.mark.parametrize("kind", ENTITIES)
@pytest.mark.parametrize("name", ["xigt", "flextext", "elan"])
def test_entities_are_refused(name: str, kind: str):
    with pytest.raises(ProjError, match=r"the XML (defines|defines or calls in) entities"):
        formats.loads(xml(name, kind), name)
    with pytest.raises(ProjError, match=r"the XML defines entities, which is refused"):
        formats.loads(xml(name, kind))


@pytest.mark.parametrize("kind", ENTITIES)
@pytest.mark.parametrize("name", ["tiger", "enju"])
def test_entities_in_treebanks_are_refused(name: str, kind: str):
    from divproj.io.trees.forests import forests_of

    with pytest.raises(ProjError, match="the XML defines entities"):
        forests_of(xml(name, kind), name)


def test_text_that_packs_too_well(tmp_path: Path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(bytes(1 << 20), mtime=0) * 2000)
    assert path.stat().st_size < 3 << 20
    with (
        pytest.raises(ProjError, match=r"a.gz: unpacks to more than 400 times its size, which text does not do"),
        reading(path) as stream,
    ):
        for _ in stream:
            pass
    again = gzip.compress(b"a line that comes again and again\n" * 1_000_000, mtime=0)
    path.write_bytes(again)
    with reading(path) as stream:
        assert sum(1 for _ in stream) == 1_000_000


def _archive(size: int, told: int | None = None) -> bytes:
    """An npz with an array of zeros; `told` is the size that its directory claims."""
    out, data = io.BytesIO(), io.BytesIO()
    np.lib.format.write_array(data, np.zeros(size, np.int8))
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("weights.npy", data.getvalue())
    made = out.getvalue()
    if told is None:
        return made
    at = made.rindex(b"PK\x01\x02") + 24
    return made[:at] + told.to_bytes(4, "little") + made[at + 4 :]


def test_archives_that_say_what_they_unpack_to_and_those_that_lie(tmp_path: Path):
    path = tmp_path / "weights.npz"
    path.write_bytes(_archive(1000, told=0xFFFF_FFF0))
    with pytest.raises(ModelError, match="unpacks to more than 2 GB"):
        modelfile.read_arrays(path)
    path.write_bytes(_archive(100_000, told=5000))
    with pytest.raises(ModelError, match="cannot be read"):
        modelfile.read_arrays(path)
    path.write_bytes(_archive(1000))
    assert modelfile.read_arrays(path)["weights"].shape == (1000,)


@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("igt/odin", b"'"), ("igt/odin", b"1-"), ("igt/toolbox", b"( "), ("igt/xigt", b"<?"), ("igt/flextext", b"<!--"), ("igt/elan", b"<!A"),
        ("igt/guessed", b"<!DOCTYPE["), ("forests/tiger", b"<!--"), ("forests/brackets", b"9"), ("plain text", b"1-"), ("igt/latex", b"\\x{"),
    ],
)  # fmt: skip
def test_long_runs_are_read_in_time(name: str, run: bytes):
    """Twenty thousand bytes of one kind in a line, each of which a search might begin at."""
    target = next(target for target in READERS if target.name == name)
    for seed in target.seeds[:2]:
        lines = seed.split(b"\n")
        middle = min(2, len(lines) - 1)
        half = len(lines[middle]) // 2
        lines[middle] = lines[middle][:half] + run * (20_000 // len(run)) + lines[middle][half:]
        assert survived(target, b"\n".join(lines)) in ("read", "refused")


def bombs(folder: Path) -> list[str]:
    """Names of targets and files that each would fill the machine if it were believed."""
    zeros = gzip.compress(bytes(1 << 20), mtime=0) * 1500
    made: dict[str, bytes] = {"gzip": zeros, "grams": zeros, "word table": zeros, "plain text": zeros, "vectors/text": zeros}
    made |= {f"igt/{name}": xml(name, "laughs").encode() for name in ("xigt", "flextext", "elan")}
    made |= {f"forests/{name}": xml(name, "laughs").encode() for name in ("tiger", "enju")}
    made |= {"forests/brackets": b"(" * 100_000, "forests/json": b"[" * 100_000, "rules": b"[" * 100_000}
    made |= {
        "igt/latex": b"\\begin{exe}" * 20_000,
        "config": b"a = " + b"[" * 100_000,
    }
    made |= {f"models/{name}/weights.npz": _archive(1000, 0xFFFF_FFF0) for name in ("words", "phrases", "induced")}
    made["vectors/npz"] = _archive(1000, 0xFFFF_FFF0)
    arguments = []
    for k, (name, data) in enumerate(made.items()):
        (folder / str(k)).write_bytes(data)
        arguments += [name, str(folder / str(k))]
    return arguments


def test_nothing_fills_the_machine(tmp_path: Path):
    arguments = bombs(tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", DRIVER, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    *told, peak = done.stdout.splitlines()
    assert [line.rsplit(" ", 1)[0] for line in told] == arguments[::2]
    assert int(peak.split()[1]) < 1000, "megabytes"
