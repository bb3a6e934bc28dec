# Two commands do everything: `make demo` and `make test`. Both make their own virtual environment in .venv.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

# What runs on the reference kernels too: the tests that reach kernels by themselves. The others would only repeat.
ON_REFERENCE := tests/test_minimal.py tests/kernels/test_kernels.py tests/kernels/test_front_coding.py tests/data/test_sample.py \
  tests/model/test_acceptor_words.py tests/em

# Minutes that the scoreboard of reliability may take, and more options of it: make torture MINUTES=5 ARGS=--write
MINUTES ?= 60
ARGS    ?=

.PHONY: bench bench-generators bench-learning demo test lint types check-python clean sanitize sanitize-kernels torture torture-self-test wheel

demo: $(STAMP)
	$(BIN)/cutpoint demo

test: lint types
	$(BIN)/python -W error -c "import cutpoint"
	CUTPOINT_KERNELS=native $(BIN)/pytest -n auto
	CUTPOINT_KERNELS=reference $(BIN)/pytest -n auto -q $(ON_REFERENCE)
	$(BIN)/python -m torture --minutes 2 --batches 12

torture: $(STAMP)
	$(BIN)/python -m torture --minutes $(MINUTES) $(ARGS)

torture-self-test: $(STAMP)
	$(BIN)/python -m torture --self-test $(ARGS)

bench: $(STAMP)
	$(BIN)/python -m pip install --quiet --group bench
	$(BIN)/python benchmarks/kernels.py

bench-learning: $(STAMP)
	$(BIN)/python -m pip install --quiet --group bench
	$(BIN)/python benchmarks/learning.py --seeds 10

bench-generators: $(STAMP)
	$(BIN)/python -m pip install --quiet --group bench
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
	    native/exercise.cpp native/kernels.cpp native/tree.cpp native/tables.cpp native/merging.cpp || exit 1; done
	build/exercise-thread
	build/exercise-address
	build/exercise-thread race 2>&1 | grep "data race"
	build/exercise-address leak 2>&1 | grep "detected memory leaks"

# Then the suite on kernels that watch every access to memory, in an environment of its own. Python itself leaks.
sanitize: check-python sanitize-kernels
	$(PYTHON) -m venv .venv-sanitize
	.venv-sanitize/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-sanitize/bin/python -m pip install --quiet --group dev --config-settings=cmake.define.CUTPOINT_SANITIZE=address,undefined ".[plot,sklearn]"
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so)" \
	  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1 CUTPOINT_KERNELS=native \
	  .venv-sanitize/bin/python -m pytest -q -n auto tests/kernels tests/data/test_sample.py \
	  tests/model/test_acceptor_words.py tests/em tests/shards/test_shards.py -k "not needs_little_memory"

wheel: $(STAMP)
	$(BIN)/pip wheel --no-deps --wheel-dir dist .

clean:
	rm -rf $(VENV) .venv-sanitize build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

check-python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "cutpoint needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..."; exit 1; }

$(STAMP): pyproject.toml CMakeLists.txt $(wildcard native/*) | check-python
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --group dev --editable ".[dask,data,draw,onnx,plot,sklearn]"
	touch $@
