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

.PHONY: bench bench-generators bench-learning demo test lint types check-python clean sanitize torture torture-self-test wheel

demo: $(STAMP)
	$(BIN)/cutpoint demo

test: lint types
	$(BIN)/python -W error -c "import cutpoint"
	CUTPOINT_KERNELS=native $(BIN)/pytest -n auto
	CUTPOINT_KERNELS=reference $(BIN)/pytest -n auto -q $(ON_REFERENCE)
	$(BIN)/python -m torture --minutes 2

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

# The suite on kernels that watch every access to memory, in an environment of its own.
sanitize: check-python
	$(PYTHON) -m venv .venv-sanitize
	.venv-sanitize/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-sanitize/bin/python -m pip install --quiet --group dev --config-settings=cmake.define.CUTPOINT_SANITIZE=ON ".[plot,sklearn]"
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
