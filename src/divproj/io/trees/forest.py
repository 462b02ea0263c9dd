"""Read and write forests as JSON lines, a format of divproj; what is written is read back exactly.

One object per line: `format` ("divproj-forest"), `version`, `forms`, `lemmas`, `tags`, `sent_id`, `root`, `nodes` as
[start, end, label, head, sem_head, virtual, labels, ids] and `edges` as [parent, left, right, weight] ("-inf" for weight 0); of a forest of dependency trees
`arcs` as [head, dependent, relation, probability], words counted from 1 and the root 0.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, TextIO, cast

from divproj.core.errors import LONGEST_SENTENCE, Faults, FormatError, Where, too_long
from divproj.forest.hypergraph import Arc, Edge, Forest, Node
from divproj.io.files import Source, name_of, reading
from divproj.io.interlinear.parts import lines

FORMAT, VERSION = "divproj-forest", 1


def load(source: Source, faults: Faults | None = None, *, keep_places: bool = False) -> Iterator[Forest | None]:
    """Forests of a file; one that cannot be used goes to `faults` (None: raise), and None stands for it with `keep_places`."""
    with reading(source) as stream:
        yield from read(stream, name_of(source), faults or Faults(), keep_places=keep_places)


def loads(text: str, faults: Faults | None = None) -> list[Forest]:
    stream = cast(BinaryIO, io.BytesIO(text.encode("utf-8", "surrogatepass")))
    return [forest for forest in read(stream, "", faults or Faults()) if forest is not None]


def dump(forests: Iterable[Forest], out: TextIO) -> None:
    """Write forests as JSON, one per line."""
    for forest in forests:
        out.write(dumps(forest))


def dumps(forest: Forest) -> str:
    """
    >>> dumps(Forest(("Hi",), (Node(0, 1, "UH", 0, 0),), (), 0))[:46]
    '{"format": "divproj-forest", "version": 1, "se'
    """
    nodes = [[*n.span, n.label, n.head, n.sem_head, int(n.virtual), list(n.labels), list(n.ids)] for n in forest.nodes]
    edges = [[e.parent, e.left, e.right, "-inf" if e.weight == -math.inf else e.weight] for e in forest.edges]
    record = {
        "format": FORMAT,
        "version": VERSION,
        "sent_id": forest.sent_id,
        "forms": forest.forms,
        "lemmas": forest.lemmas,
        "tags": forest.tags,
        "root": forest.root,
        "nodes": nodes,
        "edges": edges,
    }
    if forest.arcs:
        record["arcs"] = [list(arc) for arc in forest.arcs]
    return json.dumps(record, ensure_ascii=False) + "\n"


def read(stream: BinaryIO, path: str, faults: Faults, *, keep_places: bool = False) -> Iterator[Forest | None]:
    for number, text in lines(stream, path, faults):
        if not text.strip():
            continue
        try:
            yield _forest(text, Where(path, number))
        except FormatError as error:
            faults.sentence(error)
            if keep_places:
                yield None


def _forest(text: str, where: Where) -> Forest:
    try:
        record = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON at column {error.colno}: {error.msg}", where) from None
    except ValueError as error:  # a number of thousands of digits
        raise FormatError(f"not JSON that can be used: {error}", where) from None
    except RecursionError:
        raise FormatError("JSON nested too deeply for a forest", where) from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise FormatError(f'no forest: "format": "{FORMAT}" expected', where)
    version = record.get("version")
    if version != VERSION:
        raise FormatError(f"version {version} of the forest format, {VERSION} expected", where, "update divproj")
    name = record.get("sent_id", "")
    where = Where(where.path, where.line, name if isinstance(name, str) else "")
    try:
        forest = _forest_from_record(record, where)
        if len(forest.forms) > LONGEST_SENTENCE:
            raise too_long(len(forest.forms), where)
        return forest.check()
    except (KeyError, TypeError, ValueError) as error:
        reason = f"'{error.args[0]}' is missing" if isinstance(error, KeyError) else str(error)
        raise FormatError(f"a forest that cannot be used: {reason}", where) from None


def _forest_from_record(record: dict[str, Any], where: Where) -> Forest:
    return Forest(
        _strings(record["forms"]),
        tuple(_node(row) for row in record["nodes"]),
        tuple(_edge(row) for row in record["edges"]),
        _whole(record["root"]),
        _strings(record.get("lemmas", ())),
        _strings(record.get("tags", ())),
        where.sent_id,
        where,
        tuple(_arc(row) for row in record.get("arcs", ())),
    )


def _node(row: Any) -> Node:
    start, end, label, head, sem_head, virtual, labels, ids = row
    if not isinstance(label, str):
        raise TypeError(f"the label of a node is {label!r}, a string expected")
    heads = _whole(head), _whole(sem_head)
    return Node(_whole(start), _whole(end), label, *heads, bool(virtual), _strings(labels), _strings(ids))


def _edge(row: Any) -> Edge:
    parent, left, right, weight = row
    if isinstance(weight, bool) or not (isinstance(weight, int | float) or weight == "-inf"):
        raise TypeError(f"the weight of an edge is {weight!r}, a number expected")
    return Edge(_whole(parent), _whole(left), _whole(right), float(weight))


def _arc(row: Any) -> Arc:
    head, dependent, relation, probability = row
    if not isinstance(relation, str):
        raise TypeError(f"the relation of an arc is {relation!r}, a string expected")
    if isinstance(probability, bool) or not isinstance(probability, int | float) or not 0 <= probability <= 1:
        raise TypeError(f"the probability of an arc is {probability!r}, a number from 0 to 1 expected")
    return Arc(_whole(head), _whole(dependent), relation, float(probability))


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > 1 << 30:
        raise TypeError(f"{value!r} stands where a whole number is expected")
    return value


def _strings(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list | tuple) or not all(isinstance(value, str) for value in values):
        raise TypeError(f"{str(values)[:40]} stands where a list of strings is expected")
    return tuple(values)
