"""Help by groups: which panel each option belongs to, the same in all commands."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

INPUT, LINKS, TREES, LEARNING, OUTPUT, RUNNING = "Input", "Links", "Trees", "Learning", "Output", "Running"
PANELS = {
    INPUT: "f e origin format tiers markers lang gloss_lang encoding max_mb ignore_ids glossed dictionary candidates grams "
    "keep_lines keep_tags punctuation binarise gold dev languages tags max_length keep_hyphens folder tree_format misaligned paraphrases",
    LINKS: "links more_links gloss_links threshold method min_prob embeddings wordnet lexical fast min_coverage",
    TREES: "system systems rules model e_parser e_style style also f_forests project.phrases order decoder trees projection features "
    "nbest stage extended induced side decode prune",
    LEARNING: "check families epochs bits gold_tags train_sizes folds sweeps chains start paper settings words.model experiment.by",
    OUTPUT: "papers output html csv_folder plot latex as_json json sentences edges min_count weights min_share max_pairs text probs subtypes bare to "
    "corpus confidence ud into word_links brackets phrases count by conllu limit sent force show save links_out e_out forest",
    RUNNING: "strict jobs scheduler shards shard seed resume checkpoint max_seconds quiet verbose help dry_run port fresh again run.start "
    "install_completion show_completion version",
}
_PANEL = {name: panel for panel, names in PANELS.items() for name in names.split()}
ORDER = (INPUT, LINKS, TREES, LEARNING, OUTPUT, RUNNING)


def examples_first(text: str) -> str:
    """A docstring with its examples right after the first paragraph; lines of other paragraphs are joined, to be wrapped anew.

    >>> examples_first("Draws.\\n\\nMore\\nlines.\\n\\nExample: proj draw")
    'Draws.\\n\\nExample: proj draw\\n\\nMore lines.'
    """
    first, *rest = (part if _is_example(part) else " ".join(part.split()) for part in text.split("\n\n"))
    return "\n\n".join([first, *sorted(rest, key=lambda part: not _is_example(part))])


def _is_example(paragraph: str) -> bool:
    return paragraph.lstrip().startswith("Example")


class Grouped(TyperCommand):
    """A command whose options are shown in groups, in the same order everywhere."""

    def __init__(self, *args: Any, **given: Any) -> None:
        params = given.get("params") or []
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""  # takes no value
            if param.param_type_name == "option":
                here = _PANEL.get(f"{given.get('name')}.{param.name}")  # `edges` is one thing in `analyze`, another in `induce`
                param.rich_help_panel = here or _PANEL.get(param.name or "", TREES)
        params.sort(key=lambda p: -1 if p.param_type_name != "option" else ORDER.index(p.rich_help_panel))
        given["help"] = examples_first(given.get("help") or "")
        super().__init__(*args, **given)

    def get_help_option(self, ctx: Any) -> Any:
        found: Any = super().get_help_option(ctx)
        if found is not None:
            found.rich_help_panel = RUNNING
        return found
