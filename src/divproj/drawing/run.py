"""The report of a run as one offline page: figures, scores, divergence, rules, least confident trees, warnings, settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from divproj.divergence.analysis import LABELS, MEANING
from divproj.divergence.operations import CLASSES
from divproj.drawing.html import PROJECTED_TREES, STAGE_NAMES
from divproj.drawing.measure import escape
from divproj.drawing.page import bar, document, head, noun_for, number, percent, quantity, scroll, tools
from divproj.drawing.projected import sentence_piece
from divproj.drawing.svg import reliability_svg
from divproj.io.interlinear.languages import parsed_languages
from divproj.projection.direct import REASONS, Projection
from divproj.projection.systems import describe_system, system_name

PARTS = {
    "scores": "Scores", "divergence": "Divergence", "rules": "Rules", "sentences": "Sentences", "warnings": "Warnings", "settings": "Settings",
}  # fmt: skip


@dataclass(frozen=True)
class RunReport:
    """What the report shows. Facts are those of each stage; `more` counts warnings that are not shown."""

    title: str
    signature: str
    facts: Mapping[str, Mapping[str, Any]]
    scores: Mapping[str, Any]
    rules: Sequence[str]
    least: Sequence[Projection]
    settings: Mapping[str, Mapping[str, Any]]
    inputs: Mapping[str, str]
    versions: Mapping[str, str]
    warnings: Mapping[str, Sequence[str]]
    more: Mapping[str, int]
    files: Sequence[str]


def write_run(run: RunReport, out: TextIO) -> None:
    for part in document("run", run.title, _body(run)):
        out.write(part)


def _body(run: RunReport) -> Iterator[str]:
    parts = {part: name for part, name in PARTS.items() if part not in ("rules", "warnings") or getattr(run, part)}
    said = describe_system(str(run.facts["project"]["system"]))
    about = (
        f"Trees by the <b>{escape(system_name(str(run.facts['project']['system'])))}</b>{f' ({escape(said)})' if said else ''} · trees of the translations: "
        f"<b>{escape(str(run.facts['parse']['parser']))}</b> · links: <b>{escape(str(run.facts['align']['method']))}</b>"
    )
    yield head(run.title, run.signature, about, parts, "sentences") + "<main>\n"
    yield from _figures(run)
    yield from _scores(run)
    yield from _divergence(run)
    if run.rules:
        yield from _rules(run)
    yield from _least(run)
    if run.warnings:
        yield from _warnings(run)
    yield from _settings(run)
    yield "</main>\n"


def _rules(run: RunReport) -> Iterator[str]:
    """The rules in words; the weights of the model behind a fold-out."""
    weights = [line for line in run.rules if line.startswith((" ", "The model of s2+"))]
    items = "".join(f"<li><bdi>{escape(line)}</bdi></li>" for line in run.rules if line not in weights)
    yield f'<section id="rules"><h2>What was learned</h2><ul class="lines">{items}</ul>'
    if weights:
        rows = "".join(f"<li><code>{escape(line.strip())}</code></li>" for line in weights[1:])
        yield f'<details class="faults"><summary>Weights of the model</summary><p class="note">{escape(weights[0])}</p><ul>{rows}</ul></details>'
    yield "</section>\n"


def _figures(run: RunReport) -> Iterator[str]:
    read, align, project = (run.facts[name] for name in ("read", "align", "project"))
    words = read["words"]
    known = run.scores.get("expected")
    facts = {"of the heads expected right": f"{known['uas']:.0f} %"} if known else {}
    facts |= {
        noun_for(read["sentences"], "sentences"): number(read["sentences"]),
        noun_for(words, "words"): number(words),
        "with glosses": number(read["glossed"]),
        "of the words linked": percent(align["linked_words"] / words) if words else "–",
    }
    if "gold" in run.facts:
        facts[noun_for(run.facts["gold"]["gold"], "gold trees")] = number(run.facts["gold"]["gold"])
    yield '<dl class="facts">'
    for name, value in facts.items():
        yield f"<div><dt>{name}</dt><dd>{value}</dd></div>"
    yield "</dl>\n"
    if known:
        margin = f"± {2 * known['standard_error']:.0f} points, for sentences without gold trees; from {escape(known['source'])}"
        yield f'<p class="note">Expected accuracy: {known["uas"]:.0f} % {margin}.</p>\n'
    else:
        yield '<p class="note">How many heads are right is not known: there are no gold trees, and this system is not calibrated.</p>\n'
    told_of = project.get("summary", {})
    guesses = told_of.get("without_translation", 0) + told_of.get("without_links", 0)
    if guesses:
        yield f'<p class="note">{number(guesses)} of the trees are guesses: there was no translation, or no link to it.</p>\n'
    if said := parsed_languages(told_of.get("languages", {})):
        yield f'<p class="note">{escape(said[0].upper() + said[1:])}.</p>\n'
    links = (
        f'<a href="{escape(file)}">{escape(file)}</a>' if file[-1] != "/" else f"<code>{escape(file)}</code>"
        for file in run.files
    )
    yield f'<p class="note files">In this folder: {", ".join(links)}</p>\n'


def _scores(run: RunReport) -> Iterator[str]:
    yield '<section id="scores"><h2>Scores</h2>'
    if not {"cross_validation", "held_out", "links"} & set(run.scores):
        yield '<p class="note">There are no gold trees to compare with: name some in <code>input.gold</code>.</p></section>\n'
        return
    if folded := run.scores.get("cross_validation"):
        yield from _folds(folded)
    rows: list[tuple[str, Mapping[str, Any]]] = []
    if held := run.scores.get("held_out"):
        noun = "sentence" if held["sentences"] == 1 else "sentences"
        rows.append((f"{number(held['sentences'])} held-out {noun}", held))
        rows += [
            (f"tag {tag}", score)
            for tag, score in sorted(held["by_pos"].items(), key=lambda item: (-item[1]["total"], item[0]))
        ]
    if rows:
        yield from _table("Held-out sentences", ("", "UAS", "LAS", "words"), (
            (name, f"{score['uas']:.2f}", f"{score['las']:.2f}", number(score["total"])) for name, score in rows
        ))  # fmt: skip
    yield from _reliability(run)
    if link_scores := run.scores.get("links"):
        cells = (
            f"{link_scores['precision']:.2f}",
            f"{link_scores['recall']:.2f}",
            f"{link_scores['f1']:.2f}",
            f"{100 * link_scores['aer']:.2f}",
        )
        yield from _table(
            "Links against the given ones, percent", ("", "precision", "recall", "F1", "AER"), [("links", *cells)]
        )
    yield "</section>\n"


def _reliability(run: RunReport) -> Iterator[str]:
    """Confidence against what is right, on sentences that were not learned from."""
    folded = run.scores.get("cross_validation", {}).get("systems", {}).get(run.facts["project"]["system"], {})
    bins = folded.get("calibration") or run.scores.get("held_out", {}).get("calibration")
    if bins:
        drawn = reliability_svg([(row["confidence"], row["uas"] / 100, row["total"]) for row in bins], None)
        yield f"<figure><figcaption>Does confidence mean what it says? On the dashed line it does.</figcaption>{drawn}</figure>"


def _folds(cross_validation: Mapping[str, Any]) -> Iterator[str]:
    """Cross-validated attachment, a row a system."""
    title = f"Cross-validation: {quantity(cross_validation['folds'], 'folds')} of {quantity(cross_validation['pairs'], 'gold sentences')}"
    rows = [
        (name, f"{score['uas']:.2f}", f"{score['las']:.2f}", number(score["total"]))
        for name, score in cross_validation["systems"].items()
    ]
    yield from _table(title, ("system", "UAS", "LAS", "words"), rows)
    definitions = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(describe_system(name))}</dd>"
        for name in cross_validation["systems"]
        if describe_system(name)
    )
    yield f'<dl class="systems">{definitions}</dl>'
    if "p" in cross_validation:
        first, last = cross_validation["compared"]
        yield f'<p class="note">{escape(first)} against {escape(last)}: p = {cross_validation["p"]:.4f} (approximate randomisation)</p>'


def _table(title: str, columns: Sequence[str], rows: Any) -> Iterator[str]:
    yield f"{scroll(escape(title))}<table><caption>{escape(title)}</caption><thead><tr>"
    for k, name in enumerate(columns):
        yield f'<th scope="col"{" class=num" if k else ""}>{escape(name)}</th>'
    yield "</tr></thead><tbody>"
    for first, *rest in rows:
        cells = "".join(f'<td class="num">{escape(cell)}</td>' for cell in rest)
        yield f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>'
    yield "</tbody></table></div>"


def _divergence(run: RunReport) -> Iterator[str]:
    facts = run.facts["analyze"]
    tree_kind = "gold trees" if facts["trees"] == "gold" else PROJECTED_TREES
    yield f'<section id="divergence"><h2>How the languages diverge</h2><p class="note">Measured on {quantity(facts["sentences"], "pairs")} with {tree_kind}. '
    yield '<a href="divergence.html">All tables and pictures</a></p><div class="two">'
    for direction, title in (
        ("e_to_f", "E → F: edges of the translation (E)"),
        ("f_to_e", "F → E: edges of the language studied (F)"),
    ):
        yield f'{scroll(title)}<table><caption>{title}</caption><thead><tr><th scope="col">stage</th>'
        yield '<th scope="col"><span class="hidden">shares</span></th><th scope="col" class="num">match</th></tr></thead><tbody>'
        for row in facts["stages"][direction]:
            share = percent(row["match"] / row["edges"]) if row["edges"] else "–"
            yield f'<tr><th scope="row">{STAGE_NAMES[row["stage"]]}</th><td class="wide">{bar(row, CLASSES)}</td>'
            yield f'<td class="num">{share}<small>{number(row["match"])} of {number(row["edges"])}</small></td></tr>'
        yield "</tbody></table></div>"
    yield '</div><ul class="lines">'
    for name, count in facts["dorr"].items():
        yield f"<li>{escape(LABELS[name])} ({escape(MEANING[name])}): {number(count)}</li>"
    yield "</ul></section>\n"


def _warnings(run: RunReport) -> Iterator[str]:
    yield '<section id="warnings"><h2>Warnings</h2>'
    for stage, messages in run.warnings.items():
        count = len(messages) + run.more.get(stage, 0)
        items = "".join(f"<li>{escape(text)}</li>" for text in messages)
        rest = f"<li>and {number(count - len(messages))} more</li>" if count > len(messages) else ""
        yield f'<details class="faults"><summary>{escape(stage)}: {number(count)}</summary><ul>{items}{rest}</ul></details>'
    yield "</section>\n"


def _settings(run: RunReport) -> Iterator[str]:
    yield '<section id="settings"><h2>Settings</h2><div class="two">'
    rows = [
        (f"{table}.{key}" if table else key, _setting_text(value))
        for table, keys in run.settings.items()
        for key, value in keys.items()
        if value not in ("", [], None)
    ]
    yield from _table("Config, defaults included", ("key", "value"), rows)
    yield "<div>"
    yield from _table("Versions", ("package", "version"), list(run.versions.items()))
    yield from _table("Inputs", ("file", "SHA-256"), [(name, digest[:16]) for name, digest in run.inputs.items()])
    yield "</div></div></section>\n"


def _setting_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _least(run: RunReport) -> Iterator[str]:
    reasons = run.facts["project"]["reasons"]
    counts = {reason: reasons.get(reason, 0) for reason in REASONS}
    reason_text = ", ".join(f"{reason} {number(count)}" for reason, count in counts.items() if count)
    yield (
        '<section id="sentences" class="list" tabindex="-1"><h2>Least sure trees</h2><p class="note">Heads by reason: '
        f'{reason_text}. The {quantity(len(run.least), "sentences")} that a person should look at first; <a href="trees.html">more on a page '
        f'of their own</a>.</p>\n{tools("sentences", len(run.least))}<div id="list">\n'
    )
    for place, projection in enumerate(run.least, 1):
        yield from sentence_piece(projection, place, {})
    yield '</div><p id="none" hidden>No sentence has all of this.</p></section>\n'
