PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo rules test test-long check format docs warm packs release-check bench fuzz soak lock sbom audit clean

demo: .venv/ready  ## install, run the whole way on the Hindi sample corpus, leave a report in demo/hindi
	$(BIN)/proj warm --quiet & $(BIN)/proj analyze corpora/hin-eng corpora/deu-eng corpora/spa-eng corpora/kor-eng; wait
	$(BIN)/proj run corpora/hin-eng/divproj.toml
	@echo "The command is $(BIN)/proj; after 'source $(BIN)/activate' it is proj."
	@echo "Open demo/hindi/report.html in a browser: scores, divergences, rules and the trees to look at first."

docs: .venv/ready  ## the documentation site, into site/index.html; nothing is fetched
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Open site/index.html in a browser."

warm: .venv/ready  ## compile all numeric kernels now
	$(BIN)/proj warm

packs: .venv/ready  ## the wheels of the language packs, into dist/
	$(BIN)/python train/wheels.py --outdir dist

release-check: .venv/ready  ## build, check and install the wheels in an empty environment, and try them there
	$(BIN)/python -m pip install --quiet build twine
	rm -rf dist
	$(BIN)/python -m build --quiet --outdir dist .
	$(BIN)/python train/wheels.py --outdir dist
	$(BIN)/twine check --strict dist/*
	$(BIN)/python bench/tools/try_wheel.py dist/divproj-*.whl dist/divproj_*.whl

rules: .venv/ready  ## learn the shipped rules anew from the sample corpora
	for pair in hin deu spa kor; do $(BIN)/proj learn corpora/$$pair-eng -o rules/$$pair.json; done

test: .venv/ready  ## the whole test suite, kernels compiled first, each once
	$(BIN)/python -c 'from divproj.runtime.jit import compile_all; compile_all()'
	$(BIN)/pytest -rs

test-long: .venv/ready  ## the tests that `make test` leaves out: kills, clusters, wheels, the site, faults of the papers page
	$(BIN)/pytest -rs -m long

check: .venv/ready  ## formatting, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: .venv/ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/ready  ## accuracy and speed into bench/results and RESULTS.md; ONLY="growth memory" for some; see bench/README.md
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	$(BIN)/python bench/run.py $(if $(ONLY),--only $(ONLY)) $(if $(PLACE),--place $(PLACE))

fuzz: .venv/ready  ## ten minutes of damaged files, then 3,000 and 5,400 commands over mutants; with ATHERIS=--atheris guided by coverage
	$(BIN)/python -m pip install --quiet --editable '.[fuzz]'
	$(BIN)/python bench/robustness/fuzz.py --seconds 600 $(ATHERIS)
	$(BIN)/python bench/robustness/fuzz_cli.py --count 3000 --seed 21
	$(BIN)/python bench/robustness/fuzz_cli.py --formats --count 5400 --seed 21
	$(BIN)/pytest -q tests/fuzz tests/browser

soak: .venv/ready  ## random commands, kills, full disks (as root) and attacks on the servers; half an hour
	$(BIN)/python bench/robustness/soak.py --count 500
	$(BIN)/python bench/robustness/kill_review.py --edits 5000 --kills 50
	DIVPROJ_KILLS=15 $(BIN)/pytest -q -m "long or not long" tests/cli/test_resumed.py tests/unit/run/test_killed.py
	$(BIN)/python bench/robustness/attack_servers.py --slow 400
	if [ "$$(id -u)" = 0 ]; then $(BIN)/python bench/robustness/full_disk.py --steps 14; fi

lock: .venv/ready  ## exact versions of the runtime dependencies, as installed and tested here
	$(BIN)/python bench/tools/lock.py > requirements.lock.new
	mv requirements.lock.new requirements.lock

.venv/locked/ready: requirements.lock  # what the lock gives, and nothing else
	rm -rf .venv/locked
	$(PYTHON) -m venv .venv/locked
	.venv/locked/bin/python -m pip install --quiet -r requirements.lock
	.venv/locked/bin/python -m pip install --quiet --no-deps .
	touch $@

sbom: .venv/ready .venv/locked/ready packs  ## what is inside, language packs too: CycloneDX JSON in dist/sbom.json
	$(BIN)/python -m pip install --quiet --editable '.[audit]'
	.venv/locked/bin/python -m pip install --quiet --no-deps --force-reinstall dist/divproj_*.whl
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --of JSON -o dist/sbom.json .venv/locked/bin/python

audit: .venv/ready  ## known vulnerabilities of the locked versions; needs the network
	$(BIN)/python -m pip install --quiet --editable '.[audit]'
	$(BIN)/pip-audit --strict --no-deps --disable-pip -r requirements.lock

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv demo dist site
