"""The widget: its kernel side alone, and both sides with a stand-in for the notebook between them."""

import json
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

import cutpoint as cp
from cutpoint.workbench.page_files import PAGE
from tests.workbench.conftest import Workbench, new_tab

NOTEBOOK = """async ({ source, draft }) => {
  const heard = {}, values = { draft, screen: "machine" };
  const fire = (event, value) => (heard[event] ?? []).forEach(f => f(value));
  window.model = {
    get: name => values[name],
    set: (name, value) => { values[name] = value; fire(`change:${name}`); },
    save_changes: () => window.toKernel("draft", JSON.stringify(values.draft)),
    send: async content => fire("msg:custom", JSON.parse(await window.toKernel("message", JSON.stringify(content)))),
    on: (event, f) => (heard[event] ??= []).push(f),
    off: () => undefined,
  };
  const { default: widget } = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  document.body.innerHTML = "<div id=cell></div>";
  widget.render({ model: window.model, el: document.getElementById("cell") });
}"""
"""What a notebook does with a widget: a model with values and messages, and an element to show it in."""


def test_the_acceptor_goes_both_ways_in_python() -> None:
    shown = cp.widget(cp.p_adic(2))
    assert shown.acceptor == cp.p_adic(2)
    shown.draft = shown.draft | {"initial": ["1/3", "2/3"]}  # as the page does
    assert shown.acceptor.exact_acceptance("") == cp.exact.entry("2/3")
    shown.acceptor = cp.gallery.parity()
    assert shown.draft["states"] == ["even", "odd"]
    shown.draft = shown.draft | {"initial": ["1/3", "1/3"]}
    with pytest.raises(cp.CutpointError, match="initial must sum to 1; got 2/3"):
        _ = shown.acceptor
    with pytest.raises(cp.CutpointError, match="expected an Acceptor or a Generator"):
        cp.widget("model.json")  # type: ignore[arg-type]


def test_a_request_of_the_page_is_answered() -> None:
    shown, sent = cp.widget(cp.p_adic(2)), list[Any]()
    shown.send = sent.append
    shown._answer(shown, {"id": 7, "route": "step", "body": {"machine": shown.draft, "word": [1]}}, [])
    assert sent[0]["id"] == 7
    assert sent[0]["status"] == 200
    assert sent[0]["body"]["acceptances"] == [0.0, 0.5]


@pytest.mark.skipif(not (PAGE / "widget.js").exists(), reason="NO PAGE: the widget's module was not built.")
def test_an_edit_in_the_notebook_reaches_python_and_back(browser: Browser, workbench: Workbench) -> None:
    shown, answers = cp.widget(cp.p_adic(2)), list[Any]()
    shown.send = answers.append

    def to_kernel(kind: str, text: str) -> str:
        if kind == "draft":
            shown.draft = json.loads(text)
            return ""
        shown._answer(shown, json.loads(text), [])
        return json.dumps(answers.pop())

    with new_tab(browser) as tab:
        errors: list[str] = []
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.expose_function("toKernel", to_kernel)
        tab.set_content("<title>notebook</title>")
        tab.evaluate(NOTEBOOK, {"source": (PAGE / "widget.js").read_text(), "draft": shown.draft})
        tab.get_by_label("1: from s1 to s1").fill("1/4")
        tab.get_by_label("1: from s1 to s2").fill("3/4")
        expect(tab.get_by_label("1: from s1 to s2")).to_have_value("3/4")
        for _ in range(100):
            if shown.draft["transitions"][1][0] == ["1/4", "3/4"]:
                break
            tab.wait_for_timeout(50)
        assert shown.acceptor.exact_transitions[1, 0].tolist() == [cp.exact.entry("1/4"), cp.exact.entry("3/4")]
        shown.acceptor = cp.gallery.parity()
        tab.evaluate("draft => window.model.set('draft', draft)", shown.draft)
        expect(tab.get_by_label("1: from even to odd")).to_have_value("1")
        tab.get_by_role("button", name="Step", exact=True).click()
        tab.get_by_role("button", name="1", exact=True).click()
        expect(tab.locator("[data-testid=acceptance]")).to_have_text("1")
        assert errors == []
