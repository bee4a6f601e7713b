# Every target sets up what it needs: a virtual environment in .venv, from pyproject.toml.
# A second run finds it ready. PYTHON chooses the interpreter that the environment is made with.

PYTHON ?= python3
BIN := .venv/bin
# Of pip only errors are told; its warnings are about mirrors and its own release.
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check
READY := .venv/.ready
TESTABLE := .venv/.testable

N ?= 500
SEED ?= 0
EDITS ?= 10000

# Another release of PyTorch has an environment of its own, of some GB, which is removed when its work is done.
OTHER := .venv-torch-$(TORCH)
OF_ANY_RELEASE := tests/facts tests/rules/test_examples_found.py tests/test_oracle.py tests/test_programs.py

.PHONY: demo test lint facts releases fuzz frameworks mutants reach companion cost fixes clean dist docs pages drawings extension ecosystem editors e2e lock audit soak

demo: $(READY) ## one example whole, what all of them come to, and what to do next
	@echo '$$ gradguard check examples/01_sigmoid_shift.py'
	@$(BIN)/gradguard check --exit-zero --quiet examples/01_sigmoid_shift.py
	@echo '$$ gradguard check examples | tail -n 2'
	@$(BIN)/gradguard check --exit-zero examples | tail -n 2
	@echo 'Next:'
	@echo '  $(BIN)/gradguard check PATH            check a program, a notebook or a project of yours'
	@echo '  $(BIN)/gradguard check --fix PATH      and mend what can be mended without changing a value'
	@echo '  $(BIN)/gradguard explain GG101         why that fails, and what to write instead'
	@echo '  $(BIN)/python examples/session.py      the same as an editor has it: squiggle, hover, quick fix'
	@echo '  README.md, "Editors"                     VS Code, Neovim and others'

test: $(TESTABLE) ## run the tests
	$(BIN)/pytest -n auto

lint: $(TESTABLE) ## format, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy -p server

facts: $(TESTABLE) $(if $(TORCH),$(OTHER)/.ready) ## measure PyTorch again and write its facts; TORCH=2.15.0: another release
	$(if $(TORCH),$(OTHER)/bin,$(BIN))/python -W ignore -m gradguard.facts.measure
	$(if $(TORCH),rm -rf $(OTHER))

releases: $(if $(TORCH),$(OTHER)/.ready) ## hold the tests' programs and N drawn ones against another release, TORCH=2.15.0
	@test -n '$(TORCH)' || { echo 'Which release? make releases TORCH=2.15.0'; exit 1; }
	$(OTHER)/bin/pytest -n auto $(OF_ANY_RELEASE)
	$(OTHER)/bin/python -W ignore -m tests.fuzz $(N) --seed $(SEED)
	rm -rf $(OTHER)

fuzz: $(TESTABLE) ## draw N programs, hold the answers against PyTorch, and write the figures
	$(BIN)/python -W ignore -m tests.fuzz $(N) --seed $(SEED) --page docs/accuracy.md

frameworks: $(TESTABLE) ## hold the models of libraries against the libraries, in an environment of their own
	@test -x .venv-frameworks/bin/python || $(PYTHON) -m venv .venv-frameworks
	@.venv-frameworks/bin/python -m pip install -qq --disable-pip-version-check -r tests/frameworks/requirements.txt
	@.venv-frameworks/bin/python -m pip install -qq --disable-pip-version-check --no-deps -r tests/frameworks/bare.txt
	FRAMEWORKS=$(CURDIR)/.venv-frameworks/bin/python $(BIN)/pytest tests/frameworks

mutants: $(TESTABLE) .venv-mutants/.models ## make single edits in real models, train each, and write what was told (docs/real-code.md); SEED=0 chooses
	$(BIN)/python -m mutants .venv-mutants/bin/python --seed $(SEED) --write

reach: $(TESTABLE) .venv-mutants/.models ## count the statements of real scripts and models in front of which a failure is told
	$(BIN)/python -m mutants.reach .venv-mutants/bin/python

.venv-mutants/.models: mutants/requirements.txt mutants/packages.txt
	@test -x .venv-mutants/bin/python || $(PYTHON) -m venv .venv-mutants
	@.venv-mutants/bin/python -m pip install -qq --disable-pip-version-check -r mutants/requirements.txt
	@.venv-mutants/bin/python -m pip install -qq --disable-pip-version-check --no-deps -r mutants/packages.txt
	@touch $@

fixes: $(TESTABLE) ## try each offered fix alone on PyTorch: the project's programs, and those in CASES="FOLDER …"
	$(BIN)/python -W ignore -m tests.fixes $(CASES)

dist: $(TESTABLE) extension ## build what is released: a source distribution, a wheel, the extension
	rm -rf dist
	$(BIN)/python -m build --outdir dist

docs: $(READY) ## build the documentation site, strictly, in build/site
	$(PIP) --group docs
	$(BIN)/python -m website

pages: $(READY) ## write the rules' pages that the package carries, from the rules
	$(BIN)/python -m website.pages

drawings: $(TESTABLE) ## draw the documentation's pictures again, from real runs
	$(BIN)/python -m website.drawings
	$(BIN)/python -m website.terminal

extension: ## build VS Code's extension, with the server's wheel in it, and run its unit tests
	cd vscode-client && npm ci --no-audit --no-fund && npm run check && npm test && PYTHON="$(PYTHON)" npm run package

editors: ## get the editors that `make e2e` drives; says why where they cannot be had
	tests/editors/install.sh "$(CURDIR)/.e2e/code-server"

e2e: $(TESTABLE) editors ## drive Emacs, Vim, Neovim and, in a browser, VS Code; takes the pictures in docs/images
	$(PIP) --group editors
	REQUIRE_EDITORS=1 $(BIN)/pytest -n 0 tests/editors
	cd vscode-client && npm ci --no-audit --no-fund && PYTHON="$(PYTHON)" npm run package && npm run e2e

companion: $(TESTABLE) ## hold `gradguard run` against PyTorch: the project's programs, and those in CASES="FOLDER …"
	$(BIN)/python -W ignore -m tests.companion $(CASES) --drawn 300

cost: $(TESTABLE) ## what a training step costs under `gradguard run`, beside anomaly mode
	$(BIN)/python -W ignore bench/companion.py

bench: $(TESTABLE) ## time keystrokes in the language server, beside others, and write docs/latency.md
	$(PIP) --group bench
	$(BIN)/python -m bench.latency --write docs/latency.md

speed: $(TESTABLE) ## time checks of whole packages from PyPI, beside other tools, and write docs/speed.md
	$(PIP) --group bench
	test -x .venv/torchfix/bin/torchfix || $(BIN)/python -m venv .venv/torchfix
	$(BIN)/python -m pip --python .venv/torchfix/bin/python install --quiet --group torchfix
	$(BIN)/python bench/corpus.py --write docs/speed.md

ecosystem: $(READY) ## check the packages of ecosystem/packages.toml (or ONLY="NAME …"), compare with the record; WRITE=--write records
	$(BIN)/python -m ecosystem $(ONLY) $(WRITE)

edits: $(TESTABLE) ## edit real files at random, 20,000 times, and compare with a replay from the start
	$(BIN)/python tests/workspace/editing.py 20000

lock: $(TESTABLE) ## pin what the extension's own environment gets, with hashes
	$(PIP) --group release
	$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.10 --generate-hashes --no-header --no-annotate \
		--upgrade --quiet --output-file vscode-client/requirements.lock

audit: $(TESTABLE) ## look for known vulnerabilities in what is shipped along; asks PyPI's and npm's databases
	$(PIP) --group release
	$(BIN)/pip-audit --require-hashes --disable-pip --requirement vscode-client/requirements.lock
	cd vscode-client && npm audit --omit=optional

soak: $(TESTABLE) ## edit real files in a server EDITS=10000 times, among junk, in three encodings; then bombs. SEED=0 chooses
	$(BIN)/python -W ignore -m tests.lsp.soak $(EDITS) $(SEED)
	$(BIN)/python -W ignore -m tests.project.bombs $(SEED) 10

clean: ## remove the virtual environment and all caches
	rm -rf build dist .venv .venv-frameworks .venv-torch-* .venv-mutants mutants/.known mutants/.packages .e2e .mypy_cache .ruff_cache .pytest_cache .hypothesis vscode-client/dist vscode-client/node_modules

$(READY): pyproject.toml
	@echo 'Setting up .venv (once)'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(PIP) --upgrade 'pip>=25.1'
	@$(PIP) --editable .
	@$(BIN)/python -m compileall -q server # starts at once even where Python may not write its caches
	@touch $@

.venv-torch-%/.ready: pyproject.toml
	@echo 'Installing PyTorch $* in .venv-torch-$*'
	@test -x .venv-torch-$*/bin/python || $(PYTHON) -m venv .venv-torch-$*
	@.venv-torch-$*/bin/python -m pip install -qq --disable-pip-version-check --upgrade 'pip>=25.1'
	@.venv-torch-$*/bin/python -m pip install -qq --disable-pip-version-check --editable . --group judge torch==$*
	@touch $@

$(TESTABLE): $(READY)
	@echo 'Installing PyTorch and the tools of the tests (once)'
	@$(PIP) --group test --group lint
	@touch $@
