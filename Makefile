# Every target sets up what it needs: a virtual environment in .venv, from pyproject.toml.
# A second run finds it ready. PYTHON chooses the interpreter that the environment is made with.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
TESTABLE := .venv/.testable

N ?= 500
SEED ?= 0

.PHONY: demo test lint facts fuzz fixes clean dist docs drawings extension ecosystem editors e2e

demo: $(READY) ## check the examples, show the fixes and the version counters, and talk to the server
	@echo '$$ gradguard check examples'
	@$(BIN)/gradguard check examples --exit-zero
	@echo '$$ gradguard check --diff --unsafe-fixes examples'
	@$(BIN)/gradguard check --diff --unsafe-fixes --exit-zero examples
	@echo '$$ gradguard versions examples/01_sigmoid_shift.py'
	@$(BIN)/gradguard versions examples/01_sigmoid_shift.py
	@echo '$$ python examples/session.py'
	@$(BIN)/python examples/session.py

test: $(TESTABLE) ## run the tests
	$(BIN)/pytest -n auto

lint: $(TESTABLE) ## format, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy -p server

facts: $(TESTABLE) ## measure PyTorch again and write the table of facts
	$(BIN)/python -m gradguard.facts.measure -o server/facts/table.json

fuzz: $(TESTABLE) ## draw N programs, hold the answers against PyTorch, and write the figures
	$(BIN)/python -W ignore -m tests.fuzz $(N) --seed $(SEED) --page docs/accuracy.md

fixes: $(TESTABLE) ## try each offered fix alone on PyTorch: the project's programs, and those in CASES="FOLDER …"
	$(BIN)/python -W ignore -m tests.fixes $(CASES)

dist: $(TESTABLE) extension ## build what is released: a source distribution, a wheel, the extension
	rm -rf dist
	$(BIN)/python -m build --outdir dist

docs: $(READY) ## build the documentation site, strictly, in build/site
	$(BIN)/python -m pip install --quiet --group docs
	$(BIN)/python -m website

drawings: $(TESTABLE) ## draw the documentation's pictures again, from real runs
	$(BIN)/python -m website.drawings

extension: ## build VS Code's extension, with the server's wheel in it, and run its unit tests
	cd vscode-client && npm ci --no-audit --no-fund && npm run check && npm test && PYTHON="$(PYTHON)" npm run package

editors: ## get the editors that `make e2e` drives; says why where they cannot be had
	tests/editors/install.sh "$(CURDIR)/.e2e/code-server"

e2e: $(TESTABLE) editors ## drive Emacs, Vim, Neovim and, in a browser, VS Code; takes the pictures in docs/images
	$(BIN)/python -m pip install --quiet --group editors
	REQUIRE_EDITORS=1 $(BIN)/pytest -n 0 tests/editors
	cd vscode-client && npm ci --no-audit --no-fund && PYTHON="$(PYTHON)" npm run package && npm run e2e

bench: $(TESTABLE) ## time keystrokes in the language server, beside others, and write docs/latency.md
	$(BIN)/python -m pip install --quiet --group bench
	$(BIN)/python bench/latency.py --write docs/latency.md

speed: $(TESTABLE) ## time checks of whole packages from PyPI, beside other tools, and write docs/speed.md
	$(BIN)/python -m pip install --quiet --group bench
	test -x .venv/torchfix/bin/torchfix || $(BIN)/python -m venv .venv/torchfix
	$(BIN)/python -m pip --python .venv/torchfix/bin/python install --quiet --group torchfix
	$(BIN)/python bench/corpus.py --write docs/speed.md

ecosystem: $(READY) ## check the packages of ecosystem/packages.toml (or ONLY="NAME …"), compare with the record; WRITE=--write records
	$(BIN)/python -m ecosystem $(ONLY) $(WRITE)

edits: $(TESTABLE) ## edit real files at random, 20,000 times, and compare with a replay from the start
	$(BIN)/python tests/workspace/editing.py 20000

clean: ## remove the virtual environment and all caches
	rm -rf build dist .venv .e2e .mypy_cache .ruff_cache .pytest_cache .hypothesis vscode-client/dist vscode-client/node_modules

$(READY): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable .
	$(BIN)/python -m compileall -q server # starts at once even where Python may not write its caches
	@touch $@

$(TESTABLE): $(READY)
	$(BIN)/python -m pip install --quiet --group test --group lint
	@touch $@
