"""Steps that add word links to a pair: from glosses (`gloss`), from bitext alone (`words`)."""
