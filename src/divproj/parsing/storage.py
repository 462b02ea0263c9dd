"""An `MstParser` as facts and arrays, small: weights in one byte each, what rounds to nothing left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from divproj.data.errors import ModelError, ProjError
from divproj.parsing import features
from divproj.parsing.parser import LABEL_BITS, ROOM, VOTE_BITS, MstParser
from divproj.runtime.modelfile import REMEDY, Array, Model, quantised

TABLES = ("weights_", "votes_", "label_weights_")


def facts(parser: MstParser) -> dict[str, Any]:
    params = {k: v for k, v in parser.get_params().items() if v != float("inf")}
    return {
        "templates": features.VERSION,
        "params": params,
        "rels": list(parser.rels_),
        "crossing": bool(parser.crossing_),
        "columns": parser.columns_,
        "slots": parser.slots_,
        "scale": parser.scale_,
        "units": {name: quantised(getattr(parser, name))[1] for name in TABLES},
    }


def arrays(parser: MstParser, prefix: str = "parser.") -> dict[str, Array]:
    return {prefix + name.rstrip("_"): quantised(getattr(parser, name))[0] for name in TABLES}


def restored(model: Model, about: dict[str, Any], prefix: str = "parser.") -> MstParser:
    """The parser of these facts and arrays; ModelError where they do not fit each other or this version."""
    own = Model(model.kind, about, model.arrays, model.where)
    templates = own.fact("templates", int)
    if templates != features.VERSION:
        what = f"its feature templates are version {templates}, {features.VERSION} expected"
        raise ModelError(what, model.where, "train it again with this version of divproj")
    rels = own.fact("rels", list)
    if not rels or not all(isinstance(rel, str) for rel in rels):
        raise ModelError("'rels' is not a list of relations", model.where, REMEDY)
    parser = _untrained(own)
    parser.rels_ = tuple(rels)
    parser.crossing_ = own.fact("crossing", bool)
    parser.columns_, parser.slots_ = own.fact("columns", int), own.fact("slots", int)
    if min(parser.columns_, parser.slots_) < 0 or 16 * parser.columns_ + 4 * parser.slots_ > ROOM:
        what = f"{parser.columns_} further columns and {parser.slots_} codes an edge are not possible"
        raise ModelError(what, model.where, REMEDY)
    parser.scale_ = float(own.fact("scale", (int, float)))
    if not 0 < parser.scale_ < 1e9:
        raise ModelError(f"'scale' is {parser.scale_}, a positive number expected", model.where, REMEDY)
    units = own.fact("units", dict)
    shapes: dict[str, tuple[int, ...]] = {
        "weights_": (1 << parser.bits,),
        "votes_": (1 << VOTE_BITS, len(rels)),
        "label_weights_": (1 << LABEL_BITS if len(rels) > 2 else 1, len(rels)),
    }
    for name, shape in shapes.items():
        unit = units.get(name)
        if not isinstance(unit, (int, float)) or not 0 < unit < 1e9:
            raise ModelError(f"the unit of '{name}' is {unit!r:.40}, a positive number expected", model.where, REMEDY)
        table = own.array(prefix + name.rstrip("_"), "i", *shape)
        setattr(parser, name, table.astype(np.float32) * np.float32(unit))
    return parser


def _untrained(model: Model) -> MstParser:
    """A parser with the parameters of a model, each of the type of its default."""
    params = Model(model.kind, model.fact("params", dict), where=model.where)
    for name, default in MstParser().get_params().items():
        if name in params.about:
            params.fact(name, (int, float) if isinstance(default, float) else type(default))
    try:
        parser = MstParser().set_params(**params.about)
        parser.check_params()
    except (ProjError, TypeError) as error:
        raise ModelError(f"'params': {error}", model.where, REMEDY) from None
    return parser
