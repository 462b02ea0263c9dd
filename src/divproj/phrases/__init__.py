"""Phrase alignment on parse forests after Arase & Tsujii (2017).

Comes in: two `forest.hypergraph.Forest` and word candidates. Goes out: nested phrase pairs. `chart` knows arrays only.
"""
