"""Interlinear glossed text: what a glossed sentence is, how well it is glossed, and what its glosses translate to.

Instances come from `io`, links (f, e) to the words of the translation go out.
"""
