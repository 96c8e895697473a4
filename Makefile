# The main commands are `make demo` and `make test`. Everything is installed into .venv, in the repository.
PYTHON   ?= python3
VENV     := .venv
SCRIPTS  := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN      := $(VENV)/$(SCRIPTS)
# print errors only
PIP      := -m pip --quiet --quiet --disable-pip-version-check
TREEBANK ?= en_ewt
# of `make test-teachers`
TORCH    ?= torch==2.13.0
# with folders, so that a deleted file is noticed
SOURCES  := pyproject.toml meson.build tools/join.py $(shell find src -name __pycache__ -prune -o -print)
PAPERS   := tools/name_origin.py papers/meson.build papers/pyproject.toml \
  $(shell find papers/src -name __pycache__ -prune -o -print)

.PHONY: demo test test-all test-engines test-teachers lint fuzz fuzz-sanitize sanitize sanitize-threads bench papers results pages model models languages english docs oracles wheel clean

$(VENV)/tools: pyproject.toml tools/environment.py
	@$(PYTHON) -c "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))" 2>&- || { \
	  echo "$(PYTHON) is not installed, older than 3.10, or has no venv. These commands install Python"; \
	  echo "(or name another interpreter: make PYTHON=python3.12):"; cat tools/packages.txt; exit 1; }
	@$(PYTHON) -m tools.environment $(VENV)
	@touch $@

# A regular install, not an editable one: the command starts faster, and tests run what users get.
$(VENV)/installed: $(VENV)/tools $(SOURCES)
	@rm -rf build/wheel
	@$(BIN)/python -m tools.build build/wheel
	@$(BIN)/python $(PIP) uninstall --yes dodona
	@$(BIN)/python $(PIP) install build/wheel/*.whl
	@touch $@

# `dodona experiment`: a distribution of its own, compiled against the core. Installed again after each
# build of Dodona, since the layout of the core's structures may have changed.
$(VENV)/papers: $(VENV)/installed $(PAPERS)
	@rm -rf build/papers/wheel
	@echo "Building dodona-papers"
	@$(BIN)/python -m tools.build build/papers/wheel --source papers --build-dir build/papers
	@$(BIN)/python $(PIP) install --no-deps --force-reinstall build/papers/wheel/*.whl
	@touch $@

# The optional dependencies of pyproject.toml
EXTRAS := $(addprefix $(VENV)/,test lint docs bench)
$(EXTRAS): $(VENV)/%: pyproject.toml | $(VENV)/installed
	@echo "Installing the requirements of 'make $*'"
	@$(BIN)/python $(PIP) install "$$(echo build/wheel/*.whl)[$*]"
	@touch $@

demo: $(VENV)/installed
	@$(BIN)/python tools/demo.py out/demo

test: $(VENV)/papers $(VENV)/test
	$(BIN)/python -m pytest --numprocesses auto --tests quick

# The rest: exhaustive search for larger trees, growth, fuzzing, browsers, training of networks
test-all: test
	@$(BIN)/python -m tools.browser
	$(BIN)/python -m pytest --numprocesses auto --tests thorough

# Tests with Spark, Ray, Polars, DuckDB, Dask and Daft, whose downloads are too large for `make test`.
# An engine that cannot be installed is reported, and its tests are skipped.
test-engines: $(VENV)/papers $(VENV)/test
	@$(BIN)/python -m tools.engines
	DODONA_ENGINES=1 $(BIN)/python -m pytest -rs tests/engines

# Tests of teachers and of distillation, whose PyTorch is too large a download for `make test`.
test-teachers: $(VENV)/papers $(VENV)/test
	@$(BIN)/python $(PIP) install $(TORCH) "transformers>=4.45"
	$(BIN)/python -m pytest -rs --tests thorough tests/distilling

# actionlint, which checks .github/workflows, is optional: it cannot be installed everywhere.
lint: $(VENV)/papers $(VENV)/test $(VENV)/lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	PATH="$(CURDIR)/$(BIN):$$PATH" cython-lint src papers  # it runs pycodestyle from the PATH
	$(BIN)/mypy
	@if command -v actionlint; then actionlint; else echo "actionlint is not installed: .github/workflows is not checked"; fi

# `sanitize` runs all tests with the address and undefined-behaviour sanitizers, `sanitize-threads` the
# multithreaded ones with the thread sanitizer: Linux with gcc. Sanitizers must be loaded before Python,
# and see Python's memory only with plain malloc; memory that Python does not free at exit is no leak of
# ours. Excluded: pages, which run in a browser; tools, which run no compiled code; tests that measure
# memory or crash on purpose; and for threads JAX, whose own races we cannot fix.
MEASURED := tests/fuzz/test_harness.py \
  $(addprefix tests/server/test_abuse.py::test_,unfinished_uploads_are_bounded \
    sixteen_megabytes_are_bounded it_shuts_down_without_waiting_for_misbehaving_clients) \
  tests/server/test_explorer_processes.py::test_the_memory_of_a_process_is_bounded
SANE_TESTS ?= tests --ignore tests/server/pages --ignore tests/tools $(MEASURED:%=--deselect %)
THREAD_TESTS ?= $(SANE_TESTS) --ignore tests/training/neural -k "thread or python_system or workers"
SANE := .venv-sanitize/installed .venv-sanitize-threads/installed
.venv-sanitize/installed: WATCHED := address,undefined
.venv-sanitize-threads/installed: WATCHED := thread
$(SANE): .venv-%/installed: $(VENV)/tools $(SOURCES) $(PAPERS)
	@$(PYTHON) -m tools.environment .venv-$*
	@rm -rf build-$*/wheel build-$*/papers/wheel
	@export CXXFLAGS="-fno-sanitize-recover=all -D_GLIBCXX_ASSERTIONS"; \
	for source in . papers; do .venv-$*/$(SCRIPTS)/python -m tools.build build-$*/$$source/wheel \
	  --source $$source --build-dir build-$*/$$source -Doptimization=1 -Ddebug=true \
	  -Db_sanitize=$(WATCHED) -Db_lundef=false || exit; done
	@.venv-$*/$(SCRIPTS)/python $(PIP) uninstall --yes dodona
	@.venv-$*/$(SCRIPTS)/python $(PIP) install "$$(echo build-$*/wheel/*.whl)[test]" build-$*/papers/wheel/*.whl
	@touch $@

LIBRARY = $$(gcc -print-file-name=lib$(1).so)
sanitize: .venv-sanitize/installed
	LD_PRELOAD="$(call LIBRARY,asan) $(call LIBRARY,stdc++)" PYTHONMALLOC=malloc \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	  .venv-sanitize/$(SCRIPTS)/python -m pytest --capture=sys $(SANE_TESTS)

# setarch: the thread sanitizer does not support all randomised addresses.
sanitize-threads: .venv-sanitize-threads/installed
	LD_PRELOAD="$(call LIBRARY,tsan) $(call LIBRARY,stdc++)" PYTHONMALLOC=malloc \
	TSAN_OPTIONS=halt_on_error=1:suppressions=tests/thread-sanitizer.txt \
	  setarch -R .venv-sanitize-threads/$(SCRIPTS)/python -m pytest --capture=sys $(THREAD_TESTS)

# Fuzzing: SECONDS for each target, or for TARGET="conllu model" only; with TOTAL, rounds up to so many inputs
# of all targets. Findings are written to out/fuzz; docs/explanation/testing.md explains what to do with them.
SECONDS ?= 60
TOTAL   ?= 0
fuzz: $(VENV)/installed $(VENV)/test
	$(BIN)/python -m fuzz $(TARGET) --seconds $(SECONDS) --total $(TOTAL)

# Fuzzing with sanitizers. Their own memory exceeds any limit on the process, so the size of a single
# allocation is limited instead.
fuzz-sanitize: .venv-sanitize/installed
	LD_PRELOAD="$(call LIBRARY,asan) $(call LIBRARY,stdc++)" PYTHONMALLOC=malloc \
	ASAN_OPTIONS=detect_leaks=0:max_allocation_size_mb=1024 UBSAN_OPTIONS=print_stacktrace=1 \
	  .venv-sanitize/$(SCRIPTS)/python -m fuzz $(TARGET) --seconds $(SECONDS) --total $(TOTAL) --memory 0 --cpu 60

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

# `dodona experiment`: .venv/bin/dodona experiment --help lists the papers
papers: $(VENV)/papers
	@echo "Installed: $(BIN)/dodona experiment PAPER --data DIR"

# An English model with its card, for the wheel (NAME=en, en-small) or for models/, as a wheel of its own
# (NAME=en-large): OPTIONS="--student FILE" (docs/how-to/distil.md)
NAME ?= en
model: $(VENV)/installed
	$(BIN)/python -m tools.model --name $(NAME) $(OPTIONS)

# A model with card and wheel for every treebank, in dist/models: OPTIONS="--treebanks fr_sequoia"
models: $(VENV)/papers
	$(BIN)/python -m tools.models $(OPTIONS)

# Models of languages with cards and wheels, from the treebanks and texts of a data folder:
# LANGUAGES=cy,ga DODONA_LANGUAGES=FOLDER OPTIONS="--jobs 8" (docs/how-to/languages.md)
LANGUAGES ?=
languages: $(VENV)/installed
	@$(BIN)/python $(PIP) install "$$(echo build/wheel/*.whl)[neural]"
	$(BIN)/python -m tools.languages --languages "$(LANGUAGES)" $(OPTIONS)

# Accuracy on the test sentences of tests/english, by phenomenon: MODEL=my.dodona
MODEL ?= en
english: $(VENV)/installed
	$(BIN)/python -m tools.english $(MODEL)

# The tables of docs/explanation/oracle.md, which compare costs with exhaustive search; takes some minutes.
oracles: $(VENV)/installed
	$(BIN)/python tools/oracles.py --write

docs: $(VENV)/installed $(VENV)/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "The documentation is in site/index.html"

# Wheels for every installed version of Python, in dist/; the newest is tested in a fresh environment.
wheel:
	@$(PYTHON) -m tools.wheels

clean:
	rm -rf $(VENV) $(dir $(SANE)) build build-sanitize build-sanitize-threads dist out site .hypothesis .pytest_cache .mypy_cache .ruff_cache
