# Two commands do it all: `make demo` and `make test`. Everything lives in .venv, inside the repository.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# the build finds meson, ninja and cython by name
export PATH := $(CURDIR)/$(BIN):$(PATH)
# Treebanks, as DIR/<name>/{train,dev,test}.conllu: see README.md
DODONA_DATA ?= ../shared/data
TREEBANK ?= en_ewt
TEST_SET := $(DODONA_DATA)/$(TREEBANK)/test.conllu
SOURCES := pyproject.toml meson.build $(shell find src -type f -not -name '*.pyc')

.PHONY: demo test lint sanitize bench model docs clean

$(BIN)/ninja:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet "meson-python>=0.17" "Cython>=3.1,<4" meson ninja

# A plain install, not an editable one: the command starts faster and tests see what users get.
$(VENV)/installed: $(BIN)/ninja $(SOURCES)
	$(BIN)/python -m pip install --quiet --no-build-isolation -Cbuild-dir=build ".[test]"
	@touch $@

demo: $(VENV)/installed
	@$(BIN)/python tools/demo.py out/demo

test: $(VENV)/installed
	$(BIN)/python -m pytest

$(VENV)/lint: $(BIN)/ninja pyproject.toml
	$(BIN)/python -m pip install --quiet ruff mypy cython-lint
	@touch $@

lint: $(VENV)/installed $(VENV)/lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/cython-lint src
	$(BIN)/mypy

# The tests of the core with every read, write and number watched: Linux with gcc. The sanitizers must
# be loaded before Python, and Python must use plain malloc for them to see its memory; what it leaves
# behind at the end is no leak of ours.
SANE := .venv-sanitize
CORE_TESTS := $(addprefix tests/test_,$(addsuffix .py,beam beam_training brown clusters contract correct encoding exhaustive \
	feature_counts features graph graph_features graph_parsing greedy linear measured model_file nonmonotonic parser partial projectivity \
	pseudoprojective raw_text reader reader_errors segmenter sentence significance swap systems tagger tagging training word writer))
$(SANE)/installed: $(BIN)/ninja $(SOURCES)
	test -x $(SANE)/bin/python || $(PYTHON) -m venv $(SANE)
	$(SANE)/bin/python -m pip install --quiet "meson-python>=0.17" "Cython>=3.1,<4"
	CXXFLAGS="-fno-sanitize-recover=all -D_GLIBCXX_ASSERTIONS" $(SANE)/bin/python -m pip install --quiet \
		--no-build-isolation -Cbuild-dir=build-sanitize -Csetup-args=-Doptimization=1 -Csetup-args=-Ddebug=true \
		-Csetup-args=-Db_sanitize=address,undefined -Csetup-args=-Db_lundef=false ".[test]"
	@touch $@

sanitize: $(SANE)/installed
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so)" \
	PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
		$(SANE)/bin/python -m pytest --capture=sys $(CORE_TESTS)

$(VENV)/bench: $(BIN)/ninja pyproject.toml
	$(BIN)/python -m pip install --quiet "typer>=0.20"
	@touch $@

bench: $(VENV)/installed $(VENV)/bench
	$(BIN)/python bench/scaling.py --out out/bench
	@if [ -f "$(TEST_SET)" ]; then set -ex; \
	  $(BIN)/python bench/reading.py "$(TEST_SET)"; \
	  $(BIN)/python bench/parsing.py --data "$(DODONA_DATA)" --treebank $(TREEBANK) --json out/bench/parsing.json; \
	  $(BIN)/python bench/tagging.py --data "$(DODONA_DATA)" --treebank $(TREEBANK); \
	else echo "Skipped bench/reading.py, parsing.py and tagging.py: no $(TEST_SET). Set DODONA_DATA to a folder of treebanks (README.md says how to fill one)."; fi

# The model that ships, from the treebank: the same bytes each time.
model: $(VENV)/installed
	$(BIN)/python tools/model.py --data "$(DODONA_DATA)"

$(VENV)/docs: $(BIN)/ninja pyproject.toml
	$(BIN)/python -m pip install --quiet "mkdocs-material>=9.5"
	@touch $@

docs: $(VENV)/installed $(VENV)/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "The pages are in site/index.html"

clean:
	rm -rf $(VENV) $(SANE) build build-sanitize dist out site
