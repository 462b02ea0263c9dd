"""Training of one network: passes over the treebank, kept after each, so that a killed run goes on where it was."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

from data import Corpus, Lessons
from model import Network, gathered

WEIGHTS = {"arcs": 1.0, "rels": 0.6, "upos": 0.4, "xpos": 0.4}
"""Weights of the losses, chosen on the development part with the prototype."""

CLIP = 5.0
"""Longest gradient."""


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
    half: bool = "avx512_bf16" in torch.backends.cpu.get_cpu_capability().lower()
    """Whether most products are taken with 16 bits while training: 1.7 times faster where the processor has them."""
    bare: float = 0.15
    """Share of the sentences that are shown without capital and final mark."""
    soft: float = 0.6
    """Share of the teachers in the targets of a student; the rest is gold."""


@dataclass
class Soft:
    """What teachers think of every word."""

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


def train(
    network: Network,
    lessons: Lessons,
    own: np.ndarray,
    course: Course,
    folder: Path,
    dev: Corpus | None = None,
    soft: Soft | None = None,
    log: str = "",
) -> None:
    """Train on some of the sentences, or go on training; `final.pt` in the folder has the averaged weights in the end.

    `dev` is judged now and then and shown; it chooses nothing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    state, final = folder / "state.pt", folder / "final.pt"
    trained = list(network.parameters())
    best = torch.optim.Adam(trained, lr=course.rate, betas=(0.9, 0.95), fused=True)
    mean = {name: weight.detach().clone() for name, weight in network.named_parameters()}
    done = step = 0
    if state.exists():
        kept = torch.load(state, weights_only=True)
        network.load_state_dict(kept["network"])
        best.load_state_dict(kept["best"])
        mean, done, step = kept["mean"], kept["done"], kept["step"]
    for epoch in range(done, course.epochs):
        began, used, total = time.time(), time.process_time(), 0.0
        torch.manual_seed(course.seed * 1000 + epoch)
        batches = lessons.shuffled(own, course.words, np.random.default_rng((course.seed, epoch)), course.bare)
        network.train()
        for k, sentences in enumerate(batches):
            left = 1 - (epoch + k / len(batches)) / course.epochs
            for group in best.param_groups:
                group["lr"] = course.rate * min(1.0, left / (1 - course.hold))
            best.zero_grad(set_to_none=True)
            with torch.autocast("cpu", torch.bfloat16, enabled=course.half):
                loss = _loss(network, lessons.corpus, sentences, soft, course)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, CLIP)
            best.step()
            total += loss.item()
            step += 1
            keep = min(course.average, (1 + step) / (10 + step))
            with torch.no_grad():
                torch._foreach_lerp_(list(mean.values()), [w for _, w in network.named_parameters()], 1 - keep)
        kept = {"network": network.state_dict(), "best": best.state_dict(), "mean": mean, "done": epoch + 1, "step": step}
        torch.save(kept, folder / "state.part")
        (folder / "state.part").replace(state)
        line = f"{log} epoch {epoch + 1} loss {total:.0f} {time.time() - began:.0f} s ({time.process_time() - used:.0f} CPU s)"
        if dev is not None and ((epoch + 1) % 4 == 0 or epoch + 1 == course.epochs):
            line += " dev " + " ".join(f"{k} {v:.2f}" for k, v in judged(averaged(network, mean), dev).items())
        print(line, flush=True)
    torch.save(averaged(network, mean).state_dict(), folder / "final.part")
    (folder / "final.part").replace(final)


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
            loss = F.cross_entropy(flat, target, reduction="sum", ignore_index=-1)
        else:
            thought = _thought(soft, name, sentences, places, flat.shape[1])
            known = (target >= 0)[:, None]  # a tag of the development part may be unknown to the training part
            gold_target = F.one_hot(target.clamp(min=0), flat.shape[1]) * known
            mixed = course.soft * thought + (1 - course.soft) * gold_target
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


def blank(corpus: Corpus, sizes: dict[str, int]) -> dict[str, np.ndarray]:
    """Room for the opinion of a teacher; `arc_at` says where the heads of each sentence begin."""
    lengths = np.diff(corpus.first)
    arc_at = np.concatenate([[0], np.cumsum(lengths * (lengths + 1))])
    tags = {name: np.zeros((len(corpus.heads), sizes[name]), np.float16) for name in ("rels", "upos", "xpos")}
    return {"arcs": np.zeros(arc_at[-1], np.float16), "arc_at": arc_at, **tags}


def keep(opinion: dict[str, np.ndarray], path: Path) -> None:
    """Write an opinion, whole or not at all."""
    part = path.with_suffix(".part.npz")
    np.savez(part, **opinion)
    part.replace(path)


def think(network: Network, corpus: Corpus, path: Path) -> None:
    """Write what a network thinks of every word of a corpus; relations at the gold heads."""
    made = blank(corpus, network.sizes)
    for sentences, places, scores in _scores(network, corpus, gold=True):
        found = {name: score.softmax(-1).numpy() for name, score in scores.items()}
        for name in ("rels", "upos", "xpos"):
            made[name][places] = found[name]
        for sentence, own in zip(sentences, found["arcs"], strict=True):
            made["arcs"][made["arc_at"][sentence] : made["arc_at"][sentence + 1]] = own.ravel()
    keep(made, path)
