"""The command `proj`: options in, one library call, output. No linguistics here."""

from typing import Any

__all__ = ["app", "main"]


def main() -> None:
    """Run the command: first what must hold before anything else is imported, then the rest."""
    from divproj.runtime.safe_path import protect

    protect()
    from proj_cli.signals import leave_at_once

    leave_at_once()
    _look_for_cycles_seldom()
    from proj_cli.commands import main as begin

    begin()


def _look_for_cycles_seldom() -> None:
    """Let the garbage collector run less often: commands make many small values and few cycles, and it took a tenth of their time."""
    import gc

    gc.set_threshold(100_000, 50, 50)


def __getattr__(name: str) -> Any:
    """Import the Typer application when it is asked for."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from proj_cli.commands import app

    return app
