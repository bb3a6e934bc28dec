"""What people do on each screen, in a real browser: a story, a wrong input, the keyboard alone, and how it looks."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import cutpoint as cp
from tests.workbench.conftest import ROOT, Workbench, new_tab

PICTURES = ROOT / "docs" / "pictures" if os.environ.get("CUTPOINT_PICTURES") else None
SHIFT = [["1", "0"], ["1/2", "1/2"]]


def screen(page: Page, name: str) -> None:
    page.get_by_role("navigation").get_by_role("link", name=name, exact=True).click()
    expect(page.get_by_role("link", name=name, exact=True)).to_have_attribute("aria-current", "page")


def choose(page: Page, machine: str) -> None:
    """Take a machine of the gallery."""
    page.get_by_role("button", name=re.compile("gallery", re.IGNORECASE)).first.click()
    page.get_by_label("Find a machine").fill(machine)
    page.get_by_role("dialog").get_by_role("button", name=machine).first.click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def read(page: Page, word: str) -> None:
    """Type a word on the tape."""
    for symbol in word:
        page.keyboard.press(symbol)


def exact(where: Locator) -> Locator:
    """The fraction that is shown."""
    return where.locator("[data-exact]").first


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """A file of cases, as a user has one."""
    words = cp.random_words(["ad", "visit", "wait"], 300, (1, 5), rng=1)
    truth = cp.Acceptor(
        ["cold", "warm"],
        ["ad", "visit", "wait"],
        {
            "ad": [["1/2", "1/2"], ["0", "1"]],
            "visit": [["1/5", "4/5"], ["0", "1"]],
            "wait": [["1", "0"], ["1/2", "1/2"]],
        },
        "cold",
        {"warm"},
    )
    path = tmp_path / "journeys.tsv"
    cp.write_sample(cp.simulate(truth, words, rng=2), path)
    return path


def learn(page: Page, cases: Path) -> None:
    """Learn from a file with the least work."""
    screen(page, "Learn")
    page.get_by_label("Choose a file").set_input_files(cases)
    page.get_by_label("States", exact=True).fill("2")
    page.get_by_role("button", name="Learn", exact=True).click()
    expect(page.get_by_role("link", name="See the cases")).to_be_visible()


# -- Machine ----------------------------------------------------------------------------------------------------------


def test_a_machine_is_taken_from_the_gallery_and_edited(page: Page) -> None:
    choose(page, "p_adic(2)")
    expect(page.get_by_label("Name of the machine")).to_have_value("p_adic(2)")
    diagram = page.get_by_role("group", name=re.compile("Diagram of p_adic"))
    expect(diagram.get_by_role("img")).to_have_count(2)

    page.get_by_label("1: from s1 to s1").fill("2/6")
    page.get_by_label("1: from s1 to s2").fill("4/6")
    expect(page.get_by_role("figure").get_by_text("1: 2/3")).to_be_visible()
    expect(page.get_by_label("1: from s1 to s1")).to_have_value("2/6")  # as it was typed

    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("1: from s1 to s1")).to_have_value("1/2")
    page.get_by_role("button", name="Redo").click()
    expect(page.get_by_label("1: from s1 to s1")).to_have_value("2/6")
    page.get_by_role("button", name="Undo").click()

    page.get_by_role("button", name="Add state").click()
    expect(diagram.get_by_role("img")).to_have_count(3)
    page.get_by_role("button", name="Remove state q2").click()
    expect(diagram.get_by_role("img")).to_have_count(2)


def test_a_row_that_is_wrong_says_so_in_the_package_s_own_words(page: Page) -> None:
    choose(page, "p_adic(2)")
    page.get_by_label("0: from s2 to s1").fill("2/5")
    with pytest.raises(cp.CutpointError) as refused:
        cp.Acceptor(["s1", "s2"], "01", {"0": [["1", "0"], ["2/5", "1/2"]], "1": SHIFT}, "s1", {"s2"})
    row = page.get_by_role("table", name="Matrix of 0")
    expect(row.get_by_text(str(refused.value))).to_be_visible()
    expect(page.get_by_label("0: from s2 to s1")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("1: from s1 to s1")).not_to_have_attribute("aria-invalid", "true")
    screen(page, "Step")
    expect(page.get_by_text("There is no machine to step through yet")).to_be_visible()
    screen(page, "Machine")
    page.get_by_role("button", name="Rescale rows").click()
    expect(page.get_by_label("0: from s2 to s1")).to_have_value("4/9")
    expect(page.get_by_label("0: from s2 to s2")).to_have_value("5/9")


def test_while_a_row_is_typed_the_diagram_and_the_cells_stay_where_they_are(page: Page) -> None:
    choose(page, "p_adic(2)")
    diagram, cell = (
        page.get_by_role("group", name=re.compile("Diagram of p_adic")),
        page.get_by_label("1: from s1 to s2"),
    )
    expect(diagram).to_be_visible()
    before = cell.bounding_box()
    page.get_by_label("1: from s1 to s1").fill("1/3")
    expect(page.get_by_text("The diagram follows when every row is right.")).to_be_visible()
    expect(diagram).to_be_visible()
    assert cell.bounding_box() == before
    cell.fill("2/3")
    expect(page.get_by_role("figure").get_by_text("1: 2/3")).to_be_visible()
    page.get_by_label("Name of state 1").fill("s2")  # another machine: the diagram would be of none
    expect(diagram).to_have_count(0)


def test_pictures_and_scripts_have_the_moves_that_are_on_the_screen(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    choose(page, "customers()")
    figure = page.get_by_role("figure")
    expect(figure.get_by_text("cart: 1/10").first).to_be_visible()
    page.get_by_role("slider", name="Only moves of at least").fill("0.55")
    expect(figure.get_by_text("cart: 1/10")).to_have_count(0)
    page.get_by_role("button", name="Copy as Python").click()
    expect(page.get_by_text("Python copied")).to_be_visible()
    assert "min_probability=0.55" in page.evaluate("navigator.clipboard.readText()")
    page.get_by_role("button", name="Download").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=".tikz").click()
    drawn = download.value.path().read_text()
    assert "cart" in drawn
    assert "1/10" not in drawn


def test_decimals_are_made_exact_so_that_a_dfa_can_be_found(page: Page, tmp_path: Path) -> None:
    machine = cp.Acceptor(["s", "t"], "ab", [[[0.9, 0.1], [0.1, 0.9]], [[0.7, 0.3], [0.3, 0.7]]], "s", {"t"})
    cp.save(machine, tmp_path / "decimal.json")
    page.get_by_label("Open file").set_input_files(tmp_path / "decimal.json")
    expect(page.get_by_text("decimal numbers")).to_be_visible()
    screen(page, "Cut point")
    page.get_by_label("Cut point, exactly").fill("3/10")
    dfa = page.get_by_role("region", name="DFA")
    expect(dfa).to_contain_text("unknown")
    expect(dfa).not_to_contain_text("rationalized")  # which is Python
    dfa.get_by_role("button", name="Make exact").click()
    expect(dfa).to_contain_text("6 states")
    screen(page, "Machine")
    expect(page.get_by_label("a: from s to s")).to_have_value("9/10")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("decimal numbers")).to_be_visible()


def test_a_file_that_holds_no_machine_is_refused_with_a_sentence(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "<img src=x onerror=alert(1)>.json"
    path.write_text("{")
    page.get_by_label("Open file").set_input_files(path)
    expect(page.get_by_role("status").get_by_text("<img src=x onerror=alert(1)>.json")).to_be_visible()


def test_a_generator_is_new_and_edited_by_keys_alone(page: Page) -> None:
    page.get_by_role("button", name="New", exact=True).focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Name of the machine")).to_have_value("generator")
    page.get_by_label("a: from q0 to q0").focus()
    page.keyboard.type("1/4")
    page.keyboard.press("Tab")
    page.keyboard.type("1/4")
    expect(page.get_by_role("figure").get_by_text("a: 1/4").first).to_be_visible()
    page.keyboard.press("ArrowDown")  # the cell below
    expect(page.get_by_label("a: from q1 to q1")).to_be_focused()
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    expect(page.get_by_label("a: from q0 to q0")).to_have_value("1/2")


def test_states_are_dragged_and_moved_by_keys(page: Page) -> None:
    choose(page, "customers()")
    node = page.get_by_role("img", name=re.compile("State ready"))
    expect(node).to_be_visible()
    before = node.bounding_box()
    assert before
    page.mouse.move(before["x"] + before["width"] / 2, before["y"] + before["height"] / 2)
    page.mouse.down()
    page.mouse.move(before["x"] + 60, before["y"] - 60)
    page.mouse.up()
    expect(page.get_by_role("button", name="Reset layout")).to_be_visible()
    page.get_by_role("button", name="Reset layout").click()
    assert node.bounding_box() == before
    node.press("ArrowDown")
    expect(page.get_by_role("button", name="Reset layout")).to_be_visible()


# -- Step -------------------------------------------------------------------------------------------------------------


def test_a_word_is_read_symbol_by_symbol(page: Page) -> None:
    A = cp.p_adic(2)
    choose(page, "p_adic(2)")
    screen(page, "Step")
    expect(page.get_by_label("Distribution over states")).to_be_visible()
    read(page, "011")
    page.get_by_text("Exact fractions").click()
    shown = page.get_by_test_id("acceptance")
    for word in ("011", "01", "0"):
        fraction = A.exact_acceptance(word)
        if fraction.denominator > 1:
            expect(exact(shown)).to_have_attribute("data-exact", str(fraction))
        else:
            expect(shown).to_have_text(str(fraction))
        page.keyboard.press("ArrowLeft")
    table = page.get_by_role("table", name="forward table")
    expect(table.get_by_role("row")).to_have_count(5)  # its head, and a row for each prefix
    path = " → ".join(map(str, A.most_likely_path("011")))
    expect(page.get_by_test_id("path")).to_have_text(path)
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_label("Symbol 3: 1, read")).to_be_visible()
    expect(page.locator("[data-flow]").first).to_be_attached()  # arrows light up
    page.get_by_role("button", name="Occupancy").click()
    page.get_by_label("The run ends").select_option("in a final state")
    expect(page.get_by_role("table", name="occupancy table")).to_be_visible()


def test_a_symbol_that_is_none_is_said(page: Page) -> None:
    choose(page, "p_adic(2)")
    screen(page, "Step")
    page.get_by_label("The word as text").fill("012")
    expect(page.get_by_role("alert")).to_have_text("“2” is not a symbol of this machine; its symbols are 0, 1.")


# -- Cut point --------------------------------------------------------------------------------------------------------


def test_words_at_a_cut_point_are_those_of_the_language(page: Page) -> None:
    choose(page, "p_adic(2)")
    screen(page, "Cut point")
    page.get_by_label("Cut point, exactly").fill("5/8")
    page.get_by_label("words up to length").fill("4")
    words = page.get_by_role("table", name="Words").get_by_role("row")
    expected = sorted(cp.Language(cp.p_adic(2), "5/8").words(4), key=lambda word: (len(word), word))
    expect(words).to_have_count(len(expected) + 1)
    assert [row.get_by_role("cell").first.inner_text() for row in words.all()[1:]] == [
        "".join(map(str, w)) for w in expected
    ]
    expect(page.get_by_text("accepted with exactly")).to_contain_text("not in the language")
    page.get_by_text("Ties are in (≥)").click()
    expect(page.get_by_text("accepted with exactly")).to_contain_text("because ties are in")
    expect(page.get_by_role("region", name="Isolation")).to_contain_text("not isolated")


def test_the_dfa_is_drawn_and_opened_as_a_machine(page: Page) -> None:
    choose(page, "parity()")
    screen(page, "Cut point")
    dfa = page.get_by_role("region", name="DFA")
    expect(dfa.get_by_role("group", name="DFA of the language").get_by_role("img")).to_have_count(2)
    dfa.get_by_role("button", name="Open the DFA as a machine").click()
    expect(page.get_by_label("Name of the machine")).to_have_value("parity() DFA")


def test_a_cut_point_that_is_no_number_is_refused(page: Page) -> None:
    choose(page, "p_adic(2)")
    screen(page, "Cut point")
    page.get_by_label("Cut point, exactly").fill("half")
    expect(page.get_by_role("alert")).to_contain_text("half")
    page.get_by_label("Cut point, exactly").fill("1/2")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_the_cut_point_moves_by_keys_alone(page: Page) -> None:
    choose(page, "p_adic(2)")
    screen(page, "Cut point")
    page.get_by_role("slider", name="Cut point").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Cut point, exactly")).to_have_value("0.501")


# -- Compare ----------------------------------------------------------------------------------------------------------


def test_two_machines_are_told_apart_by_a_shortest_word(page: Page) -> None:
    choose(page, "p_adic(2)")
    screen(page, "Compare")
    page.get_by_role("button", name="This machine as it is now").click()
    expect(page.get_by_role("region", name="Verdict")).to_contain_text("Equal")

    screen(page, "Machine")
    page.get_by_label("1: from s2 to s1").fill("1/4")
    page.get_by_label("1: from s2 to s2").fill("3/4")
    screen(page, "Compare")
    other = cp.Acceptor(["s1", "s2"], "01", {"0": SHIFT, "1": [["1/2", "1/2"], ["1/4", "3/4"]]}, "s1", {"s2"})
    witness = cp.equivalence(other, cp.p_adic(2))
    assert isinstance(witness, cp.Different)
    expect(page.get_by_test_id("witness")).to_have_text("".join(map(str, witness.word)))
    left = page.get_by_label("Distribution of p_adic(2)", exact=True)
    expect(left).to_be_visible()
    page.get_by_label("Symbols read").focus()
    page.keyboard.press("Home")
    expect(left.get_by_role("listitem").first).to_contain_text("1")


def test_machines_that_cannot_be_compared_are_refused(page: Page) -> None:
    choose(page, "p_adic(2)")
    screen(page, "Compare")
    choose(page, "customers()")
    expect(page.locator(".note--bad")).to_contain_text("alphabet")


# -- Learn and Cases --------------------------------------------------------------------------------------------------


def test_a_machine_is_learned_from_a_file_and_a_case_is_explained(page: Page, cases: Path) -> None:
    learn(page, cases)
    expect(page.get_by_role("table", name="Scores beside baselines")).to_contain_text("log loss")
    expect(page.get_by_role("img", name=re.compile("Calibration"))).to_be_visible()
    page.get_by_role("link", name="See the cases").click()
    table = page.get_by_role("table", name="Cases")
    expect(table.get_by_role("row")).to_have_count(51)
    page.get_by_role("button", name="Wrong", exact=True).click()
    expect(table.get_by_text("✓")).to_have_count(0)
    table.get_by_role("button").last.click()
    expect(page.get_by_role("list", name="Explanation").get_by_role("listitem").first).to_contain_text("(start)")
    probability = page.get_by_test_id("probability")
    before = probability.inner_text()
    page.get_by_label("Add an event").select_option("visit")
    expect(probability).not_to_have_text(before)
    expect(page.get_by_text("what if:")).to_be_visible()
    page.get_by_role("button", name="As it was").click()
    expect(probability).to_have_text(before)


def test_columns_are_corrected(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b\n" + "yes,x y\nno,y\nyes,x\nno,y y\n" * 5)
    screen(page, "Learn")
    page.get_by_label("Choose a file").set_input_files(path)
    expect(page.get_by_text("Which column holds what?")).to_be_visible()
    expect(page.get_by_role("switch", name="First row has names")).to_be_checked()
    page.get_by_label("Column a is").select_option("outcome")
    page.get_by_label("Column b is").select_option("events of the case")
    expect(page.locator(".figure", has_text="kinds of events")).to_contain_text("2")


def test_a_table_of_events_with_names_of_its_own_is_corrected_by_keys_alone(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "tickets.csv"
    lines = [f"T{i};{event};{k};Ann;{('sold', 'lost')[i % 2]}" for i in range(8) for k, event in enumerate("xyz")]
    path.write_text("\n".join(["Ticket;What;When;Agent;Result", *lines]))
    screen(page, "Learn")
    page.get_by_label("Choose a file").set_input_files(path)
    expect(page.get_by_label("Cells are separated by")).to_have_value("is ;")
    page.get_by_role("button", name="A row is an event").press("Enter")
    for column, key in (("Ticket", "c"), ("What", "e"), ("When", "t"), ("Result", "o")):
        page.get_by_label(f"Column {column} is").press(key)  # the first letter of what it is
    expect(page.get_by_label("Column Ticket is")).to_have_value("id")  # what was chosen first is still there
    expect(page.get_by_label("Column Result is")).to_be_focused()
    page.get_by_role("group", name="Outcome to predict").get_by_role("button", name="sold").press("Enter")
    expect(page.locator(".figure", has_text="kinds of events")).to_contain_text("3")
    expect(page.locator(".figure", has_text="sold")).to_contain_text("4")
    page.get_by_label("Cells are separated by").select_option("commas")
    expect(page.locator("table[aria-label='First rows'] th")).to_have_count(1)


def test_a_table_of_events_asks_which_outcome_is_to_be_predicted(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "events.csv"
    lines = [f"c{i},{event},{k},{('Approved', 'Declined')[i % 2]}" for i in range(8) for k, event in enumerate("xy")]
    path.write_text("\n".join(["case_id,activity,order,outcome", *lines]))
    screen(page, "Learn")
    page.get_by_label("Choose a file").set_input_files(path)
    page.get_by_role("group", name="Outcome to predict").get_by_role("button", name="Approved").click()
    expect(page.locator(".figure", has_text="Approved")).to_contain_text("4")
    expect(page.locator(".figure", has_text="Declined")).to_contain_text("4")


def test_a_file_without_cases_is_refused_with_a_sentence(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "empty.tsv"
    path.write_text("")
    screen(page, "Learn")
    page.get_by_label("Choose a file").set_input_files(path)
    expect(page.get_by_role("alert")).to_be_visible()


# -- Everywhere -------------------------------------------------------------------------------------------------------


def test_a_link_holds_the_machine_itself(page: Page, workbench: Workbench) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    choose(page, "customers()")
    page.get_by_label("ad: from cold to cold").fill("3/5 ")
    page.get_by_role("button", name="Share link").click()
    expect(page.get_by_text("Link copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert workbench.address.split("/")[3] not in link  # the token stays here
    with new_tab(page.context.browser) as tab:  # type: ignore[arg-type]
        tab.goto(f"{workbench.address}#{link.partition('#')[2]}")  # as `cutpoint workbench LINK` does
        expect(tab.get_by_label("Name of the machine")).to_have_value("customers()")
        expect(tab.get_by_label("ad: from cold to cold")).to_have_value("3/5 ")
        assert "share" not in tab.url


def test_python_is_copied_that_prints_what_is_on_the_screen(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    choose(page, "p_adic(2)")
    screen(page, "Step")
    expect(page.get_by_label("Distribution over states")).to_be_visible()
    read(page, "0111")
    expect(page.get_by_test_id("acceptance")).to_have_text("0.8750")
    page.get_by_role("button", name="Copy as Python").click()
    expect(page.get_by_text("Python copied")).to_be_visible()
    script = page.evaluate("navigator.clipboard.readText()")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert "7/8" in done.stdout or "0.875" in done.stdout


def test_a_machine_is_downloaded(page: Page) -> None:
    choose(page, "p_adic(2)")
    expect(page.get_by_text("exact fractions")).to_be_visible()
    page.get_by_role("button", name="Download").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=".json").first.click()
    assert cp.load(download.value.path().rename(download.value.path().with_suffix(".json"))) == cp.p_adic(2)
    page.get_by_role("button", name="Download").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=".npz").click()  # which holds floats alone
    expect(page.get_by_text("Saved as far as .npz can hold it, with rounded numbers; .json keeps all.")).to_be_visible()
    rounded = cp.load(download.value.path().rename(download.value.path().with_suffix(".npz")))
    assert rounded.acceptance("011") == 0.75
    page.get_by_role("button", name="Download").click()
    page.get_by_role("menuitem", name=".pautomac_model.txt").click()  # what is wrong is not that something is lost
    expect(page.get_by_text("PAutomaC holds generators; got an acceptor. Save it as .json.")).to_be_visible()


def test_every_screen_is_reached_by_keys_alone(page: Page) -> None:
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the screen")).to_be_focused()
    page.keyboard.press("Tab")
    for name in ("Machine", "Step", "Cut point", "Compare", "Learn", "Cases"):
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name=name, exact=True)).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("link", name=name, exact=True)).to_have_attribute("aria-current", "page")


# -- How it looks -----------------------------------------------------------------------------------------------------


def _machine(page: Page, cases: Path) -> None:
    expect(page.get_by_role("figure").get_by_text("cart: 1/10").first).to_be_visible()


def _step(page: Page, cases: Path) -> None:
    expect(page.get_by_label("Distribution over states")).to_be_visible()
    read(page, "avvw")
    page.get_by_text("Exact fractions").click()
    expect(exact(page.get_by_test_id("acceptance"))).to_have_attribute("data-exact", "103/500")


def _cut(page: Page, cases: Path) -> None:
    page.get_by_label("Cut point, exactly").fill("16/25")
    expect(page.get_by_text("accepted with exactly")).to_be_visible()
    expect(page.get_by_text("Deciding…")).to_have_count(0)


def _compare(page: Page, cases: Path) -> None:
    page.get_by_role("button", name="This machine as it is now").click()
    screen(page, "Machine")
    page.get_by_label("ad: from cold to cold").fill("1/2")
    page.get_by_label("ad: from cold to ready").fill("1/10")
    screen(page, "Compare")
    expect(page.get_by_test_id("witness")).to_have_text("ad")


def _cases(page: Page, cases: Path) -> None:
    learn(page, cases)
    screen(page, "Cases")
    expect(page.get_by_role("list", name="Explanation")).to_be_visible()


LOOKS: dict[str, Callable[[Page, Path], None]] = {
    "Machine": _machine,
    "Step": _step,
    "Cut point": _cut,
    "Compare": _compare,
    "Learn": learn,
    "Cases": _cases,
}


@pytest.mark.parametrize("name", LOOKS)
def test_every_screen_fits_from_400_pixels_to_4k(
    name: str, browser: Browser, workbench: Workbench, cases: Path, tmp_path: Path
) -> None:
    """Light and dark, wide and narrow; with CUTPOINT_PICTURES=1 the pictures of the documentation."""
    with new_tab(browser, viewport={"width": 1400, "height": 900}, reduced_motion="reduce") as page:
        page.goto(workbench.address)
        choose(page, "customers()")
        screen(page, name)
        LOOKS[name](page, cases)
        page.mouse.move(0, 0)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            for width in (400, 1400, 3840):
                page.set_viewport_size({"width": width, "height": 900 if width < 3840 else 2000})
                page.wait_for_timeout(100)
                overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
                assert page.evaluate(overflow) <= 0, f"{name} is wider than {width} pixels"
                if width == 1400:
                    page.evaluate("window.scrollTo(0, 0)")
                    if name == "Learn":  # what was learned, not the file
                        page.get_by_role("region", name="Result").evaluate("it => it.scrollIntoView()")
                    page.screenshot(
                        path=(PICTURES or tmp_path) / f"workbench-{name.lower().replace(' ', '-')}-{scheme}.png"
                    )
