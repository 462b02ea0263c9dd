"""A command of `proj` killed (SIGKILL) at moments of its work on the disk, resumed, and compared with an undisturbed run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

DRIVER = """
import json, os, random, signal, sys
from pathlib import Path
from proj_cli import main

TOUCH = {"open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "tempfile.mkstemp", "tempfile.mkdtemp"}
(command, often), base, seed, times = json.loads(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])


def proj(folder, *more):
    folder.mkdir(exist_ok=True)
    sys.argv = ["proj", *(word.replace("OUT", str(folder / "out")) for word in command), *more]
    try:
        main()
    except SystemExit as end:
        return end.code or 0
    return 0


def child(work):
    pid = os.fork()
    if not pid:
        code = 70
        try:
            code = work()
        finally:
            os._exit(code)
    return os.waitpid(pid, 0)[1]


def touches(folder, at):
    # counts what is done to the disk below the folder; at that count, the process ends itself as kill -9 does
    seen = [0]

    def hook(event, args):
        if event in TOUCH and args and str(args[0]).startswith(str(folder) + "/"):
            seen[0] += 1
            if seen[0] == at:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    return seen


def files(folder):
    # the dead leave folders with a dot that they were writing in
    found = {str(p.relative_to(folder)): p for p in sorted(folder.rglob("*")) if p.is_file()}
    return {name: p.read_bytes() for name, p in found.items() if not name.startswith(".")}


def counted():
    seen = touches(base / "counted", 0)
    code = proj(base / "counted", *often)
    (base / "count").write_text(str(seen[0]))
    return code


assert proj(base / "reference") == 0  # compiles what children share; takes less than a minute, so has no checkpoint
want = files(base / "reference")
assert child(counted) == 0
assert files(base / "counted") == want, "checkpoints change nothing, and are gone at the end"
total = int((base / "count").read_text())
told = []
for at in sorted(random.Random(seed).sample(range(2, total), times)):
    folder = base / f"killed-{at}"

    def killed():
        touches(folder, at)
        return proj(folder, *often)

    assert child(killed) == signal.SIGKILL, at
    kept = sorted(p.stem for p in folder.rglob("*.npz"))
    for part in folder.rglob("*.part"):  # what was being written may have been cut anywhere
        if part.is_file():
            part.write_bytes(part.read_bytes()[: part.stat().st_size // 2])
    assert child(lambda: proj(folder, "--resume")) == 0, at
    got = files(folder)
    assert got == want, (at, kept, sorted(set(got) ^ set(want)), [n for n in want if got.get(n) != want[n]])
    told.append([at, kept])
print(json.dumps({"touches": total, "killed": told}))
"""


def kill_and_resume(
    command: list[object], base: Path, seed: int, times: int, often: tuple[str, ...] = ("--checkpoint", "0")
) -> dict[str, list[list[object]]]:
    """OUT in the command is where its result goes, `often` asks for a checkpoint at every chance. Tells what was there at each death."""
    words = json.dumps([[str(word) for word in command], often])
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, words, str(base), str(seed), str(times)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(json.loads(done.stdout.splitlines()[-1]))
