"""`proj review` on a folder (the workbench), or on a text that has no trees yet."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

from proj_cli.common import talk

COMMAND = (sys.executable, "-P", "-m", "divproj")  # -P: modules that lie among the texts are not ours


def workbench(folder: Path, port: int, show: bool) -> None:
    """Serve the workbench of a folder until Ctrl-C."""
    from divproj.review.workbench import Workbench
    from divproj.review.workbench_server import WorkbenchServer
    from proj_cli.review import serve

    with closing(Workbench(folder, COMMAND, texts)) as bench:
        server = WorkbenchServer(bench, port)
        count = len(bench.names())
        talk.say(f"{count} text{'s' * (count != 1)} in {folder}; results go to {folder / 'divproj-work'}")
        talk.say("Ctrl-C saves and ends. Open:")
        serve(server, show, folder)


def texts(folder: Path) -> list[str]:
    """The files of a folder that are texts, or trees."""
    from divproj.run.scaffold import look

    found = look(folder)
    return [*found.text, *found.gold]


def projected(source: str) -> str:
    """The file to review: `source` itself if it has trees, else trees projected from it, beside it."""
    import subprocess

    from divproj.data.errors import ProjError, Where
    from divproj.io.conllu import is_conllu
    from divproj.runtime.leftovers import name_beside

    path = Path(source)
    if not path.is_file() or is_conllu(path):
        return source
    target = path.absolute().with_name(name_beside(path.name, ".trees.conllu"))
    if not target.exists():
        talk.say(f"{path.name} has no trees yet: projecting them into {target.name}")
        if subprocess.run([*COMMAND, "project", str(path.absolute()), "-o", str(target)]).returncode:
            raise ProjError("no trees could be projected", Where(source), "`proj check` says what is wrong with the text")
    return str(path.with_name(target.name))
