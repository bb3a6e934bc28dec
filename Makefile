# Two commands do everything: `make demo` and `make test`. Both make their own virtual environment in .venv. The demo installs
# what it needs, without the tools for tests and without the page of the workbench.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
DEMO   := $(VENV)/.installed-demo
PAGE   := $(VENV)/.installed-workbench
NATIVE := pyproject.toml CMakeLists.txt $(wildcard native/*)
WEB    := $(shell find web -name node_modules -prune -o -name dist -prune -o -type f -print)
PIP    := $(BIN)/python -m pip install --quiet

# What runs on the reference kernels too: the tests that reach kernels by themselves. The others would only repeat.
ON_REFERENCE := tests/test_minimal.py tests/kernels/test_kernels.py tests/kernels/test_front_coding.py tests/data/test_sample.py \
  tests/model/test_acceptor_words.py tests/em

# Minutes that the scoreboard of reliability may take, and more options of it: make torture MINUTES=5 ARGS=--write
MINUTES ?= 60
ARGS    ?=

.DELETE_ON_ERROR:
.PHONY: bench bench-generators bench-learning check-python clean demo docs lint release-check sanitize sanitize-kernels test torture \
  torture-self-test types wheel workbench

demo: $(DEMO)
	$(BIN)/cutpoint demo
	@echo "To watch an acceptor think, in your browser: make workbench"

workbench: $(PAGE)
	$(BIN)/cutpoint workbench gallery:customers

test: lint types
	$(BIN)/python -W error -c "import cutpoint"
	CUTPOINT_KERNELS=native $(BIN)/pytest -n auto
	CUTPOINT_KERNELS=reference $(BIN)/pytest -n auto -q $(ON_REFERENCE)
	$(BIN)/python -m torture --minutes 2 --batches 12

# The site, in docs/_build/html. Every warning is an error, a link or a name that leads nowhere among them.
docs: $(STAMP)
	$(PIP) --group docs
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet -b html docs docs/_build/html

torture: $(STAMP)
	$(BIN)/python -m torture --minutes $(MINUTES) $(ARGS)

torture-self-test: $(STAMP)
	$(BIN)/python -m torture --self-test $(ARGS)

bench: $(STAMP)
	$(PIP) --group bench
	$(BIN)/python benchmarks/kernels.py

bench-learning: $(STAMP)
	$(PIP) --group bench
	$(BIN)/python benchmarks/learning.py --seeds 10

bench-generators: $(STAMP)
	$(PIP) --group bench
	$(BIN)/python benchmarks/generators.py all --store

lint: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(STAMP)
	$(BIN)/mypy

# The kernels alone, many threads at once, under the sanitizers for threads and for memory and leaks. The errors that the
# program plants when asked must be found.
sanitize-kernels:
	@for kind in thread address,undefined; do \
	  echo "int main() {}" | $(CXX) -x c++ -fsanitize=$$kind -o /dev/null - 2>/dev/null || \
	  { echo "make sanitize needs a compiler with -fsanitize=$$kind: g++ with libtsan, libasan and libubsan, or clang++; \
	name one with: make sanitize CXX=..."; exit 1; }; done
	mkdir -p build
	for kind in thread address,undefined; do \
	  $(CXX) -std=c++20 -O1 -g -Wno-psabi -fsanitize=$$kind -fno-sanitize-recover=all -pthread \
	    -DCUTPOINT_TABLE=kernels_baseline -DCUTPOINT_NAME='"plain"' -o build/exercise-$${kind%,*} \
	    native/exercise.cpp native/kernels.cpp native/tree.cpp native/tables.cpp native/merging.cpp native/sparse.cpp || exit 1; done
	build/exercise-thread
	build/exercise-address
	build/exercise-thread race 2>&1 | grep "data race"
	build/exercise-address leak 2>&1 | grep "detected memory leaks"

# Then the suite on kernels that watch every access to memory, in an environment of its own. Python itself leaks.
sanitize: check-python sanitize-kernels
	$(PYTHON) -m venv .venv-sanitize
	.venv-sanitize/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	CUTPOINT_PAGE=OFF .venv-sanitize/bin/python -m pip install --quiet --group dev --config-settings=cmake.define.CUTPOINT_SANITIZE=address,undefined ".[plot,sklearn]"
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so)" \
	  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=8192 UBSAN_OPTIONS=halt_on_error=1 CUTPOINT_KERNELS=native \
	  .venv-sanitize/bin/python -m pytest -q -n auto tests/kernels tests/data/test_sample.py \
	  tests/model/test_acceptor_words.py tests/em tests/shards/test_shards.py -k "not needs_little_memory"

wheel: | $(VENV)/pyvenv.cfg
	$(BIN)/pip wheel --no-deps --wheel-dir dist .

# What a release must pass, in an environment of its own: the sdist has what git has, a wheel builds from the unpacked sdist in isolation,
# its metadata and its use of the stable ABI are right, and it works where it is installed alone and no compiler is found.
release-check: check-python
	rm -rf dist .venv-release
	$(PYTHON) -m venv .venv-release
	.venv-release/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-release/bin/python -m pip install --quiet --group release
	.venv-release/bin/sp-repo-review .
	.venv-release/bin/check-sdist
	.venv-release/bin/python -m build --outdir dist
	.venv-release/bin/twine check --strict dist/*
	case "$$(echo dist/*.whl)" in *abi3*) .venv-release/bin/abi3audit --strict --report dist/*.whl;; esac
	$(PYTHON) -m venv --clear .venv-release
	.venv-release/bin/python -m pip install --quiet pytest dist/*.whl
	cd dist && PATH=/nowhere CUTPOINT_KERNELS=native ../.venv-release/bin/python -m pytest -q -p no:cacheprovider --noconftest \
	  -c ../pyproject.toml --rootdir .. ../tests/test_minimal.py

clean:
	rm -rf $(VENV) .venv-release .venv-sanitize build dist docs/_build docs/gallery docs/reference/names .pytest_cache .mypy_cache .ruff_cache .hypothesis

check-python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "cutpoint needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..."; exit 1; }

$(VENV)/pyvenv.cfg: | check-python
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade "pip>=25.1"

$(DEMO): $(NATIVE) | $(VENV)/pyvenv.cfg
	CUTPOINT_PAGE=OFF $(PIP) --editable ".[draw,plot,sklearn]"
	touch $@

$(PAGE): $(NATIVE) $(WEB) | $(VENV)/pyvenv.cfg
	$(PIP) --editable ".[draw,plot,sklearn,workbench]"
	touch $(DEMO) $@

$(STAMP): $(NATIVE) $(WEB) | $(VENV)/pyvenv.cfg
	$(PIP) --group dev --editable ".[dask,data,draw,onnx,plot,sklearn,workbench]"
	touch $(DEMO) $(PAGE) $@
