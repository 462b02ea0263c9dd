"""The network of the gloss model for training, the same as `divproj.projection.glossed.model` computes without torch."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from divproj.projection.glossed.model import (
    COLUMN,
    COLUMNS,
    EDGE,
    EDGE_WIDTH,
    GLOSS,
    GRAM,
    INPUT,
    LINKED,
    NETWORK_KIND,
    ORDER,
    RELS,
    SLOPE,
    TEXT,
    VECTOR,
)
from divproj.ud.tagsets import UPOS

Batch = dict[str, torch.Tensor]


class Network(nn.Module):
    """Tags, heads and relations; `hold` is the share of values that are dropped."""

    def __init__(self, grams: int, kinds: int, width: int = 64, hold: float = 0.4) -> None:
        super().__init__()
        state, size = 4 * width + len(UPOS), EDGE_WIDTH
        self.columns = nn.ModuleDict({name: nn.Embedding(rows, COLUMN, padding_idx=0) for name, rows in COLUMNS.items()})
        self.grams = nn.Embedding(grams + 2, GRAM, padding_idx=0)
        self.kinds = nn.Embedding(kinds + 2, NETWORK_KIND, padding_idx=0)
        self.gloss, self.linked = nn.Linear(VECTOR, GLOSS), nn.Linear(VECTOR, LINKED)
        self.text, self.enter = nn.Linear(ORDER, TEXT), nn.Linear(INPUT, 2 * width)
        self.lstm = nn.LSTM(2 * width, width, batch_first=True, bidirectional=True)
        self.tag = nn.Linear(4 * width, len(UPOS))
        self.root = nn.Parameter(torch.randn(state) * 0.05)
        self.child, self.head = nn.Linear(state, size), nn.Linear(state, size)
        self.product = nn.Parameter(torch.zeros(size + 1, size))
        self.edge_child, self.edge_head = nn.Linear(state, size), nn.Linear(state, size)
        self.said, self.order = nn.Linear(1, size), nn.Linear(ORDER, size)
        self.edge = nn.ModuleDict({name: _small(rows, size) for name, rows in EDGE.items()})
        self.score, self.straight = nn.Linear(size, 1), nn.Linear(1, 1)
        self.rel_child, self.rel_head = nn.Linear(state, size), nn.Linear(state, size)
        self.rel_edge = nn.ModuleDict({name: _small(rows, size) for name, rows in EDGE.items()})
        self.rel = nn.Linear(size, len(RELS))
        self.hold = nn.Dropout(hold)

    def forward(self, b: Batch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Scores of tags, of heads [sentence, child, head], and of relations under the gold heads."""
        size, n = b["tags"].shape
        columns = self._dropped(b["columns"], 0.1)
        grams = self._dropped(b["grams"], 0.1, 1)
        gloss, linked = self._dropped(b["gloss"], 0.25, 1), self._dropped(b["linked"], 0.25, 1)
        text, said = self._dropped(b["text"], 0.15), self._dropped(b["said"], 0.1, 1, 1)
        parts = [table(columns[..., k]) for k, table in enumerate(self.columns.values())]
        parts += [self.grams(grams).sum(2), self.kinds(b["kinds"]).sum(2), self.gloss(gloss), self.linked(linked)]
        parts.append(self.text(text)[:, None].expand(size, n, -1))
        x = self.hold(torch.relu(self.enter(self.hold(torch.cat(parts, -1)))))
        packed = nn.utils.rnn.pack_padded_sequence(x, b["length"], batch_first=True, enforce_sorted=False)
        y, _ = nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        z = self.hold(torch.cat([x, y], -1))
        tags = self.tag(z)
        z = torch.cat([z, tags.softmax(-1)], -1)
        up = torch.cat([self.root.expand(size, 1, -1), z], 1)
        child = self.hold(functional.leaky_relu(self.child(z), SLOPE))
        head = self.hold(functional.leaky_relu(self.head(up), SLOPE))
        scores = torch.cat([child, torch.ones(size, n, 1)], -1) @ self.product @ head.transpose(1, 2)
        edges = b["edges"].transpose(2, 3)[:, :, 1:]
        said = said.transpose(1, 2)[:, 1:, :, None]
        hidden = sum(table(edges[k]) for k, table in enumerate(self.edge.values()))
        hidden = hidden + self.edge_child(z)[:, :, None] + self.edge_head(up)[:, None] + self.said(said)
        hidden = torch.relu(hidden + self.order(text)[:, None, None])
        scores = scores + self.score(self.hold(hidden))[..., 0] + self.straight(said)[..., 0]
        own, places = torch.arange(n), torch.arange(n + 1)
        bad = (places[None] > b["length"][:, None])[:, None].expand(size, n, n + 1).clone()
        bad[:, own, own + 1] = True
        scores = scores.masked_fill(bad, -1e4)
        row, gold = torch.arange(size)[:, None], b["heads"].clamp(min=0)
        found = self.rel_child(z) + self.rel_head(up)[row, gold]
        for k, table in enumerate(self.rel_edge.values()):
            found = found + table(b["edges"][k][row, gold, own[None] + 1])
        return tags, scores, self.rel(self.hold(torch.relu(found)))

    def _dropped(self, x: torch.Tensor, share: float, *shape: int) -> torch.Tensor:
        """Some values as if they were not known: whole rows where a shape for the last places is given."""
        if not self.training:
            return x
        full = (*x.shape[: x.dim() - len(shape)], *shape) if shape else x.shape
        return x * (torch.rand(full) > share)

    def arrays(self) -> dict[str, np.ndarray]:
        """Weights by the names of `divproj.projection.glossed.model.shapes`."""
        tables = ("columns.", "edge.", "rel_edge.", "grams.", "kinds.")
        found = {name: weight.detach().numpy().copy() for name, weight in self.state_dict().items()}
        return {name.removesuffix(".weight") if name.startswith(tables) else name: array for name, array in found.items()}


def _small(rows: int, size: int) -> nn.Embedding:
    made = nn.Embedding(rows, size)
    nn.init.normal_(made.weight, std=0.1)
    return made
