"""How two aligned trees diverge: the match metric, remove, merge and swap, and what they say of a language pair.

Tree pairs come in, counts and logs go out; `kernel` knows arrays alone, `analysis` walks a corpus.
"""
