"""Word alignment: links from glosses (`glosses`) and from bitext alone (`word_model`, `word_corpus`)."""
