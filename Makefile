PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo rules test check format bench clean

demo: .venv/ready  ## install, analyse the sample corpora, leave a report in demo/
	mkdir -p demo
	$(BIN)/proj analyze corpora/hin-eng corpora/deu-eng corpora/spa-eng corpora/kor-eng
	$(BIN)/proj analyze corpora/hin-eng --html demo/hindi-english.html
	$(BIN)/proj project corpora/hin-eng/igt.txt --e corpora/hin-eng/e.conllu --rules hin -o demo/hindi.conllu --html demo/hindi-trees.html
	@echo "Open demo/hindi-english.html (how the languages diverge) and demo/hindi-trees.html (projected trees) in a browser."

rules: .venv/ready  ## learn the shipped rules anew from the sample corpora
	for pair in hin deu spa kor; do $(BIN)/proj learn corpora/$$pair-eng -o rules/$$pair.json; done

test: .venv/ready  ## the whole test suite
	$(BIN)/pytest -rs

check: .venv/ready  ## formatting, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: .venv/ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/ready  ## accuracy and speed; see bench/README.md
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	$(BIN)/python bench/run.py

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv demo dist
