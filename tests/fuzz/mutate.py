"""Damage done to good files: bytes, lines, values of JSON, arrays of archives. The same chance gives the same damage."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np

MOST = 100_000
"""Bytes of a case: what is tried is the reader, not the disk, and each byte may be a word."""
TOKENS: tuple[bytes, ...] = (
    b"\0", b"\xff", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc3", b"\r", b"\n", b"\n\n", b"\r\n", b"\t", b" ",
    b"\x1b[2J", b"\x1b]0;x\x07", b"\x85", b"\xe2\x80\xa8", b"\xe2\x80\xae", b"\xc2\xa0", "٣".encode(), "²".encode(), "𝟘".encode(), "ı".encode(),
    b"0", b"-1", b"1", b"-0", b"00", b"1e999", b"nan", b"inf", b"-inf", b"99999999999999999999", b"9" * 5000, b"1.5", b"1_0", b"0x10", b"+1",
    b"<", b">", b"&", b"&amp;", b"&#0;", b"&#x110000;", b"&x;", b"</", b"/>", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?xml version='1.1'?>",
    b"<!DOCTYPE a [<!ENTITY x 'y'>]>", b"<a>" * 300, b"</a>" * 300, b"(" * 3000, b")" * 3000, b"[" * 3000, b"{" * 3000, b"(()", b"()",
    b"\\", b"\\t ", b"\\g ", b"\\gll ", b"\\begin{exe}", b"\\end{", b"{", b"}", b"%", b"\"", b"'", b"''", b"`", b"=", b"|", b"~", b"-", b".", b":",
    b"#", b"# sent_id = ", b"# text = ", b"# lines = ", b"# alignment = 1-1", b"1-2\tx\t_\t_\t_\t_\t_\t_\t_\t_\n", b"1.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n", b"_",
    b"null", b"true", b"[]", b"{}", b"../../etc/passwd", b"/dev/zero", b"<script>alert(1)</script>", b"\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa", b"e\xcc\x81" * 40,
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 10**30, 1.5, -0.0, 1e300, float("nan"), float("inf"), "", "x", "0", "\ud800", "a" * 3000, [], {}, [[]],
    [None], {"": None}, ["x", 1], [[1, 2], [3]], "../../x", "\x1b[2J",
)  # fmt: skip
Damage = Callable[[bytes, Random], bytes]


def _span(data: bytes, chance: Random) -> tuple[int, int]:
    start = chance.randint(0, len(data))
    return start, min(len(data), start + chance.choice((1, 2, 5, 20, 100, 1000)))


def _flip(data: bytes, chance: Random) -> bytes:
    if not data:
        return data
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]


def _insert(data: bytes, chance: Random) -> bytes:
    at = chance.randint(0, len(data))
    return data[:at] + chance.choice(TOKENS) + data[at:]


def _replace(data: bytes, chance: Random) -> bytes:
    start, end = _span(data, chance)
    return data[:start] + chance.choice(TOKENS) + data[end:]


def _delete(data: bytes, chance: Random) -> bytes:
    start, end = _span(data, chance)
    return data[:start] + data[end:]


def _repeat(data: bytes, chance: Random) -> bytes:
    start, end = _span(data, chance)
    return data[:end] + data[start:end] * chance.choice((1, 2, 10, 200)) + data[end:]


def _run(data: bytes, chance: Random) -> bytes:
    """The same few bytes very often: what is searched again from every one of them takes for ever."""
    at, token = chance.randint(0, len(data)), chance.choice(TOKENS)[:8]
    return data[:at] + token * chance.choice((100, 3000)) + data[at:]


def _cut(data: bytes, chance: Random) -> bytes:
    return data[: chance.randint(0, len(data))]


def _move(data: bytes, chance: Random) -> bytes:
    """Lines that change places."""
    rows = data.split(b"\n")
    one, two = chance.randrange(len(rows)), chance.randrange(len(rows))
    rows[one], rows[two] = rows[two], rows[one]
    return b"\n".join(rows)


def _number(data: bytes, chance: Random) -> bytes:
    """One of the numbers becomes another."""
    found = list(re.finditer(rb"-?\d+(?:\.\d+)?", data))
    if not found:
        return data
    one = chance.choice(found)
    other = chance.choice((b"0", b"-1", b"1", b"7", b"2147483648", b"9223372036854775808", b"1e9", b"", "٣".encode()))
    return data[: one.start()] + other + data[one.end() :]


def _field(data: bytes, chance: Random) -> bytes:
    """One field, between blanks, tabs, quotes or tags, becomes empty or another."""
    found = list(re.finditer(rb"[^\s\"'<>|=]+", data))
    if not found:
        return data
    one = chance.choice(found)
    other = chance.choice((b"", chance.choice(TOKENS), chance.choice(found)[0]))
    return data[: one.start()] + other + data[one.end() :]


def _recoded(data: bytes, chance: Random) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(chance.choice(("utf-16", "utf-16-le", "utf-32", "cp1252", "latin-1", "utf-8-sig")), "replace")


BYTES: tuple[Damage, ...] = (
    _flip, _insert, _insert, _replace, _delete, _repeat, _run, _cut, _move, _move, _number, _number, _field, _field, _field, _recoded,
)  # fmt: skip


def of_bytes(data: bytes, chance: Random) -> bytes:
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        data = chance.choice(BYTES)(data, chance)[:MOST]
    return data


def of_json(data: bytes, chance: Random) -> bytes:
    """A value somewhere in the JSON is taken away, doubled or becomes another; sometimes its bytes are damaged instead."""
    if not chance.randrange(4):
        return of_bytes(data, chance)
    try:
        top = json.loads(data)
    except (ValueError, RecursionError):
        return of_bytes(data, chance)
    for _ in range(chance.choice((1, 1, 2))):
        top = _changed(top, chance)
    return json.dumps(top, ensure_ascii=bool(chance.randrange(2))).encode("utf-8", "surrogatepass")


def _changed(value: Any, chance: Random) -> Any:
    if isinstance(value, dict) and value and chance.randrange(6):
        key = chance.choice(sorted(value))
        made = dict(value)
        if chance.randrange(6):
            made[key] = _changed(value[key], chance)
        else:
            kept = made.pop(key)
            if chance.randrange(2):
                made[chance.choice(("", "x", "__class__", "format"))] = kept
        return made
    if isinstance(value, list) and value and chance.randrange(6):
        at = chance.randrange(len(value))
        made = list(value)
        what = chance.randrange(4)
        made[at : at + 1] = [] if not what else [value[at]] * 2 if what == 1 else [_changed(value[at], chance)]
        return made
    return chance.choice(VALUES)


def of_npz(data: bytes, chance: Random) -> bytes:
    """An array of the archive gets another type, shape, header or name, goes or is doubled; or bytes are damaged."""
    if not chance.randrange(3):
        return of_bytes(data, chance)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = {name: archive.read(name) for name in archive.namelist()}
    except Exception:
        return of_bytes(data, chance)
    if not entries:
        return of_bytes(data, chance)
    name = chance.choice(sorted(entries))
    what = chance.randrange(5)
    if what == 0:
        del entries[name]
    elif what == 1:
        entries[name] = of_bytes(entries[name], chance)
    elif what == 2:
        shape = chance.choice((b"(99999999999,)", b"(0,)", b"()", b"(1, 0)", b"(-1,)", b"(2, 3, 4)", b"(4000000000, 4)"))
        head, mark, rest = entries[name].partition(b"'shape': ")
        old, brace, tail = rest.partition(b")")
        room = len(old) + len(brace)
        entries[name] = head + mark + shape[:room].ljust(room) + tail
    else:
        entries[name] = _array(_other(chance))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, value in entries.items():
            archive.writestr(key, value)
    return out.getvalue()


def _other(chance: Random) -> np.ndarray[Any, Any]:
    shape = chance.choice(((), (0,), (1,), (3,), (2, 2), (0, 5), (1, 1, 1)))
    kind = chance.choice(("f8", "f4", "i8", "i1", "u8", "?", "U3", "S2", "c16", "M8[s]", "f8,i4"))
    made = np.zeros(shape, kind)
    if made.dtype.kind == "f" and made.size:
        made.flat[0] = chance.choice((np.nan, np.inf, -1e30))
    if made.dtype.kind == "i" and made.size:
        made.flat[0] = chance.choice((-1, 127, np.iinfo(made.dtype).min))
    return made


def _array(value: np.ndarray[Any, Any]) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array(out, value, allow_pickle=False)
    return out.getvalue()


def damaged(seeds: Sequence[bytes], chance: Random, kind: str = "bytes") -> bytes:
    """One of the seeds, damaged; now and then joined with a part of another."""
    data = chance.choice(seeds)
    if kind == "bytes" and len(seeds) > 1 and not chance.randrange(8):
        other = chance.choice(seeds)
        data = data[: chance.randint(0, len(data))] + other[chance.randint(0, len(other)) :]
    return {"bytes": of_bytes, "json": of_json, "npz": of_npz}[kind](data, chance)
