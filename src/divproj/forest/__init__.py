"""Phrase trees and packed forests of them.

Comes in: trees and n-best lists as `trees.PhraseTree`, dependency trees, charts. Goes out: `hypergraph.Forest`, binary, and what
`inside` computes on it. Kernels know arrays only.
"""
