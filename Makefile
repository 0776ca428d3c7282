# make build   a virtual environment in .venv, the Rust core, the package: .venv/bin/hopscope works
# make run     the main job: UCLA's transfers over the ARPANET in October 1974, February 1975 and May 1975, with a report
# make run-an1 AN1's Mstage network over a range of loads, with a report
# make test    every test and every lint
# make nightly the property tests with new cases, and the long tests
# make clean   forget the virtual environment and the compiled module

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOADS ?= 0.1..0.9:0.1
ARPANET := runs/arpanet
FIRST_LIGHT := runs/first-light

# One profile everywhere, and one Python for the binding crate, so that every crate is compiled once.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export PIP_QUIET := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

RUST := Cargo.toml Cargo.lock pyproject.toml $(shell find crates \( -name '*.rs' -o -name Cargo.toml \) -not -path '*/target/*')
CARRIED := $(shell find scenarios studies published -type f)

.DELETE_ON_ERROR:
.PHONY: build run run-an1 test nightly lint clean

build: $(VENV)/built

$(VENV)/installed: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "hopscope needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -r requirements.lock
	@touch $@

$(VENV)/built: $(VENV)/installed $(RUST) $(CARRIED)
	$(BIN)/maturin develop --release
	@touch $@

# A first picture from runs of one minute, then the ten minutes of the paper. Exit code 1 tells that a published value is missed,
# which the table and the report show with its reason; make goes on.
run: build
	@rm -rf $(ARPANET) $(ARPANET)-first
	@echo "UCLA's host sends full messages over the ARPANET to nine other sites; published values of 1974 and 1975 beside ours."
	@echo "About a minute."
	@$(BIN)/hopscope study ko/fig9 --quick --quiet --out $(ARPANET)-first > /dev/null
	@echo "a first picture: $(CURDIR)/$(ARPANET)-first/report.html; now the ten minutes of the paper"
	@$(BIN)/hopscope study ko/fig3 ko/fig9 --out $(ARPANET) || test $$? -eq 1
	@echo "open $(CURDIR)/$(ARPANET)/report.html"

run-an1: build
	@rm -rf $(FIRST_LIGHT)
	@$(BIN)/hopscope sweep an1-mstage --over traffic.load=$(LOADS) --out $(FIRST_LIGHT)
	@echo "open $(CURDIR)/$(FIRST_LIGHT)/report.html"

# Property tests draw the same cases every time, so that a change is judged by what it changes; the nightly run draws new ones.
test: export PROPTEST_RNG_SEED := 1977
test: build lint
	cargo test --workspace --release
	$(BIN)/pytest

nightly: build
	cargo test --workspace --release --features hopscope-queueing/long
	$(BIN)/pytest -m long

lint: build
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --release -- -D warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check

clean:
	rm -rf $(VENV) python/hopscope/_core.*.so
