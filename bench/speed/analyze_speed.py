"""`proj analyze` end to end from files against udapi only loading the two CoNLL-U files, in one run.

python bench/speed/analyze_speed.py [--pairs 100000]
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, Table, measure, need

LOAD = "import sys; from udapi.core.document import Document\nfor p in sys.argv[1:]: d=Document(); d.load_conllu(p); list(d.bundles)"


def repeated(source: Path, target: Path, times: int) -> Path:
    target.mkdir(parents=True, exist_ok=True)
    for name in ("f.conllu", "e.conllu", "align.txt"):
        with (target / name).open("wb") as out:
            for _ in range(times):
                with (source / name).open("rb") as part:
                    shutil.copyfileobj(part, out)
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=100_000)
    wanted = parser.parse_args().pairs
    source = need(DATA / "cdt-da")
    have = sum(1 for _ in (source / "align.txt").open())
    proj = str(Path(sys.executable).parent / "proj")
    columns = ("proj analyze, s", "proj analyze, MB", "udapi load, s", "udapi load, MB", "ratio")
    measure(proj, "analyze", str(source), "--json")  # compiled code is on disk after this
    caption = "`proj analyze` against udapi loading the two files, cdt-da repeated"
    with (
        Table("analyze_speed", caption, "pairs", "words", *columns) as table,
        tempfile.TemporaryDirectory() as folder,
    ):
        for pairs in (wanted // 100, wanted // 10, wanted):
            corpus = repeated(source, Path(folder) / "corpus", max(1, pairs // have))
            ours = measure(proj, "analyze", str(corpus), "--json")
            result = json.loads(ours.text)
            theirs = measure(sys.executable, "-c", LOAD, str(corpus / "f.conllu"), str(corpus / "e.conllu"))
            cells = [cell for usage in (ours, theirs) for cell in (f"{usage.seconds:.2f}", f"{usage.memory:.0f}")]
            words = sum(result["words"].values())
            table.add(f"{result['sentences']:,}", f"{words:,}", *cells, f"{ours.seconds / theirs.seconds:.3f}")


if __name__ == "__main__":
    main()
