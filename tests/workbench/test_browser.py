"""In a real browser: what the page shows is what the package says; hostile names stay names; nothing typed is lost."""

import json
import time
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import cutpoint as cp
from cutpoint.workbench import drafts
from cutpoint.workbench.machine_screen import GALLERY
from tests.strategies import seeded_acceptor
from tests.workbench.conftest import PATIENCE, Workbench, new_tab, running

TABLE = """table => [...table.querySelectorAll("tbody tr")].map(row => [...row.querySelectorAll("td")].map(cell => {
  const fraction = cell.querySelector(".fraction");
  return fraction ? [...fraction.children].map(part => part.textContent).join("/") : cell.innerText.trim();
}))"""
"""Cells of a table as they are seen: a fraction has its parts above each other."""
VALUES = "table => [...table.querySelectorAll('td[data-value]')].map(cell => Number(cell.dataset.value))"


def link(workbench: Workbench, screen: str, machine: cp.Acceptor, word: list[int]) -> str:
    """A link that holds a machine, and its complement to compare it with, as the page makes it."""
    draft = msgspec.to_builtins(drafts.draft_of(machine.model))
    other = {"draft": msgspec.to_builtins(drafts.draft_of((~machine).model)), "name": "complement"}
    shared = {"draft": draft, "name": "shared", "word": word, "cursor": len(word), "cutPoint": "1/2", "other": other}
    return f"{workbench.address}#/{screen}?share={packed(shared)}"


def packed(state: Any) -> str:
    """A state as a link holds it."""
    packer = zlib.compressobj(wbits=-15)
    return urlsafe_b64encode(packer.compress(json.dumps(state).encode()) + packer.flush()).decode().rstrip("=")


def opened(page: Page, link: str) -> None:
    """Open a link in a tab as one pastes it there: only what is behind # changes."""
    page.evaluate("hash => { location.hash = hash; }", "#" + link.partition("#")[2])
    page.wait_for_function("() => !location.hash.includes('share')")


def shown(text: str) -> str:
    """A cell without what is there for the eye alone."""
    return text.replace("⁄", "/").replace("\n", "").replace("−", "-")


def machines() -> Iterator[cp.Acceptor]:
    """The gallery, and 50 random acceptors, of which every fourth has float entries."""
    yield from (made for make in GALLERY.values() if isinstance(made := make(), cp.Acceptor))
    yield from map(seeded_acceptor, range(50))


@pytest.mark.parametrize("part", range(2))
def test_the_page_shows_what_the_package_says(page: Page, workbench: Workbench, part: int) -> None:
    table = page.get_by_role("table", name="forward table")
    headline = page.locator("[data-testid=acceptance]")
    for machine in [*machines()][part::2]:
        word = [k % machine.n_symbols for k in (1, 0, 2, 1)]
        symbols = machine.alphabet.decode(word)
        opened(page, link(workbench, "step", machine, word))
        values = machine.forward(symbols)
        _until(lambda: table.evaluate(VALUES), values.ravel().tolist())
        if machine.is_exact:
            page.get_by_role("switch", name="Exact fractions").check(force=True)
            rows = machine.forward(symbols, exact=True)
            _until(lambda: _cells(table), [[str(value) for value in row] for row in rows])
            acceptance = str(machine.exact_acceptance(symbols))
            fraction = headline.locator("[data-exact]")
            assert acceptance == (
                fraction.get_attribute("data-exact") if "/" in acceptance else shown(headline.inner_text())
            )
        else:
            texts = [float(text) for row in _cells(table) for text in row]
            np.testing.assert_allclose(texts, values.ravel(), rtol=5e-3, atol=6e-5)
        path = " → ".join(str(state) for state in machine.most_likely_path(symbols))
        assert page.locator("[data-testid=path]").inner_text() == path
        _compare_words(page, machine)


def _compare_words(page: Page, machine: cp.Acceptor) -> None:
    """The list of words of the screen Cut point, at 1/2, against the package."""
    page.evaluate("location.hash = '#/cut'")
    page.get_by_role("button", name="All", exact=True).click()
    table = page.get_by_role("table", name="Words")
    rows = table.evaluate(TABLE)
    codes = [[], *([a] for a in range(machine.n_symbols))]
    sides = {
        "above": lambda p: p > Fraction(1, 2),
        "tie: out": lambda p: p == Fraction(1, 2),
        "below": lambda p: p < Fraction(1, 2),
    }
    for row, word in zip(rows, codes, strict=False):
        exact = machine.exact_acceptance(machine.alphabet.decode(word))
        assert sides[row[-1]](exact)
        if machine.is_exact:
            assert shown(row[1]) == str(exact)


def _cells(table: Locator) -> list[list[str]]:
    return [[shown(cell) for cell in row[2:]] for row in table.evaluate(TABLE)]


def _until(seen: Callable[[], Any], expected: Any) -> None:
    """Wait until the page shows what is expected, or say how it differs."""
    deadline = time.monotonic() + PATIENCE / 1000
    while (found := seen()) != expected and time.monotonic() < deadline:
        time.sleep(0.02)
    assert found == expected


HOSTILE = '<script>window.pwned = 1</script><img src=x onerror="window.pwned = 1">"\'&{{}}'
NOT_RUN = "() => [window.pwned ?? null, document.querySelectorAll('#app script, #app img[src=x]').length]"


@pytest.mark.parametrize("screen", ["machine", "step", "cut", "compare"])
def test_hostile_names_of_states_and_symbols_stay_names(page: Page, workbench: Workbench, screen: str) -> None:
    states, symbols = [f"{HOSTILE}1", f"{HOSTILE}2"], [f"{HOSTILE}a", "b"]
    machine = cp.Acceptor(states, symbols, [[["1/2", "1/2"], [0, 1]]] * 2, states[0], {states[1]})
    opened(page, link(workbench, screen, machine, [0, 1]))
    page.wait_for_function(
        "() => document.body.innerText.includes('<script>window.pwned') || [...document.querySelectorAll('input')].some(i => i.value.includes('<script>'))"
    )
    assert page.evaluate(NOT_RUN) == [None, 0]


@pytest.mark.parametrize("state", [{"draft": {}}, {"draft": {"states": [{}], "symbols": None}}, [], 7])
def test_a_link_that_holds_no_machine_is_refused(page: Page, workbench: Workbench, state: Any) -> None:
    opened(page, f"{workbench.address}#/step?share={packed(state)}")
    expect(page.get_by_role("status").get_by_text("The link is damaged")).to_be_visible()
    expect(page.locator("[data-testid=acceptance]")).to_be_visible()  # the machine that was there before


def test_a_file_as_typed_that_holds_no_machine_is_refused(page: Page, tmp_path: Path) -> None:
    for content in ("{", "{}", '{"states": 7}'):
        (tmp_path / "mine.draft.json").write_text(content)
        page.get_by_label("Open file").set_input_files(tmp_path / "mine.draft.json")
        expect(page.get_by_role("status").get_by_text("mine.draft.json: this is no machine")).to_be_visible()
        page.get_by_role("button", name="Dismiss").click()


def test_what_another_version_has_stored_is_left_alone(browser: Browser, workbench: Workbench) -> None:
    with new_tab(browser) as tab:
        stored = "for (const s of [sessionStorage, localStorage]) { s.setItem('cutpoint.machine', '{\"draft\": {\"states\": 3}}'); s.setItem('cutpoint.workbench', '{\"word\": 1}'); }"
        tab.add_init_script(stored)
        tab.goto(workbench.address)
        expect(tab.get_by_label("Name of the machine")).to_have_value("p_adic(2)")
        expect(tab.get_by_role("button", name="Undo")).to_be_disabled()


def test_hostile_outcomes_events_and_file_names_stay_names(page: Page, workbench: Workbench) -> None:
    name = "<img src=x onerror=window.pwned=1>.csv"
    cell = HOSTILE.replace('"', '""')
    rows = "".join(f'{k},"{cell}{k % 3}","{cell}{k % 2}"\n' for k in range(40))
    page.evaluate("location.hash = '#/learn'")
    table = {"name": name, "mimeType": "text/csv", "buffer": f'case,event,"{cell}"\n{rows}'.encode()}
    page.get_by_label("Choose a file").set_input_files(table)  # type: ignore[arg-type]
    page.get_by_text(name).first.wait_for()
    page.get_by_text("<script>window.pwned").first.wait_for()
    assert page.evaluate(NOT_RUN) == [None, 0]


def test_scripts_of_others_do_not_run(browser: Browser, workbench: Workbench) -> None:
    """The policy of the page: no inline script, and no other host."""
    script = "const s = document.createElement('script'); s.textContent = 'window.pwned = 1'; document.head.append(s);"
    with new_tab(browser) as tab:
        tab.goto(workbench.address)
        tab.evaluate(f"() => {{ {script} }}")
        assert tab.evaluate("() => window.pwned ?? null") is None
        assert tab.evaluate("() => fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')") == "refused"


def test_a_language_that_the_browser_itself_refuses(browser: Browser, workbench: Workbench) -> None:
    """Chromium has this one where LANG is C.UTF-8, as in many containers."""
    with new_tab(browser) as tab:
        tab.add_init_script(
            "Object.defineProperty(navigator, 'language', {get: () => 'en-US@posix', configurable: true})"
        )
        tab.goto(workbench.address)
        expect(tab.get_by_role("figure").get_by_text("1: 1/2")).to_have_count(2)


def test_nothing_is_lost_when_the_server_is_restarted(browser: Browser) -> None:
    with new_tab(browser) as tab:
        rows = tab.get_by_role("table", name="forward table").locator("tbody tr")
        with running("gallery:parity") as first:
            tab.goto(f"{first.address}#/step")
            expect(tab.locator("[data-testid=path]")).to_have_text("even")  # the machine of the command line
            tab.keyboard.press("1")
            tab.keyboard.press("0")
            expect(rows).to_have_count(3)
        tab.keyboard.press("1")
        expect(tab.get_by_role("alert")).to_contain_text("Everything you typed is kept")
        with running("--port", first.address.split(":")[2].split("/")[0]) as second:
            assert second.address != first.address
            tab.context.new_page().goto(second.address)  # as the browser does that the server opens
            expect(rows).to_have_count(4)
            expect(tab.get_by_role("alert")).to_have_count(0)
            expect(tab.locator("[data-testid=path]")).to_have_text("even → odd → odd → even")
