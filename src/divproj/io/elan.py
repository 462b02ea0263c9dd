"""ELAN .eaf: tiers of annotations, each aligned to time or to an annotation of the tier above.

Which tier is what is told by the option `tiers` (`text words morphs glosses pos translation`, by tier or by linguistic
type) or guessed from their names. An annotation of the topmost tier concerned is an instance.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, BinaryIO

from divproj.data.errors import Faults, FormatError, ProjError, Where
from divproj.data.igt import Igt
from divproj.io import elan_roles
from divproj.io.elan_roles import ROLES, Annotation, Tier
from divproj.io.elan_tiers import Annotations, depth_of, tiers_above
from divproj.io.files import Source
from divproj.io.igt_parts import glue, grouped, instance, joined, one_line, preferred, squeezed, tokens
from divproj.io.igt_text import Options, from_file, from_text
from divproj.io.igt_xml import Node, units
from divproj.io.settings import SAME_SPEAKER, WITHIN_TEXT
from divproj.io.translation_language import lang_code

TAGS = frozenset({
    "ANNOTATION_DOCUMENT", "HEADER", "TIME_ORDER", "TIME_SLOT", "TIER", "ANNOTATION", "ALIGNABLE_ANNOTATION", "REF_ANNOTATION",
    "ANNOTATION_VALUE", "LINGUISTIC_TYPE", "LANGUAGE", "PROPERTY", "MEDIA_DESCRIPTOR",
})  # fmt: skip


def load(source: Source, faults: Faults | None = None, **options: Any) -> Iterator[Igt]:
    return from_file(read, source, faults, options)


def loads(text: str, faults: Faults | None = None, **options: Any) -> list[Igt]:
    return from_text(read, text, faults, options)


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Igt]:
    unknown = sorted(set(options.tiers) - set(ROLES))
    if unknown:
        raise ProjError(f"unknown role {unknown[0]!r} of a tier, one of {', '.join(ROLES)} expected")
    for _, igt in _found(stream, path, faults, options):
        yield igt


def places(stream: BinaryIO, path: str, faults: Faults, options: Options) -> list[tuple[str, str]]:
    """Tier and annotation of each sentence, in the order of `read`."""
    return [place for place, _ in _found(stream, path, faults, options)]


def _found(stream: BinaryIO, path: str, faults: Faults, options: Options) -> list[tuple[tuple[str, str], Igt]]:
    """The sentences and where they are, in the order in which they are spoken."""
    tiers = _tiers(stream, path, faults, options)
    trees = {name: tier for name, tier in tiers.items() if tier.kind == "divproj-tree"}
    tiers = {name: tier for name, tier in tiers.items() if name not in trees}
    file = _File(tiers, path, faults)
    file.trees = {made.parent: made.value for tier in trees.values() for made in tier.annotations}
    found = [pair for roles in _role_sets(tiers, path, options) for pair in file.instances(roles, options)]
    return [(place, igt) for _, place, igt in sorted(found, key=lambda triple: triple[0])]


def _tiers(stream: BinaryIO, path: str, faults: Faults, options: Options) -> dict[str, Tier]:
    tiers: dict[str, Tier] = {}
    times: dict[str, int] = {}
    kinds: dict[str, str] = {}
    for node, _ in units(stream, path, faults, options, lambda _, parent: parent == "ANNOTATION_DOCUMENT", TAGS):
        if node.tag == "TIME_ORDER":
            times = _times(node)
        elif node.tag == "TIER":
            tier = _tier(node, times)
            tiers[tier.name] = tier
        elif node.tag == "LINGUISTIC_TYPE":
            kinds[node.get("LINGUISTIC_TYPE_ID")] = node.get("CONSTRAINTS")
    elan_roles.with_constraints(tiers, kinds)
    return tiers


def _times(node: Node) -> dict[str, int]:
    """Milliseconds of the slots; one without a value has that of the slot before it."""
    found: dict[str, int] = {}
    last = 0
    for slot in node.all("TIME_SLOT"):
        value = slot.get("TIME_VALUE")
        last = int(value) if value.isdecimal() else last
        found[slot.get("TIME_SLOT_ID")] = last
    return found


def _tier(node: Node, times: dict[str, int]) -> Tier:
    name = node.get("TIER_ID")
    tier = Tier(name, node.get("LINGUISTIC_TYPE_REF"), node.get("PARENT_REF"), node.get("PARTICIPANT"), node.get("LANG_REF"))
    for holder in node.all("ANNOTATION"):
        for made in holder.children[:1]:
            value = "".join(text.text for text in made.all("ANNOTATION_VALUE"))
            begin, end = times.get(made.get("TIME_SLOT_REF1"), -1), times.get(made.get("TIME_SLOT_REF2"), -1)
            ref, before = made.get("ANNOTATION_REF"), made.get("PREVIOUS_ANNOTATION")
            tier.annotations.append(
                Annotation(made.get("ANNOTATION_ID"), squeezed(one_line(value)), made.line, ref, before, begin, end)
            )
    return tier


def _role_sets(tiers: dict[str, Tier], path: str, options: Options) -> list[dict[str, list[str]]]:
    """Tiers of each role, one set for every speaker (or other topmost tier)."""
    by_role: dict[str, list[str]] = {}
    named: dict[str, str] = {}
    for role, wanted in options.tiers.items():
        found = [name for name, tier in tiers.items() if wanted in (name, tier.kind) or name.partition("@")[0] == wanted]
        if not found:
            what = f"no tier or type {wanted!r}; the tiers are {elan_roles.shown_names(tiers)}"
            raise FormatError(what, Where(path), "name one of these")
        by_role[role] = found
        named |= dict.fromkeys(found, role)
    for name, (role, _) in elan_roles.guessed(tiers, named).items():
        if role in (*ROLES, elan_roles.LITERAL) and role not in options.tiers and tiers[name].annotations:
            by_role.setdefault(role, []).append(name)
    if "words" not in by_role and "text" not in options.tiers:
        divided = [name for name in by_role.get("text", ()) if tiers[name].parent and _shared_parent(tiers[name])]
        by_role["words"] = divided
        by_role["text"] = [name for name in by_role.get("text", ()) if name not in divided]
    if not any(by_role.get(role) for role in ("words", "text", "morphs")):
        remedy = "name them, as in `tiers=words=…,glosses=…,translation=…` (proj check --tiers list shows them)"
        what = f"no tier looks like words or text; the tiers are {elan_roles.shown_names(tiers)}"
        raise FormatError(what, Where(path), remedy)
    sets: dict[str, dict[str, list[str]]] = {}
    loose: dict[str, list[str]] = {}
    tops = {elan_roles.topmost(tiers, name) for role in ("words", "text", "morphs") for name in by_role.get(role, ())}
    for role, names in by_role.items():
        for name in sorted(names, key=lambda name: _rank(tiers, name, role, options.lang)):
            top = elan_roles.topmost(tiers, name)
            (sets.setdefault(top, {}) if top in tops else loose).setdefault(role, []).append(name)
    _merge(tiers, sets)
    for roles in sets.values():
        for role, names in loose.items():
            roles.setdefault(role, names)
    return list(sets.values())


def _rank(tiers: dict[str, Tier], name: str, role: str, lang: str) -> tuple[int, bool]:
    """Sorts the tiers of one role: the one to read comes first."""
    if role in ("glosses", "pos"):
        return -depth_of(tiers, name), elan_roles.language(tiers[name]) not in ("", lang_code(lang))
    return 0, role == "text" and elan_roles.is_phonetic(tiers[name])


def _merge(tiers: dict[str, Tier], sets: dict[str, dict[str, list[str]]]) -> None:
    """Words that have times of their own belong to the text that is spoken meanwhile, not to sentences of their own."""
    texts = [top for top, roles in sets.items() if roles.get("text")]
    for top in [top for top in sets if top not in texts]:
        spans = {text: _share_within(tiers[top], tiers[sets[text]["text"][0]], tiers[text]) for text in texts}
        best = max(spans, key=lambda text: spans[text], default="")
        if best and spans[best] > WITHIN_TEXT:
            for role, names in sets.pop(top).items():
                sets[best].setdefault(role, names)


def _share_within(tier: Tier, text: Tier, top: Tier) -> float:
    timed = text if any(made.begin >= 0 for made in text.annotations) else top
    spans = sorted((made.begin, made.end) for made in timed.annotations if made.begin >= 0)
    starts = [begin for begin, _ in spans]
    own = [made.begin for made in tier.annotations if made.begin >= 0]
    inside = sum((k := bisect_right(starts, begin) - 1) >= 0 and begin < spans[k][1] for begin in own)
    same = elan_roles.speaker(tier) == elan_roles.speaker(top)
    return inside / len(own) + SAME_SPEAKER * same if own and len(own) > len(spans) else 0.0


def _shared_parent(tier: Tier) -> bool:
    """Whether two annotations hang on one."""
    parents = [made.parent for made in tier.annotations if made.parent]
    return len(parents) > len(set(parents))


def shown(stream: BinaryIO, path: str, faults: Faults, options: Options) -> list[elan_roles.Shown]:
    """The tiers of a file and what each is read as."""
    tiers = _tiers(stream, path, faults, options)
    named = {
        name: role for role, wanted in options.tiers.items() for name, tier in tiers.items() if wanted in (name, tier.kind)
    }
    return elan_roles.table(tiers, elan_roles.guessed(tiers, named))


class _File(Annotations):
    """A file, sentence by sentence."""

    def __init__(self, tiers: dict[str, Tier], path: str, faults: Faults) -> None:
        super().__init__(tiers, path, faults)
        self.trees: dict[str, str] = {}
        """Trees that were written back, by the annotation they hang on."""
        self._ids: dict[str, bool] = {}

    def instances(self, roles: dict[str, list[str]], options: Options) -> Iterator[tuple[int, tuple[str, str], Igt]]:
        """One for each annotation of the text tier, or of one above it that has one such each."""
        if roles.get("text"):
            chain = tiers_above(self.tiers, roles["text"][0])
        else:
            chain = tiers_above(self.tiers, (roles.get("words") or roles["morphs"])[0])
            chain = chain[1:] or chain
        top_tier = chain[0]
        for below, above in pairwise(chain):
            if any(len(found) > 1 for found in self.index(below, above).values()):
                break
            top_tier = above
        for top in sorted(self.tiers[top_tier].annotations, key=lambda a: a.begin):
            made = self._instance(top, top_tier, roles, options)
            if any(char.isalnum() for word in made.words for char in word) or (made.words and made.translation):
                yield top.begin, (top_tier, top.id), made

    def _instance(self, top: Annotation, top_tier: str, roles: dict[str, list[str]], options: Options) -> Igt:
        found = {role: self._first(names, top, top_tier) for role, names in roles.items() if role in ROLES[:-1]}
        text = " ".join(a.value for a in found.get("text", []))
        words = found.get("words", [])
        if not words and top_tier in roles.get("words", ()):
            words = [top]
        if not text and words and all(" " in a.value for a in words):
            text, words = " ".join(a.value for a in words), []
        pieces = found.get("morphs", [])
        if not pieces and any(a.value[:1] in "=-" or a.value[-1:] in "=-" for a in words if len(a.value) > 1):
            words, pieces = [], words  # clitics and affixes that stand apart belong to the word beside them
        groups = [[k for k, piece in enumerate(pieces) if self.hangs(piece, word.id)] for word in words]
        values = [piece.value for piece in pieces]
        if not words or not any(groups):
            spread = tokens(" ".join(values))
            values, pieces = (list(spread), []) if len(pieces) == 1 and len(spread) > 1 else (values, pieces)
            groups = grouped(values)
        segments = [joined([values[k] for k in group]) for group in groups] if values else []
        marks = [glue([values[k] for k in group])[1] for group in groups]
        above = [word.id for word in words]
        glosses = self._below(found.get("glosses", []), above, pieces, groups, marks)
        tags = self._below(found.get("pos", []), above, pieces, groups, marks)
        translations = [
            (elan_roles.language(self.tiers[name]), " ".join(a.value for a in self.under(name, top, top_tier)))
            for name in roles.get("translation", ())
        ]
        translation, all_of_them = preferred(translations, options.lang, stated=True)
        forms = [word.value for word in words] or list(tokens(text)) or segments
        tier = self.tiers[top_tier]
        times = [("begin", str(top.begin)), ("end", str(top.end))] if top.begin >= 0 else []
        meta = [("speaker", elan_roles.speaker(tier)), *times]
        if top.id in self.trees:
            pairs = [value.partition(":") for value in self.trees[top.id].split()]
            meta += [("hd", " ".join(head for head, _, _ in pairs)), ("rl", " ".join(rel or "_" for _, _, rel in pairs))]
        sent_id = top.value if top.value and self._is_ids(top_tier) else top.id
        if top.value and top.value not in (text, " ".join(forms), sent_id) and top_tier not in roles.get("words", ()):
            meta.append((tier.name, top.value))
        for name in roles.get(elan_roles.LITERAL, ()):
            meta.append(("lit", " ".join(a.value for a in self.under(name, top, top_tier))))
        for name in roles.get("glosses", [])[1:]:
            meta.append((name, " ".join(a.value for a in self.under(name, top, top_tier))))
        return instance(
            [form or "_" for form in forms],
            segments,
            glosses,
            tags,
            text=text if words else "",
            translation=translation,
            translations=all_of_them,
            sent_id=sent_id,
            language=tier.lang,
            meta=meta,
            where=Where(self.path, top.line, sent_id),
        )

    def _is_ids(self, name: str) -> bool:
        if name not in self._ids:
            self._ids[name] = elan_roles.is_ids(self.tiers[name])
        return self._ids[name]

    def _first(self, names: list[str], top: Annotation, top_tier: str) -> list[Annotation]:
        """Annotations of the first of some tiers that has any here."""
        return next((found for name in names if (found := self.under(name, top, top_tier))), [])

    def _below(
        self,
        made: list[Annotation],
        words: list[str],
        pieces: list[Annotation],
        groups: list[list[int]],
        marks: list[list[str]],
    ) -> list[str]:
        """Glosses or tags of the words: one a word, or one a morpheme joined as the morphemes are."""
        if len(made) == 1 and (spread := tokens(made[0].value)) and len(spread) > 1 and len(words or groups) != 1:
            if not pieces and len(spread) == sum(map(len, groups)) > len(groups):
                return [joined([spread[k] for k in group], mark) for group, mark in zip(groups, marks, strict=True)]
            return list(spread)
        by_piece = {self.up.get(a.id, ""): a.value for a in made}
        if pieces and any(piece.id in by_piece for piece in pieces):
            return [
                joined([by_piece.get(pieces[k].id, "") for k in group], mark) for group, mark in zip(groups, marks, strict=True)
            ]
        if words and any(word in by_piece for word in words):
            return [" ".join(a.value for a in made if self.up.get(a.id) == word) for word in words]
        return [a.value for a in made]
