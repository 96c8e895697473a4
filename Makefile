# Two commands do it all: `make demo` and `make test`. Everything lives in .venv, inside the repository.
PYTHON   ?= python3
VENV     := .venv
SCRIPTS  := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN      := $(VENV)/$(SCRIPTS)
# nothing but errors
PIP      := -m pip --quiet --quiet --disable-pip-version-check
TREEBANK ?= en_ewt
# folders too, so that a file that has gone is noticed
SOURCES  := pyproject.toml meson.build $(shell find src -name __pycache__ -prune -o -print)

.PHONY: demo test test-engines lint fuzz fuzz-sanitize sanitize sanitize-threads bench results pages model models english docs oracles wheel clean

$(VENV)/tools: pyproject.toml tools/environment.py
	@$(PYTHON) -c "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))" 2>&- || { \
	  echo "$(PYTHON) is not here, older than 3.10, or without venv. These commands install it"; \
	  echo "(another that you have: make PYTHON=python3.12):"; cat tools/packages.txt; exit 1; }
	@$(PYTHON) -m tools.environment $(VENV)
	@touch $@

# A plain install, not an editable one: the command starts faster and tests see what users get.
$(VENV)/installed: $(VENV)/tools $(SOURCES)
	@rm -rf build/wheel
	@$(BIN)/python -m tools.build build/wheel
	@$(BIN)/python $(PIP) uninstall --yes dodona
	@$(BIN)/python $(PIP) install build/wheel/*.whl
	@touch $@

# What an extra of pyproject.toml brings, beside the package itself
EXTRAS := $(addprefix $(VENV)/,test lint docs bench)
$(EXTRAS): $(VENV)/%: pyproject.toml | $(VENV)/installed
	@echo "Installing what 'make $*' needs"
	@$(BIN)/python $(PIP) install "$$(echo build/wheel/*.whl)[$*]"
	@touch $@

demo: $(VENV)/installed
	@$(BIN)/python tools/demo.py out/demo

test: $(VENV)/installed $(VENV)/test
	@$(BIN)/python -m tools.browser
	$(BIN)/python -m pytest --numprocesses auto

# Real engines: Spark, Ray, Polars, DuckDB, Dask, Daft. Their downloads are large, so they are no part
# of `make test`. What cannot be installed is told in a line, and its tests are skipped.
test-engines: $(VENV)/installed $(VENV)/test
	@$(BIN)/python -m tools.engines
	DODONA_ENGINES=1 $(BIN)/python -m pytest -rs tests/engines

# The checker of .github/workflows is no part of the extra: it cannot be installed everywhere.
lint: $(VENV)/installed $(VENV)/test $(VENV)/lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	PATH="$(CURDIR)/$(BIN):$$PATH" cython-lint src  # it looks for pycodestyle there
	$(BIN)/mypy
	@if command -v actionlint; then actionlint; else echo "actionlint is not here: .github/workflows is not checked"; fi

# All tests, with every read, write and number watched (`sanitize`), and those with threads, with all
# memory that two of them touch (`sanitize-threads`): Linux with gcc. Sanitizers must be loaded before
# Python, and Python must use plain malloc for them to see its memory; what it leaves behind at the
# end is no leak of ours. Pages are for browsers, which nobody watches, and the tools run no core. What
# is measured in memory, or is to crash, means nothing here: a sanitizer takes its own, and tells. JAX,
# which trains networks, has threads of its own, which are not ours to mend.
MEASURED := tests/fuzz/test_harness.py \
  $(addprefix tests/server/test_abuse.py::test_,unfinished_uploads_are_bounded \
    sixteen_megabytes_are_bounded it_ends_within_fifteen_seconds_as_it_comes) \
  tests/server/test_helpers.py::test_a_helper_has_only_so_much_memory
SANE_TESTS ?= tests --ignore tests/server/pages --ignore tests/tools $(MEASURED:%=--deselect %)
THREAD_TESTS ?= $(SANE_TESTS) --ignore tests/neural -k "thread or python_system or workers"
SANE := .venv-sanitize/installed .venv-sanitize-threads/installed
.venv-sanitize/installed: WATCHED := address,undefined
.venv-sanitize-threads/installed: WATCHED := thread
$(SANE): .venv-%/installed: $(VENV)/tools $(SOURCES)
	@$(PYTHON) -m tools.environment .venv-$*
	@rm -rf build-$*/wheel
	@CXXFLAGS="-fno-sanitize-recover=all -D_GLIBCXX_ASSERTIONS" \
	  .venv-$*/$(SCRIPTS)/python -m tools.build build-$*/wheel --build-dir build-$* -Doptimization=1 \
	  -Ddebug=true -Db_sanitize=$(WATCHED) -Db_lundef=false
	@.venv-$*/$(SCRIPTS)/python $(PIP) uninstall --yes dodona
	@.venv-$*/$(SCRIPTS)/python $(PIP) install "$$(echo build-$*/wheel/*.whl)[test]"
	@touch $@

LIBRARY = $$(gcc -print-file-name=lib$(1).so)
sanitize: .venv-sanitize/installed
	LD_PRELOAD="$(call LIBRARY,asan) $(call LIBRARY,stdc++)" PYTHONMALLOC=malloc \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	  .venv-sanitize/$(SCRIPTS)/python -m pytest --capture=sys $(SANE_TESTS)

# setarch: where addresses are random, some are beyond what this sanitizer knows.
sanitize-threads: .venv-sanitize-threads/installed
	LD_PRELOAD="$(call LIBRARY,tsan) $(call LIBRARY,stdc++)" PYTHONMALLOC=malloc \
	TSAN_OPTIONS=halt_on_error=1 \
	  setarch -R .venv-sanitize-threads/$(SCRIPTS)/python -m pytest --capture=sys $(THREAD_TESTS)

# Inputs made up by the million: SECONDS for each target, or TARGET="conllu model" alone. What is found
# lies in out/fuzz; docs/explanation/testing.md says what to do with it.
SECONDS ?= 60
fuzz: $(VENV)/installed $(VENV)/test
	$(BIN)/python -m fuzz $(TARGET) --seconds $(SECONDS)

# The same with every read, write and number watched. The sanitizer's own memory is beyond any limit, so
# it is told what one allocation may be.
fuzz-sanitize: .venv-sanitize/installed
	LD_PRELOAD="$(call LIBRARY,asan) $(call LIBRARY,stdc++)" PYTHONMALLOC=malloc \
	ASAN_OPTIONS=detect_leaks=0:max_allocation_size_mb=1024 UBSAN_OPTIONS=print_stacktrace=1 \
	  .venv-sanitize/$(SCRIPTS)/python -m fuzz $(TARGET) --seconds $(SECONDS) --memory 0 --cpu 60

bench: $(VENV)/installed $(VENV)/bench
	$(BIN)/python bench/scaling.py --out out/bench
	@export DODONA_DATA="$$($(BIN)/python -m tools.treebanks)"; \
	test_set="$$DODONA_DATA/$(TREEBANK)/test.conllu"; \
	if [ -f "$$test_set" ]; then set -ex; \
	  $(BIN)/python bench/reading.py "$$test_set"; \
	  $(BIN)/python bench/parsing.py --treebank $(TREEBANK) --json out/bench/parsing.json; \
	  $(BIN)/python bench/tagging.py --treebank $(TREEBANK); \
	else echo "Skipped bench/reading.py, parsing.py and tagging.py: no $$test_set; see docs/how-to/treebanks.md."; fi

# Measure the figures that take less than an hour, into docs/figures.toml and the pages: ONLY=shipped-models
ONLY ?= shipped-models,linear-models
results: $(VENV)/installed $(VENV)/bench
	DODONA_DATA="$$($(BIN)/python -m tools.treebanks)" $(BIN)/python bench/results.py --only $(ONLY)
	$(BIN)/python -m tools.pages --write

# Bring the generated parts of README.md and docs/ up to date
pages: $(VENV)/installed
	$(BIN)/python -m tools.pages --write

# An English model that ships, and its card: NAME=en-small, OPTIONS="--student FILE" (docs/how-to/distil.md)
NAME ?= en
model: $(VENV)/installed
	$(BIN)/python -m tools.model --name $(NAME) $(OPTIONS)

# A model, its card and its wheel for every treebank, into dist/models: OPTIONS="--treebanks fr_sequoia"
models: $(VENV)/installed
	$(BIN)/python -m tools.models $(OPTIONS)

# What holds of our own sentences (tests/english), by phenomenon: MODEL=my.dodona
MODEL ?= en
english: $(VENV)/installed
	$(BIN)/python -m tools.english $(MODEL)

# The tables of docs/explanation/oracle.md: every cost beside exhaustive search; some minutes.
oracles: $(VENV)/installed
	$(BIN)/python tools/oracles.py --write

docs: $(VENV)/installed $(VENV)/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "The pages are in site/index.html"

# For every Python here, into dist/; one of them is tried in an environment of its own.
wheel:
	@$(PYTHON) -m tools.wheels

clean:
	rm -rf $(VENV) $(dir $(SANE)) build build-sanitize build-sanitize-threads dist out site .hypothesis .pytest_cache .mypy_cache .ruff_cache
