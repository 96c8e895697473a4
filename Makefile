# Two commands do it all: `make demo` and `make test`. Everything lives in .venv, inside the repository.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# the build finds meson, ninja and cython by name
export PATH := $(CURDIR)/$(BIN):$(PATH)
SOURCES := pyproject.toml meson.build $(shell find src -type f -not -name '*.pyc')

.PHONY: demo test lint bench docs clean

$(BIN)/ninja:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet "meson-python>=0.17" "Cython>=3.1,<4" meson ninja

# A plain install, not an editable one: the command starts faster and tests see what users get.
$(VENV)/installed: $(BIN)/ninja $(SOURCES)
	$(BIN)/python -m pip install --quiet --no-build-isolation -Cbuild-dir=build ".[test]"
	@touch $@

test: $(VENV)/installed
	$(BIN)/python -m pytest

$(VENV)/lint: $(BIN)/ninja pyproject.toml
	$(BIN)/python -m pip install --quiet ruff mypy cython-lint
	@touch $@

lint: $(VENV)/installed $(VENV)/lint
	$(BIN)/ruff check src tests bench experiments
	$(BIN)/ruff format --check src tests bench experiments
	$(BIN)/cython-lint src
	$(BIN)/mypy

clean:
	rm -rf $(VENV) build dist site
