"""Word alignment of texts of any length: shards are learned from one by one, anywhere, then aligned in the light of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from divproj.data.errors import Faults
from divproj.links.words.counts import Counts, Tally
from divproj.links.words.direction import Watch
from divproj.links.words.model import Known, Linked, WordAligner
from divproj.links.words.text import Shard, Text, sides
from divproj.links.words.vocabulary import stem
from divproj.runtime import engine
from divproj.runtime.checkpoint import NOTHING, Checkpoint
from divproj.runtime.engine import HERE, Place

Arrays = Mapping[str, NDArray[Any]]


def align_text(
    aligner: WordAligner,
    text: Text,
    known: Known | None = None,
    *,
    learn: bool = True,
    place: Place = HERE,
    watch: Watch | None = None,
    keep: Checkpoint = NOTHING,
    say: Callable[[str], None] | None = None,
) -> Iterator[list[Linked]]:
    """Links of all pairs, shard by shard; with `learn` the aligner remembers in the end what was learned.

    A text of one shard is aligned here as `fit_align` does. Of a longer one each shard is learned from by itself first, then
    aligned with the counts of the others as prior. Departs: an exact sampler would see each new link in all shards at once.
    The same bytes come out wherever the shards are worked on; those that are done are kept in the checkpoint.
    """
    if text.shard_count > 1:
        yield from _Passes(aligner, text, aligner.prior(known), learn, place, watch, keep, say).run()
        return
    for shard in text.shards():
        lemmas, tags = sides(shard.lemmas), sides(shard.tags)
        made = aligner.learn(shard.pairs(), aligner.prior(known), lemmas=lemmas, tags=tags, watch=watch, keep=keep)
        if learn:
            aligner.remember(made.words)
        yield made.links


@dataclass(frozen=True)
class _Task:
    """What a worker is sent: a shard, and what is known beforehand of its words and stems."""

    shard: Shard
    words: Counts
    stems: Counts


def _work(aligner: WordAligner, pairs: int, threads: int, linked: bool, task: _Task, _: Faults) -> dict[str, NDArray[Any]]:
    """What a shard teaches or, with `linked`, its links and the words there; all shards have so many `pairs`."""
    prior, shard = (task.words.known(), task.stems.known()), task.shard
    lemmas, tags = sides(shard.lemmas), sides(shard.tags)
    made = aligner.learn(shard.pairs(), prior, lemmas=lemmas, tags=tags, threads=threads, of=pairs)
    if linked:
        return {**_packed(made.links), **made.words.arrays("words")}
    return {**made.words.arrays("words"), **made.stems.arrays("stems")}


def _packed(links: list[Linked]) -> dict[str, NDArray[Any]]:
    places = [place for linked in links for place in linked.chances]
    return {
        "shapes": np.array([linked.shape for linked in links], np.int32).reshape(-1, 2),
        "sizes": np.array([len(linked.chances) for linked in links], np.int32),
        "places": np.array(places, np.int32).reshape(-1, 2),
        "chances": np.array([chance for linked in links for chance in linked.chances.values()], float),
    }


def _unpacked(arrays: Arrays) -> list[Linked]:
    """What `_packed` made; ValueError or KeyError where it cannot be that."""
    shapes, sizes, places, chances = (arrays[name].tolist() for name in ("shapes", "sizes", "places", "chances"))
    if not (len(shapes) == len(sizes) and min(sizes, default=0) >= 0 and sum(sizes) == len(places) == len(chances)):
        raise ValueError("links that do not fit the pairs")
    links = zip(map(tuple, places), chances, strict=True)
    return [Linked(dict(islice(links, size)), (n, m)) for size, (n, m) in zip(sizes, shapes, strict=True)]


class _Known(NamedTuple):
    """What is known beforehand in part 0, and in part k what shard k has taught."""

    words: Tally
    stems: Tally


@dataclass
class _Passes:
    """Two passes over the shards of a long text."""

    aligner: WordAligner
    text: Text
    prior: tuple[Known, Known]
    learn: bool
    place: Place
    watch: Watch | None
    keep: Checkpoint
    say: Callable[[str], None] | None

    def run(self) -> Iterator[list[Linked]]:
        self._identify()
        before, taught, learned = self._known(), self._known(), Tally()
        for shard in self._each("learned", partial(self._task, before, False)):
            taught.words.add(shard.counts("words"))
            taught.stems.add(shard.counts("stems"))
        for shard in self._each("linked", partial(self._task, taught, True)):
            yield shard.links()
            if self.learn:
                learned.add(shard.counts("words"))
        if self.learn:
            self.aligner.remember(learned.counts())

    def _known(self) -> _Known:
        return _Known(*(Tally.of(known) for known in self.prior))

    def _identify(self) -> None:
        about = asdict(replace(self.aligner, counts_={}))
        self.keep.identify(about, self.text.digest, self.text.size, *(sorted(known.items()) for known in self.prior))

    def _task(self, known: _Known, second: bool, k: int, shard: Shard) -> _Task:
        """With what is known beforehand and, in the second pass, what the other shards have taught; this one knows its own."""
        without = k + 1 if second else None
        forms = [[self.aligner.form(name) for name in column.names] for column in (shard.f, shard.e)]
        falls = [{stem(form, self.aligner.stem_length) for form in side} for side in forms]
        for fall, lemmas in zip(falls, shard.lemmas or (), strict=False):
            fall.update(name.lower() for name in lemmas.names)
        words, stems = known.words.between(forms, without), known.stems.between(falls, without)
        return _Task(shard, words, stems)

    def _each(self, stage: str, task: Callable[[int, Shard], _Task]) -> Iterator[_Result]:
        """The results of a pass, in order; those that an earlier run has kept are not made again."""
        keep, count = self.keep, self.text.shard_count
        names = [f"{stage}-{k + 1}" for k in range(count)]
        kept = {name for name in names if keep.has(name)}

        def read(_: Faults) -> Iterator[_Task]:
            for k, shard in enumerate(self.text.shards()):
                if names[k] not in kept:
                    yield task(k, shard)

        bare = replace(self.aligner, counts_={})
        work = partial(_work, bare, self.text.usable, 2 if self.place.here else 1, stage == "linked")
        with closing(engine.run(work, read, None, self.place, self.say)) as results:
            for k, name in enumerate(names):
                found = keep.read(name) if name in kept else None
                if found is None:
                    found = next(results)
                    keep.finish(name, found)
                if self.watch:
                    self.watch(stage, k + 1, float("nan"))
                yield _Result(name, found, keep)


@dataclass(frozen=True)
class _Result:
    """What a worker made of a shard, or an earlier run's worker."""

    name: str
    arrays: Arrays
    keep: Checkpoint

    def counts(self, name: str) -> Counts:
        with self._whole():
            return Counts.from_arrays(self.arrays, name)

    def links(self) -> list[Linked]:
        with self._whole():
            return _unpacked(self.arrays)

    @contextmanager
    def _whole(self) -> Iterator[None]:
        try:
            yield
        except (KeyError, ValueError, TypeError) as error:
            raise self.keep.broken(self.name, str(error)) from None
