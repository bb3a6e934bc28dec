"""Examples in docstrings are run as tests; as everywhere in the documentation, ``cp`` is cutpoint."""

from typing import Any

import pytest

import cutpoint


@pytest.fixture(scope="session", autouse=True)
def _names_of_examples(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace["cp"] = cutpoint
