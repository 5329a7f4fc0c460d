# Two commands matter: `make demo` flies the shipped flight, `make test` checks everything.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test check notebooks benchmarks lock clean

.venv/core: requirements/core.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/core.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

.venv/dev: .venv/core requirements/dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
	touch $@

demo: .venv/core
	$(BIN)/skyhop run scenarios/melbourne.yaml

check: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: check
	$(BIN)/pytest -n auto

notebooks: .venv/dev
	$(BIN)/python notebooks/execute.py

benchmarks: .venv/dev
	$(BIN)/python -m benchmarks

lock:
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet uv
	.venv-lock/bin/uv pip compile pyproject.toml requirements/build.in --universal --python-version 3.11 --generate-hashes \
	    --no-annotate --custom-compile-command "make lock" --quiet --output-file requirements/core.lock
	.venv-lock/bin/uv pip compile pyproject.toml requirements/build.in --extra dev --constraint requirements/core.lock --universal \
	    --python-version 3.11 --generate-hashes --no-annotate --custom-compile-command "make lock" --quiet \
	    --output-file requirements/dev.lock
	rm -r .venv-lock

clean:
	rm -rf .venv .venv-lock runs build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
