"""Rows in groups by the value of a column."""

import datetime

import numpy as np
from hypothesis import given, strategies as st

from cutpoint.cli.groups import NO_VALUE, groups_of


@given(st.lists(st.one_of(st.none(), st.integers(-50, 50), st.floats(-1e6, 1e6))))
def test_every_row_of_numbers_is_in_one_group(values: list[float | None]) -> None:
    groups = groups_of(values, "x")
    assert sorted(r for rows in groups.values() for r in rows) == list(range(len(values)))
    assert len(groups) <= 31
    assert (NO_VALUE in groups) == (None in values)
    means = [np.mean([values[r] for r in rows]) for name, rows in groups.items() if name != NO_VALUE]
    assert means == sorted(means)


def test_groups_by_hand() -> None:
    assert groups_of(["b", "a", "b", "", None], "x") == {"a": [1], "b": [0, 2], "(missing)": [3, 4]}
    assert groups_of(["2024-10-01", "2024-09-30"], "x") == {"2024-09-30": [1], "2024-10-01": [0]}
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=k) for k in range(400)]
    assert list(groups_of(days, "x"))[:2] == ["2020-01", "2020-02"]
    assert groups_of([f"{day}T10:00+02:00" for day in days], "x") == groups_of(days, "x")
    years = [datetime.date(2020 + k // 12, 1 + k % 12, 1) for k in range(48)]
    assert list(groups_of(years, "x")) == ["2020", "2021", "2022", "2023"]
    hours = [datetime.datetime(2024, 3, 1, k % 24, k % 60) for k in range(100)]
    assert groups_of(hours, "x") == {"2024-03-01": list(range(100))}
    assert groups_of(range(100), "x")["20 to 39"] == list(range(20, 40))
    uneven = groups_of([0] * 90 + list(range(100, 200)), "x")  # equal values stay together
    assert {name: len(rows) for name, rows in uneven.items()} == {
        "0 to 0": 90, "100 to 123": 24, "124 to 161": 38, "162 to 199": 38,
    }  # fmt: skip
