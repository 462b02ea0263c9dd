"""A WordNet of a few invented words, in the format of the real one."""

from __future__ import annotations

from pathlib import Path

LICENCE = "  1 This is an invented dictionary for tests.  \n  2 It has a licence above its lines, as the real one has.  \n"


def write(folder: Path) -> Path:
    """blick = blonk (noun), to blick, a blicker, blickish, blickly; offsets are filled in."""
    synsets = {
        "noun": [
            ("blick", "03 n 02 blick 0 Blonk_stone 1 001 + {verb[0]} v 0101 | a thing"),
            ("blicker", "03 n 01 blicker 0 001 + {verb[0]} v 0101 | one who blicks"),
            ("mome", "03 n 01 mome 0 000 | another"),
        ],
        "verb": [
            (
                "blick",
                "29 v 02 blick 0 tovate 0 003 + {noun[0]} n 0101 + {noun[1]} n 0101 @ {verb[0]} v 0000 01 + 02 00 | to do it",
            )
        ],
        "adj": [("blickish", "00 s 02 blickish 0 frim(a) 0 001 \\ {noun[0]} n 0101 | like a blick")],
        "adv": [("blickly", "02 r 01 blickly 0 001 \\ {adj[0]} a 0101 | in a blick way")],
    }
    offsets: dict[str, list[int]] = {}
    for name, rows in synsets.items():
        place = len(LICENCE)
        offsets[name] = []
        for _, row in rows:
            offsets[name].append(place)
            place += len("00000000 ") + len(row.format(**{k: ["0" * 8] * 9 for k in synsets})) + 1
    shown = {name: [f"{place:08d}" for place in places] for name, places in offsets.items()}
    extra = {"noun": [("blonk_stone", 0)], "verb": [("tovate", 0)], "adj": [("frim", 0)], "adv": []}
    for name, rows in synsets.items():
        lines = [f"{place} {row.format(**shown)}" for place, (_, row) in zip(shown[name], rows, strict=True)]
        (folder / f"data.{name}").write_text(LICENCE + "\n".join(lines) + "\n")
        entries = [(word, k) for k, (word, _) in enumerate(rows)] + extra[name]
        kind = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}[name]
        index = sorted(f"{word} {kind} 1 0 1 0 {shown[name][k]}  " for word, k in entries)
        (folder / f"index.{name}").write_text(LICENCE + "\n".join(index) + "\n")
    (folder / "noun.exc").write_text("blicken blick\nmomata mome\n")
    return folder
