"""The network in torch: what `divproj.parsing.network` computes, with gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from data import Corpus
from divproj.parsing import network

SMALL, TAGS, ARC, REL, SLOPE = 64, 32, 200, 80, 0.1
"""Sizes: a row of the trained and hashed tables, a fed-back tag, words in the scores of edges and of relations."""


class Network(nn.Module):
    """Tables, BiLSTM, tags on the first layer and fed to the second, biaffine edges and relations."""

    def __init__(self, vectors: np.ndarray, sizes: dict[str, int], layers: int = 3, width: int = 200) -> None:
        super().__init__()
        self.sizes, self.layers, self.width = sizes, layers, width
        self.register_buffer("vectors", torch.from_numpy(vectors))
        self.no_vector = nn.Parameter(torch.zeros(vectors.shape[1]))
        self.trained = nn.Embedding(sizes["trained"] + 1, SMALL)
        self.affixes = nn.EmbeddingBag(network.AFFIX_ROWS, SMALL, mode="sum")
        self.grams = nn.EmbeddingBag(network.GRAM_ROWS, SMALL, mode="mean")
        nn.init.normal_(self.trained.weight, std=0.3)
        nn.init.normal_(self.affixes.weight, std=0.15)
        nn.init.normal_(self.grams.weight, std=0.5)
        given = vectors.shape[1] + 3 * SMALL
        inputs = [given, 2 * width + 2 * TAGS] + [2 * width] * (layers - 2)
        self.lstms = nn.ModuleList(nn.LSTM(size, width, bidirectional=True, batch_first=True) for size in inputs)
        for lstm in self.lstms:
            for name, weight in lstm.named_parameters():
                if "weight_hh" in name:
                    for part in weight.data.chunk(4):
                        nn.init.orthogonal_(part)
                elif "weight_ih" in name:
                    nn.init.xavier_uniform_(weight)
                else:
                    weight.data.zero_()
                    if "bias_ih" in name:
                        weight.data[width : 2 * width] = 1.0
        self.upos = nn.Linear(2 * width, sizes["upos"])
        self.xpos = nn.Linear(2 * width, sizes["xpos"])
        self.upos_fed = nn.Linear(sizes["upos"], TAGS, bias=False)
        self.xpos_fed = nn.Linear(sizes["xpos"], TAGS, bias=False)
        self.words = nn.Linear(2 * width, 2 * ARC + 2 * REL)
        self.root = nn.Parameter(torch.zeros(ARC + REL))
        self.arc = nn.Parameter(torch.zeros(ARC + 1, ARC))
        self.rel = nn.Parameter(torch.zeros(sizes["rels"], REL + 1, REL + 1))
        nn.init.xavier_uniform_(self.words.weight)
        nn.init.normal_(self.root, std=0.5)
        nn.init.orthogonal_(self.arc.data[:ARC])
        self.arc.data[:ARC] *= 0.3

    def forward(self, batch: dict[str, torch.Tensor], heads: torch.Tensor | None) -> dict[str, torch.Tensor]:
        """Scores of sentences of one length; relations for these heads, or for the best ones."""
        x = self._input(batch)
        scores: dict[str, torch.Tensor] = {}
        for k, lstm in enumerate(self.lstms):
            x, _ = lstm(x)
            x = self._drop(x, 0.33)
            if k == 0:
                scores["upos"], scores["xpos"] = self.upos(x), self.xpos(x)
                fed = [self.upos_fed(scores["upos"].softmax(-1)), self.xpos_fed(scores["xpos"].softmax(-1))]
                x = torch.cat([x, *fed], -1)
        with torch.autocast("cpu", enabled=False):  # scores of heads need all their digits
            y = self._drop(F.leaky_relu(self.words(x.float()), SLOPE), 0.33)
            scores["arcs"] = self._arcs(y)
        rel_dep, rel_head = y[..., 2 * ARC :].split(REL, -1)
        rel_head = torch.cat([self.root[ARC:].expand(len(y), 1, -1), rel_head], 1)
        one = y.new_ones(*y.shape[:2], 1)
        chosen = scores["arcs"].argmax(-1) if heads is None else heads
        above = rel_head.gather(1, chosen[..., None].expand(-1, -1, REL))
        scores["rels"] = self._relations(torch.cat([rel_dep, one], -1), torch.cat([above, one], -1))
        return scores

    def _arcs(self, y: torch.Tensor) -> torch.Tensor:
        dep, head = y[..., : 2 * ARC].split(ARC, -1)
        some, length = dep.shape[:2]
        head = torch.cat([self.root[:ARC].expand(some, 1, -1), head], 1)
        arcs = torch.cat([dep, dep.new_ones(some, length, 1)], -1) @ self.arc @ head.transpose(1, 2)
        own = torch.arange(length)
        hidden = torch.zeros(length, length + 1, dtype=torch.bool)
        hidden[own, own + 1] = True
        return arcs.masked_fill(hidden, -1e4)

    def _relations(self, dep: torch.Tensor, head: torch.Tensor) -> torch.Tensor:
        size = REL + 1
        flat = dep.reshape(-1, size) @ self.rel.permute(1, 0, 2).reshape(size, -1)
        flat = flat.view(-1, self.sizes["rels"], size)
        return (flat @ head.reshape(-1, size, 1)).view(*dep.shape[:2], -1)

    def _input(self, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        known = self.vectors[batch["vector"]] + (batch["vector"] == 0)[:, None] * self.no_vector
        types = [
            known,
            self.trained(batch["trained"]),
            self.affixes(batch["affixes"]),
            self.grams(batch["grams"], batch["gram_at"]),
        ]
        parts = [part[batch["types"]] for part in types]
        if self.training:
            for k, drop in enumerate((0.1, 0.2, 0.05, 0.05)):
                parts[k] = parts[k] * (torch.rand(*parts[k].shape[:2], 1) > drop)
        return self._drop(torch.cat(parts, -1), 0.25)

    def _drop(self, x: torch.Tensor, share: float) -> torch.Tensor:
        """Drop the same columns in all words of a sentence."""
        if not self.training:
            return x
        return x * (torch.rand(x.shape[0], 1, x.shape[2]) > share) / (1 - share)


def gathered(corpus: Corpus, places: np.ndarray) -> dict[str, torch.Tensor]:
    """What the network reads of words at these places: rows of the word types among them, and which type each word is."""
    types, inverse = np.unique(corpus.type_of[places], return_inverse=True)
    start, size = corpus.gram_at[types], np.diff(corpus.gram_at)[types]
    at = np.concatenate([[0], np.cumsum(size)])
    grams = corpus.grams[np.repeat(start - at[:-1], size) + np.arange(at[-1])]
    arrays: dict[str, Any] = {
        "vector": corpus.vector[types],
        "trained": corpus.trained[types],
        "affixes": corpus.affixes[types],
        "grams": grams,
        "gram_at": at[:-1],
        "types": inverse.reshape(places.shape),
    }
    return {name: torch.from_numpy(array) for name, array in arrays.items()}
