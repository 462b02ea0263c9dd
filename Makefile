PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo rules test check format bench clean

demo: .venv/ready  ## install, run the whole way on the Hindi sample corpus, leave a report in demo/hindi
	$(BIN)/proj analyze corpora/hin-eng corpora/deu-eng corpora/spa-eng corpora/kor-eng
	$(BIN)/proj run corpora/hin-eng/divproj.toml
	@echo "Open demo/hindi/report.html in a browser: scores, divergences, rules and the trees to look at first."

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
