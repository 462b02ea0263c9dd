"""The command `proj`: options in, one library call, output. No linguistics here."""

from proj_cli.main import app, main

__all__ = ["app", "main"]
