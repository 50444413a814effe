# make run    everything on a fresh machine: environment, database, sample campaign, web server and worker;
#             make run ARGS="--port 8001" at another port
# make test   the whole test suite; make lint the checks; make bench the measurements
PYTHON ?= python3
BIN := .venv/bin
WORKERS ?= auto

.PHONY: setup run test coverage test-postgres lint format bench fuzz soak verify requirements audit

setup: .venv/run-ready

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || (echo "Notarius needs Python 3.11 or newer: make PYTHON=python3.11" >&2; exit 1)
	@$(PYTHON) -m venv .venv || (rm -rf .venv; echo "No virtual environment could be made: install Python's venv module (python3-venv on Debian)" >&2; exit 1)

.venv/run-ready: requirements.txt | .venv/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	@touch $@

.venv/dev-ready: requirements-dev.txt .venv/run-ready
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $@

run: .venv/run-ready
	@$(BIN)/python manage.py up $(ARGS)

test: .venv/dev-ready
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup $(ARGS)

# The same with branch coverage, which must stay above the gate; it takes a third longer.
coverage: .venv/dev-ready
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --cov --cov-report=term:skip-covered $(ARGS)

# The whole suite on PostgreSQL; .ci/run leaves out what is the same on any database.
test-postgres: .venv/dev-ready
	DATABASE_URL=$${NOTARIUS_TEST_POSTGRES:-postgres://postgres@127.0.0.1:5432/notarius} NOTARIUS_SECRET_KEY=only-for-tests \
	  $(BIN)/python -m pytest -n auto --dist loadgroup $(ARGS)

lint: .venv/dev-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python manage.py check --fail-level WARNING
	$(BIN)/python manage.py makemigrations --check --dry-run

format: .venv/dev-ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/dev-ready
	$(BIN)/python -m bench $(ARGS)

fuzz: .venv/dev-ready
	$(BIN)/python -m tests.fuzz $(ARGS)

soak: .venv/dev-ready
	$(BIN)/python -m tests.soak $(ARGS)

verify: .venv/dev-ready
	$(BIN)/python -m tests.verification.run $(ARGS)

# Asks the Python advisory database about every pinned package; needs the network, and is no part of CI.
audit: .venv/bin/python
	$(PYTHON) -m venv .venv/audit
	.venv/audit/bin/pip install --quiet --disable-pip-version-check "pip-audit>=2.10,<3"
	.venv/audit/bin/pip-audit --strict --disable-pip --require-hashes -r requirements.txt

# Needs uv; everybody else only installs what these files pin.
LOCK := uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --quiet
requirements:
	$(LOCK) pyproject.toml -o requirements.txt
	$(LOCK) -c requirements.txt --group dev pyproject.toml -o requirements-dev.txt
	$(LOCK) tests/verification/runtime.in -o requirements-verify.txt
	$(LOCK) --no-deps tests/verification/model.in -o requirements-verify-model.txt
