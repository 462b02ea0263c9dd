"""The values of a config as written: every key known, every value of its kind, every file there."""

from __future__ import annotations

import difflib
import re
import tomllib
from pathlib import Path
from typing import Any, NoReturn

from divproj.data.errors import ProjError, Where, why
from divproj.run.schema import EXPECTED, KEYS, Key, line_of


class Values:
    """Looks at every value before it is used, and knows where it stands."""

    def __init__(self, text: str, path: Path) -> None:
        self.text, self.path = text.replace("\r\n", "\n"), path
        try:
            data: dict[str, Any] = tomllib.loads(self.text)
        except (ValueError, RecursionError) as error:
            line = re.search(r"line (\d+)", str(error))
            what = re.sub(r" \(at .*\)$", "", why(error))
            where = Where(str(path), int(line[1]) if line else 0)
            remedy = 'the file is TOML: key = "value", tables as [name]'
            raise ProjError(f"not TOML: {what}", where, remedy) from None
        self.said = self._checked(data)

    def fail(self, table: str, key: str, what: str, remedy: str = "") -> NoReturn:
        name = f"{table}.{key}" if table and key else table or key
        raise ProjError(f"{name}: {what}" if name else what, Where(str(self.path), line_of(self.text, table, key)), remedy)

    def _checked(self, data: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """Every value, the defaults too; unknown keys are refused."""
        said: dict[str, dict[str, Any]] = {}
        top = {key: value for key, value in data.items() if key not in KEYS}
        for table, keys in KEYS.items():
            found = top if not table else data.get(table, {})
            if not isinstance(found, dict):
                self.fail(table, "", f"found {_shown(found)}, a table expected", f"write [{table}] on a line of its own")
            for key in found:
                if key not in keys:
                    self._unknown(table, key, isinstance(found[key], dict))
            said[table] = {
                key: self._value(table, key, rule, found[key]) if key in found else rule.default for key, rule in keys.items()
            }
        return said

    def _unknown(self, table: str, key: str, is_table: bool) -> NoReturn:
        what = f"there is no {'table' if is_table else 'key'} '{key}'" + (f" in [{table}]" if table else "")
        known = {name: f"'{name}'" for name in KEYS[table]} | ({} if table else {name: f"[{name}]" for name in KEYS if name})
        near = difflib.get_close_matches(key, known, 1, 0.6)
        elsewhere = [f"'{key}' in [{other}]" if other else f"'{key}' above all tables" for other in KEYS if key in KEYS[other]]
        if near or elsewhere:
            remedy = f"did you mean {elsewhere[0] if elsewhere else known[near[0]]}?"
        else:
            remedy = f"there are {', '.join(known.values())}"
        raise ProjError(what, Where(str(self.path), line_of(self.text, table, key)), remedy)

    def _value(self, table: str, key: str, rule: Key, found: Any) -> Any:
        """The value in its plain form: lists are tuples, a single file is a list of one."""
        texts = isinstance(found, list) and all(isinstance(item, str) and item for item in found)
        good = {
            "text": isinstance(found, str),
            "path": isinstance(found, str) and bool(found),
            "paths": texts or (isinstance(found, str) and bool(found)),
            "whole": isinstance(found, int) and not isinstance(found, bool),
            "share": _is_number(found) and 0 <= found <= 1,
            "flag": isinstance(found, bool),
            "texts": texts,
            "share or path": (isinstance(found, str) and bool(found)) or (_is_number(found) and 0 <= found <= 0.9),
        }[rule.kind]
        if not good:
            self.fail(table, key, f"found {_shown(found)}, {EXPECTED[rule.kind]} expected")
        if rule.choices and found not in (*rule.choices, rule.default):
            self.not_one_of(table, key, found, rule.choices)
        if rule.kind == "whole" and not rule.low <= found <= rule.high:
            self.fail(table, key, f"found {found}, a number from {rule.low} to {rule.high} expected")
        if "path" in rule.kind and "\0" in "".join(map(str, found if isinstance(found, list) else [found])):
            self.fail(table, key, "a file name cannot hold the character 0")
        if isinstance(found, list):
            return tuple(found)
        return (found,) if rule.kind == "paths" else found

    def not_one_of(self, table: str, key: str, found: str, choices: tuple[str, ...]) -> NoReturn:
        near = difflib.get_close_matches(found, choices, 1, 0.6)
        remedy = f"did you mean '{near[0]}'?" if near else ""
        self.fail(table, key, f"found '{found[:60]}', one of {', '.join(choices)} expected", remedy)

    def file(self, table: str, key: str, name: str) -> Path:
        """A file named from where the config lies; it must be there."""
        path = self.place(name)
        if not path.exists():
            self.fail(table, key, f"there is no file '{name}'", f"names are taken from {self.path.resolve().parent}")
        if path.is_dir():
            self.fail(table, key, f"'{name}' is a folder, a file expected", "name the files in it one by one")
        if not path.is_file():
            self.fail(table, key, f"'{name}' is a device or a pipe, a file expected", "a run reads its files more than once")
        return path

    def place(self, name: str) -> Path:
        return self.path.resolve().parent / Path(name).expanduser()

    def files(self, table: str, key: str) -> tuple[Path, ...]:
        return tuple(self.file(table, key, name) for name in self.said[table][key])

    def one(self, table: str, key: str) -> Path | None:
        name = self.said[table][key]
        return self.file(table, key, name) if name else None


def _is_number(found: Any) -> bool:
    return isinstance(found, int | float) and not isinstance(found, bool)


def _shown(found: Any) -> str:
    """A value as a message shows it."""
    if isinstance(found, bool):
        return str(found).lower()
    if isinstance(found, dict):
        return "a table"
    return f"{found!r:.60}"
