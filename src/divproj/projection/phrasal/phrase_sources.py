"""What a user asks of phrases, and where the phrases of a text come from."""

from __future__ import annotations

from dataclasses import dataclass

AUTO = "auto"
"""In the place of a file: phrases are aligned here."""


@dataclass(frozen=True)
class PhraseSources:
    """Phrase pairs and forests for projection; by default none."""

    phrases: str | None = None
    """A file of `proj align` with phrase pairs, or auto: they are aligned here."""
    paraphrases: bool = False
    """Whether F and E are one language; with auto that is found out."""
    f_forests: str | None = None
    """A file with trees or forests of F."""

    @property
    def aligned(self) -> bool:
        """Whether phrases are to be aligned, or were."""
        return bool(self.phrases or self.paraphrases)

    def __bool__(self) -> bool:
        return self.aligned or self.f_forests is not None

    @property
    def asked(self) -> str:
        """The first option that was given, as users write it.

        >>> PhraseSources("auto").asked
        'phrases'
        """
        return "phrases" if self.phrases else "paraphrases" if self.paraphrases else "f-forests"
