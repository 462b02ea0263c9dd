"""Training of one network: passes over the treebank, kept after each, so that a killed run goes on where it was."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import distributed
from torch.nn import functional as F

from data import Corpus
from model import Network, gathered

WEIGHTS = {"arcs": 1.0, "rels": 0.6, "upos": 0.4, "xpos": 0.4}
"""Weights of the losses, chosen on the development part with the prototype."""


@dataclass(frozen=True)
class Course:
    """How a network is trained."""

    seed: int
    layers: int
    epochs: int
    width: int = 200
    words: int = 800
    rate: float = 2e-3
    hold: float = 0.3
    """Share of the steps with the full rate, which then goes down to 0 in a line."""
    average: float = 0.998
    soft: float = 0.7
    """Share of the teachers in the targets of a student; the rest is gold."""


@dataclass
class Soft:
    """What teachers think of every word of the training part."""

    arcs: np.ndarray
    arc_at: np.ndarray
    rels: np.ndarray
    upos: np.ndarray
    xpos: np.ndarray

    @classmethod
    def load(cls, paths: list[Path]) -> Soft:
        """The mean of several teachers."""
        found = [np.load(path, allow_pickle=False) for path in paths]
        mean = {k: sum(f[k].astype(np.float32) for f in found) / len(found) for k in ("arcs", "rels", "upos", "xpos")}
        return cls(arc_at=found[0]["arc_at"], **mean)


@dataclass(frozen=True)
class Share:
    """Which part of every batch is ours, where several processes train one network together."""

    rank: int = 0
    world: int = 1

    def join(self, folder: Path) -> None:
        if self.world > 1:
            distributed.init_process_group(
                "gloo", init_method=f"file://{folder / 'meeting'}", rank=self.rank, world_size=self.world
            )


def train(
    network: Network,
    corpus: Corpus,
    dev: Corpus,
    course: Course,
    folder: Path,
    soft: Soft | None = None,
    log: str = "",
    share: Share = Share(),
) -> None:
    """Train, or go on training; `final.pt` in the folder has the averaged weights in the end."""
    folder.mkdir(parents=True, exist_ok=True)
    share.join(folder)
    state, final = folder / "state.pt", folder / "final.pt"
    trained = list(network.parameters())
    slopes = _together(trained)
    best = torch.optim.Adam(trained, lr=course.rate, betas=(0.9, 0.95), fused=True)
    mean = {name: weight.detach().clone() for name, weight in network.named_parameters()}
    done = step = 0
    if state.exists():
        kept = torch.load(state, weights_only=True)
        network.load_state_dict(kept["network"])
        best.load_state_dict(kept["best"])
        mean, done, step = kept["mean"], kept["done"], kept["step"]
    steps = course.epochs * len(corpus.batches(course.words))
    for epoch in range(done, course.epochs):
        began, used, total = time.time(), time.process_time(), 0.0
        torch.manual_seed(course.seed * 1000 + epoch + share.rank * 1_000_000)
        random = np.random.default_rng((course.seed, epoch))
        network.train()
        for sentences in corpus.shuffled(course.words, random):
            for group in best.param_groups:
                group["lr"] = course.rate * min(1.0, max(0.0, (steps - step) / ((1 - course.hold) * steps)))
            slopes.zero_()
            if len(own := sentences[share.rank :: share.world]):
                loss = _loss(network, corpus, own, soft, course)
                loss.backward()
                total += loss.item()
            if share.world > 1:
                distributed.all_reduce(slopes)
            torch.nn.utils.clip_grad_norm_(trained, 5.0)
            best.step()
            step += 1
            keep = min(course.average, (1 + step) / (10 + step))
            with torch.no_grad():
                torch._foreach_lerp_(list(mean.values()), [w for _, w in network.named_parameters()], 1 - keep)
        if share.rank:
            continue
        kept = {"network": network.state_dict(), "best": best.state_dict(), "mean": mean, "done": epoch + 1, "step": step}
        torch.save(kept, folder / "state.part")
        (folder / "state.part").replace(state)
        line = f"{log} epoch {epoch + 1} loss {total:.0f} {time.time() - began:.0f} s ({time.process_time() - used:.0f} CPU s)"
        if (epoch + 1) % 3 == 0 or epoch + 1 == course.epochs:
            line += " dev " + " ".join(f"{k} {v:.2f}" for k, v in judged(averaged(network, mean), dev).items())
        print(line, flush=True)
    if share.rank:
        return
    torch.save(averaged(network, mean).state_dict(), folder / "final.part")
    (folder / "final.part").replace(final)


def _together(weights: list[torch.nn.Parameter]) -> torch.Tensor:
    """One array for the gradients of all weights, so that processes can add theirs up at once."""
    slopes = torch.zeros(sum(weight.numel() for weight in weights))
    at = 0
    for weight in weights:
        weight.grad = slopes[at : at + weight.numel()].view_as(weight)
        at += weight.numel()
    return slopes


def averaged(network: Network, mean: dict[str, torch.Tensor]) -> Network:
    """The network with the moving average of its weights."""
    made = Network(network.vectors.numpy(), network.sizes, network.layers, network.width)
    made.load_state_dict({**network.state_dict(), **mean})
    return made.eval()


def _loss(network: Network, corpus: Corpus, sentences: np.ndarray, soft: Soft | None, course: Course) -> torch.Tensor:
    places = corpus.grid(sentences)
    heads = torch.from_numpy(corpus.heads[places])
    scores = network(gathered(corpus, places), heads)
    gold = {"arcs": heads, **{k: torch.from_numpy(getattr(corpus, k)[places]) for k in ("rels", "upos", "xpos")}}
    total = torch.zeros(())
    for name, weight in WEIGHTS.items():
        flat = scores[name].flatten(0, 1)
        target = gold[name].flatten()
        if soft is None:
            loss = F.cross_entropy(flat, target, reduction="sum")
        else:
            thought = _thought(soft, name, sentences, places, flat.shape[1])
            mixed = course.soft * thought + (1 - course.soft) * F.one_hot(target, flat.shape[1])
            loss = -(mixed * flat.log_softmax(-1)).sum()
        total = total + weight * loss
    return total / course.words


def _thought(soft: Soft, name: str, sentences: np.ndarray, places: np.ndarray, size: int) -> torch.Tensor:
    if name != "arcs":
        return torch.from_numpy(getattr(soft, name)[places.ravel()])
    at = soft.arc_at[sentences][:, None] + np.arange(places.shape[1] * size)
    return torch.from_numpy(soft.arcs[at.ravel()]).view(-1, size)


def _scores(network: Network, corpus: Corpus, gold: bool, size: int = 4000) -> Iterator[tuple[np.ndarray, np.ndarray, dict]]:
    network.eval()
    with torch.inference_mode():
        for sentences in corpus.batches(size):
            places = corpus.grid(sentences)
            heads = torch.from_numpy(corpus.heads[places]) if gold else None
            yield sentences, places, network(gathered(corpus, places), heads)


def judged(network: Network, corpus: Corpus) -> dict[str, float]:
    """Accuracy in percent, best head word by word."""
    right = dict.fromkeys(("uas", "las", "upos", "xpos"), 0)
    for _, places, scores in _scores(network, corpus, gold=False):
        best = {name: found.argmax(-1).numpy() for name, found in scores.items()}
        heads = best["arcs"] == corpus.heads[places]
        right["uas"] += heads.sum()
        right["las"] += (heads & (best["rels"] == corpus.rels[places])).sum()
        right["upos"] += (best["upos"] == corpus.upos[places]).sum()
        right["xpos"] += (best["xpos"] == corpus.xpos[places]).sum()
    return {name: 100 * count / len(corpus.heads) for name, count in right.items()}


def think(network: Network, corpus: Corpus, path: Path) -> None:
    """Write what a teacher thinks of every word of a corpus; relations at the gold heads."""
    lengths = np.diff(corpus.first)
    arc_at = np.concatenate([[0], np.cumsum(lengths * (lengths + 1))])
    made = {k: np.zeros((len(corpus.heads), network.sizes[k]), np.float16) for k in ("rels", "upos", "xpos")}
    arcs = np.zeros(arc_at[-1], np.float16)
    for sentences, places, scores in _scores(network, corpus, gold=True):
        found = {name: score.softmax(-1).numpy() for name, score in scores.items()}
        for name in made:
            made[name][places] = found[name]
        for sentence, own in zip(sentences, found["arcs"], strict=True):
            arcs[arc_at[sentence] : arc_at[sentence + 1]] = own.ravel()
    part = path.with_suffix(".part.npz")
    np.savez(part, arcs=arcs, arc_at=arc_at, **made)
    part.replace(path)
