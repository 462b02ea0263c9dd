"""Help that can be read: options in groups, each with a sentence, a screen or two a command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from cli.commands import proj

from proj_cli.commands import _PANEL, ORDER, app

LONGEST = 110
"""Lines on a terminal of 100 columns."""


def _commands(group: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, (*before, name))
        else:
            yield (*before, name), command


COMMANDS = dict(_commands(typer.main.get_command(app)))


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_options(words: tuple[str, ...]):
    for param in COMMANDS[words].params:
        if getattr(param, "hidden", False):
            continue
        assert param.help, param.name
        if param.param_type_name == "option":
            assert param.name in _PANEL, f"give --{param.name} a panel in proj_cli/panels.py"
            assert param.rich_help_panel in ORDER


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_length_and_order(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "100")
    done = proj(*words, "--help")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) <= LONGEST
    places = [done.stdout.find(f"─ {panel} ─") for panel in ORDER]
    assert places == sorted(places, key=lambda at: (at < 0, at)) or [p for p in places if p >= 0] == sorted(
        p for p in places if p >= 0
    )
    assert 0 < done.stdout.find("Example") < done.stdout.find("╭")


def test_systems():
    done = proj("systems")
    assert done.returncode == 0
    codes = [
        line.split()[0] for line in done.stdout.splitlines() if re.match(r" *(auto|s\d\S*) ", line) and not line.startswith("s")
    ]
    assert codes == ["auto", "s1-r", "s2+", "s5", "s6", "s6+", "s4+", "s5+"]
    assert "s4-2" in proj("systems", "--papers").stdout
    assert "s5+" in done.stdout
    assert "gold trees, or a trained model" in done.stdout
    assert any(line.split()[:2] == ["s6", "gloss"] and line.split()[-1] == "70.6" for line in done.stdout.splitlines())
