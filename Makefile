# Everything a person needs to run Paper Atlas from a clone: `make demo`, `make test`.
# Needs Debian (or alike) with Python 3.11 or newer and make; Node and Python packages come by pip, Chromium by apt.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DATA   ?= .atlas/demo
PORT   ?= 8000
STORE  ?= sqlite
# Tests without servers and deadlines of their own: two files of them run at once.
APART  := tests/bench tests/ingest tests/layout tests/server
# Tests of a scripted server that mostly wait for a deadline: four at once wait no longer than one.
WAITING := tests/faults/test_bolt_peer.py tests/faults/test_neo4j_faults.py

.PHONY: help setup web chromium neo4j demo serve test lint types bench requirements clean

help:
	@echo "make demo    the map of 613 scientometrics papers on http://127.0.0.1:$(PORT)"
	@echo "             (STORE=neo4j keeps its papers in a real Neo4j)"
	@echo "make test    all tests, a real browser and a real Neo4j included"
	@echo "make serve   serve the map in DATA=$(DATA)"
	@echo "make lint | types | bench | setup | clean"

# ---- set-up -----------------------------------------------------------------------------------------

setup: $(VENV)/.ready web

$(VENV)/.ready: requirements/dev.txt pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or newer is missing: apt-get install python3 python3-venv"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; $(PYTHON) is $$($(PYTHON) -V). Name another with make PYTHON=..."; exit 1; }
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq python3-venv >/dev/null && $(PYTHON) -m venv $(VENV); } || { echo "Python's venv module is missing: sudo apt-get install python3-venv"; exit 1; }
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	PAPERATLAS_NO_WEB=1 $(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

web: $(VENV)/.ready
	@$(BIN)/python web/build_hook.py

chromium:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-dejavu-core >/dev/null; } || { echo "the browser tests need Chromium: sudo apt-get install chromium"; exit 1; }

# ---- running ----------------------------------------------------------------------------------------

demo: setup
	$(BIN)/paperatlas demo --data $(DATA) --store $(STORE) --port $(PORT)

serve: setup
	$(BIN)/paperatlas serve --data $(DATA) --store $(STORE) --port $(PORT)

# ---- checking ---------------------------------------------------------------------------------------

neo4j: $(VENV)/.ready
	@$(BIN)/paperatlas neo4j fetch

test: setup chromium neo4j lint types
	@$(BIN)/python web/build_hook.py --test
	$(BIN)/pytest -n 2 --dist loadfile $(APART)
	$(BIN)/pytest -n 4 --dist worksteal $(WAITING)
	$(BIN)/pytest $(APART:%=--ignore=%) $(WAITING:%=--ignore=%)

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.ready
	$(BIN)/mypy

bench: setup
	@for program in bench/*.py; do echo "== $$program"; $(BIN)/python $$program || exit 1; done

# ---- keeping ----------------------------------------------------------------------------------------

# Pins every package by hash; writes no index address. Run it after a change of requirements/*.in.
requirements: $(VENV)/.ready
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-emit-find-links requirements/run.in -o requirements/run.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-emit-find-links -c requirements/run.txt requirements/dev.in -o requirements/dev.txt

clean:
	rm -rf $(VENV) .atlas server/bundle web/node_modules dist artefacts
