"""Phrase trees and packed forests of them.

Comes in: trees and n-best lists as `trees.PhraseTree`, dependency trees, charts. Goes out: `hypergraph.Forest`, binary, and what
`inside` computes on it. Kernels know arrays only.
"""

PUBLIC: dict[str, tuple[str, ...]] = {
    "build": ("BINARISATIONS",),
}
"""Names that the command line and scripts may rely on, by module; all else may change."""
