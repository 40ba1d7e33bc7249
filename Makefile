# One target, one job. `make help` lists them. Nothing is installed outside .venv and build.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
SANITIZE ?= address;undefined
SANITIZE_TESTS ?= tests
JOBS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)

BIN := .venv/bin
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install --quiet
CXX_FILES = $(shell find cpp bindings -name '*.[ch]pp' -o -name '*.inl')
CXX_SOURCES = $(shell find cpp bindings -name '*.cpp')
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)

# $(call install,a.b): installs the list that pyproject.toml keeps under this key.
install = echo 'installing $(1) of pyproject.toml' && $(BIN)/python -c 'import functools, sys, tomllib; \
	keys = sys.argv[1].split("."); \
	print(*functools.reduce(dict.get, keys, tomllib.load(open("pyproject.toml", "rb"))), sep="\n")' \
	$(1) > .venv/$(1).txt && $(PIP) -r .venv/$(1).txt

.PHONY: help
help: ## show this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

# --- set-up ---------------------------------------------------------------------------------------

.PHONY: venv build
venv: .venv/.created ## create .venv with the build requirements
build: build/.installed ## compile, and install the package into .venv in editable form

.venv/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "mhboost needs Python 3.11 or later: make PYTHON=...")'
	$(PYTHON) -m venv .venv
	@$(call install,build-system.requires)
	@$(PIP) 'cmake>=3.26' 'ninja>=1.11'
	@touch $@

# A list of the sources that changes when a file comes or goes.
build/.sources: FORCE
	@mkdir -p build
	@find cpp bindings src -name '*.[ch]pp' -o -name '*.inl' -o -name '*.py' | sort > $@.new
	@if cmp -s $@ $@.new; then rm $@.new; else mv $@.new $@; fi
FORCE:

build/.installed: .venv/.created build/.sources pyproject.toml CMakeLists.txt $(CXX_FILES)
	@echo 'compiling and installing mhboost'
	@$(PIP) --no-build-isolation --editable .
	@touch $@

.venv/.%: pyproject.toml | .venv/.created
	@$(call install,project.optional-dependencies.$*)
	@touch $@

# --- use ------------------------------------------------------------------------------------------

.PHONY: demo test bench bench-full
demo: build .venv/.plot ## run the example on handwritten digits
	@$(BIN)/python examples/digits.py

test: build .venv/.test ## run the tests
	@$(BIN)/python -m pytest -q

bench: build build/micro/search_cost .venv/.bench .venv/.plot ## measure beside other systems (ten minutes), rewrite the tables
	@$(BIN)/python benchmarks/run.py --selection quick
	@$(BIN)/python benchmarks/report.py --selection quick

bench-full: build build/micro/search_cost .venv/.bench .venv/.plot ## the same, all of it (hours)
	@$(BIN)/python benchmarks/run.py --selection full
	@$(BIN)/python benchmarks/report.py --selection full

# The core once more, with a program that measures a single cut; CMake knows what is out of date.
build/micro/search_cost: .venv/.created FORCE
	@mkdir -p build/micro
	@$(BIN)/cmake -S . -B build/micro -G Ninja -DMHBOOST_MICRO=ON \
		-DPython_EXECUTABLE="$(CURDIR)/$(BIN)/python" -DCMAKE_MAKE_PROGRAM="$(CURDIR)/$(BIN)/ninja" > build/micro/log.txt
	@$(BIN)/cmake --build build/micro --target search_cost >> build/micro/log.txt

.PHONY: book
book: build .venv/.plot ## rebuild the results book and its tables from results/
	@$(BIN)/python -m mhboost.protocol book --out results

# --- checks ---------------------------------------------------------------------------------------

.PHONY: lint format types sanitize symbols
lint: build .venv/.dev symbols ## check style and common mistakes, Python and C++
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@echo $(BIN)/clang-format --dry-run
	@$(BIN)/clang-format --dry-run -Werror $(CXX_FILES)
	@echo $(BIN)/clang-tidy
	@printf '%s\n' $(CXX_SOURCES) | xargs -P $(JOBS) -n 1 \
		$(BIN)/clang-tidy --quiet -p "$$(dirname "$$(ls -t build/*/compile_commands.json | head -n 1)")"

# A template or inline function compiled for AVX and not inlined could be the copy the linker keeps
# for everybody, and crash CPUs without AVX. So these files must not offer any.
symbols: build ## check that the AVX kernels export nothing the linker may share
	@for object in $$(find build/*/CMakeFiles/mhboost_core.dir -name 'avx*.o'); do \
		if nm -C "$$object" | grep ' W '; then \
			echo "$$object: functions the linker may share" >&2; exit 1; fi; done

format: .venv/.dev ## rewrite the sources in the house style
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	@echo $(BIN)/clang-format -i
	@$(BIN)/clang-format -i $(CXX_FILES)

types: build .venv/.dev .venv/.test ## check the types of the Python package
	$(BIN)/mypy

# A second build, not in .venv, seen by the tests through PYTHONPATH. Python itself is not
# instrumented, so the sanitizer's library (and the C++ one it wraps) must be loaded before it.
# -S keeps the editable install out of the way.
sanitize: build .venv/.test ## run the tests on a core built with SANITIZE (default: address;undefined)
	@rm -rf build/sanitize/site
	@echo 'compiling with -fsanitize=$(SANITIZE)'
	@$(PIP) --no-build-isolation --no-deps --target build/sanitize/site . \
		-C build-dir=build/sanitize/cmake -C cmake.build-type=RelWithDebInfo \
		-C 'cmake.define.MHBOOST_SANITIZE=$(SANITIZE)'
	@runtime="$$(g++ -print-file-name=$(if $(findstring thread,$(SANITIZE)),libtsan,libasan).so)"; \
	base="$$($(BIN)/python -c 'import sys; print(sys._base_executable)')"; \
	packages="$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"; \
	LD_PRELOAD="$$runtime $$(g++ -print-file-name=libstdc++.so)" \
	PYTHONPATH="$(CURDIR)/build/sanitize/site:$$packages" PYTHONNOUSERSITE=1 \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	timeout 20m "$$base" -S -m pytest -q --capture=sys -p no:faulthandler -m 'not slow' $(SANITIZE_TESTS)

# --- the rest -------------------------------------------------------------------------------------

.PHONY: docs clean
docs: build .venv/.docs ## build the documentation into build/docs
	$(BIN)/mkdocs build --quiet --strict

clean: ## remove what the other targets made, except .venv
	rm -rf build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis src/mhboost/_core.pyi
	find src tests examples benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
