"""What a file keeps beside an acceptor, so that it predicts where it is loaded: rule, cut point, classes."""

import copy
import json
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cutpoint as cp
from cutpoint.data.alphabet import RARE_CHARACTER
from cutpoint.files import Model, json as json_file
from tests.refusals import Refusal, check_refused

LETTERS = cp.random_acceptor(4, "ab" + RARE_CHARACTER, rng=3)
LAW = cp.Generator(2, "ab", {"a": [[0.1, 0.2], [0, 0.3]], "b": [[0.3, 0], [0.5, 0.1]]}, 0, [0.4, 0.1])
THREE: dict[str, Any] = {"classes": ("low", "mid", 7), "labels": (7, "low", "mid", "low")}


def law(**changes: Any) -> str:
    """A generator in JSON, with some members changed."""
    return json.dumps(json_file.content(Model(LAW)) | changes)


WORDS = ["", "a", "ab", "axb", "bbbaab", "xyz"]


@pytest.mark.parametrize("extension", [".json", ".json.gz", ".npz"])
@pytest.mark.parametrize(
    "beside", [{"cut_point": 0.4, "classes": ("Declined", "Approved")}, THREE, {"inputs": LAW}, {}]
)
@pytest.mark.parametrize("rule", ["skip", "rare"])
def test_a_loaded_model_predicts_as_the_one_that_was_saved(
    extension: str, beside: dict[str, Any], rule: Any, tmp_path: Path
) -> None:
    model = Model(LETTERS.with_unknown(rule), **beside)
    path = tmp_path / f"model{extension}"
    cp.save(model, path)
    found = cp.load(path)
    assert found == LETTERS
    assert found.model == cp.read_model(path) == model
    assert found.alphabet.on_unknown == rule
    assert np.array_equal(found.model.probabilities(WORDS), model.probabilities(WORDS))
    assert found.predict(WORDS).tolist() == model.predict(WORDS).tolist()
    cp.save(found, path)
    same = cp.load(path), pickle.loads(pickle.dumps(found)), copy.copy(found), found.with_unknown(rule)
    assert all(each.model == model for each in same)
    assert found.replace(states=list("wxyz")).model.classes == model.classes
    smaller = cp.p_adic(2)
    changed = found.replace(**{part: getattr(smaller, part) for part in smaller.PARTS})
    assert changed.model == cp.files.Model(smaller)  # with other states there are other labels


def test_the_second_of_two_classes_is_above_the_cut_point() -> None:
    A = cp.p_adic(10)
    words = ["1", "2", "3"]  # acceptances 1/10, 2/10, 3/10
    assert Model(A, "1/5", classes=("no", "yes")).predict(words).tolist() == ["no", "no", "yes"]
    assert Model(A, "1/10").predict(words).tolist() == [False, True, True]
    assert Model(A, classes=(0, 1)).predict(["5", "51"]).tolist() == [0, 0]  # 1/2 and 0.15
    np.testing.assert_allclose(Model(A).probabilities(["3"]), [[0.7, 0.3]], rtol=1e-15, atol=0)


def test_a_model_is_evaluated_at_its_own_cut_point() -> None:
    sample = cp.Sample(["1", "2", "3"], accepted=[False, False, True])
    carrying = Model(cp.p_adic(10), "1/5").machine
    assert cp.evaluate(carrying, sample).accuracy == 1.0
    assert cp.evaluate(carrying, sample, 0.5).accuracy == cp.evaluate(cp.p_adic(10), sample).accuracy == 2 / 3


def test_a_model_shows_what_it_has() -> None:
    told = repr(cp.p_adic(2))
    assert repr(Model(cp.p_adic(2))) == f"<Model: {told}>"
    full = Model(cp.p_adic(2), "1/3", {"note": 1}, ["no", "yes"])
    with_law = repr(Model(cp.p_adic(2), inputs=LAW))
    assert with_law == f"<Model with a law of inputs: {told}>"
    assert repr(full) == f"<Model with cut point 1/3, classes {{'no', 'yes'}}, 1 note: {told}>"


def test_of_three_classes_the_likeliest() -> None:
    model = Model(LETTERS.with_unknown("skip"), **THREE)
    rows = LETTERS.distribution("ab")
    np.testing.assert_allclose(
        model.probabilities(["xabx"])[0], [rows[1] + rows[3], rows[2], rows[0]], rtol=1e-14, atol=0
    )
    likeliest = model.probabilities(WORDS).argmax(axis=1)
    assert model.predict(WORDS).tolist() == [model.classes[k] for k in likeliest]  # type: ignore[index]


@pytest.mark.parametrize("labels", [["no", "yes"], [0, 1, 2]])
@pytest.mark.parametrize("rule", ["error", "skip", "rare"])
def test_a_classifier_predicts_from_its_file(labels: list[Any], rule: Any, tmp_path: Path) -> None:
    words = ["a", "ab", "b", "ba", "abb", "bab", "aab", "", "bb", "aax"] * 4
    y = [labels[word.count("a") % len(labels)] for word in words]
    classifier = cp.AcceptorClassifier(n_states=3, folds=2, unknown=rule, min_count=5).fit(words, y)
    cp.save(classifier.to_model(), tmp_path / "model.json")
    model = cp.read_model(tmp_path / "model.json")
    asked = words if rule == "error" else [*words, "azz", "q"]
    assert model.predict(asked).tolist() == classifier.predict(asked).tolist()
    assert np.array_equal(model.probabilities(asked), classifier.predict_proba(asked))


def test_formats_that_cannot_hold_a_rule_say_so(tmp_path: Path) -> None:
    skipping = cp.p_adic(2).with_unknown("skip")
    with pytest.raises(cp.errors.InvalidArgument, match=r"^DRN cannot hold a rule for unknown symbols \('skip'\);"):
        cp.save(skipping, tmp_path / "model.drn")
    cp.save(skipping, tmp_path / "model.drn", bare=True)
    assert cp.load(tmp_path / "model.drn").alphabet.on_unknown == "error"


def refused(text: str, change: str, folder: Path) -> str:
    """The sentence about a file whose text was changed by hand."""
    cp.save(cp.p_adic(2), folder / "model.json")
    without_digest = re.sub(r',\n  "digest": "[^"]*"', "", (folder / "model.json").read_text())
    (folder / "model.json").write_text(without_digest.replace(text, change))
    with pytest.raises(cp.errors.FormatError) as refusal:
        cp.load(folder / "model.json")
    return str(refusal.value).removeprefix(f"{folder}/model.json: ")


@pytest.mark.parametrize(
    ("member", "sentence"),
    [
        ('"unknown": "guess"', "unknown: must be 'error', 'skip' or 'rare'; got 'guess'."),
        (
            '"unknown": "rare"',
            f"unknown: 'rare' needs the symbol '{RARE_CHARACTER}' in the alphabet, which learning makes of rare symbols.",
        ),
        ('"classes": ["one"]', "classes: must be at least two distinct names; got ('one',)."),
        ('"classes": ["a", "a"]', "classes: must be at least two distinct names; got ('a', 'a')."),
        ('"classes": ["a", null]', "classes: must be text, finite numbers or bool; got None."),
        ('"classes": [1, 2, 3]', "labels: must be the class of each of 2 states; got None."),
        ('"classes": [1, 2, 3], "labels": [1, 4]', "labels: must be the class of each of 2 states; got (1, 4)."),
        ('"inputs": {}', 'inputs: expected the key "cutpoint": this is not a model of cutpoint.'),
        (f'"inputs": {law(initial=[1])}', "inputs.initial: expected 2 numbers; got 1."),
        (f'"inputs": {law(metadata={})}', "inputs: expected a generator with nothing beside it; got 'metadata'."),
    ],
)
def test_members_that_make_no_sense(member: str, sentence: str, tmp_path: Path) -> None:
    assert refused('"initial": [1, 0],', f'"initial": [1, 0], {member},', tmp_path) == sentence


def test_forecasts_work_from_the_file_alone(tmp_path: Path) -> None:
    A, path = cp.random_acceptor(3, "ab", rng=1), tmp_path / "model.json"
    cp.save(A, path, inputs=LAW)
    loaded = cp.load(path)
    assert loaded.model.inputs == loaded.model.known_inputs == LAW
    assert cp.forecast(loaded, "ab") == cp.forecast(A, "ab", LAW)
    assert cp.forecast(loaded, "ab", exact=True) == cp.forecast(A, "ab", LAW, exact=True)
    assert str(cp.explain(loaded, "ab")) == str(cp.explain(A, "ab", LAW))
    sample = cp.simulate(A, ["ab", "b", "ba"], rng=1)
    assert str(cp.credit(loaded, sample)) == str(cp.credit(A, sample, LAW))
    assert str(cp.advise(loaded, "a")) == str(cp.advise(A, "a", LAW))
    assert Model(LAW).known_inputs is LAW
    rows = [line for line in path.read_text().splitlines() if "[" in line]
    assert max(map(len, rows)) < 100  # one row of a matrix per line, also of the law
    cp.save(loaded, tmp_path / "bare.json", bare=True)
    assert cp.read_model(tmp_path / "bare.json").inputs is None


def test_a_model_of_prefixes_and_names_is_known_by_what_it_carries() -> None:
    A = cp.random_acceptor(3, "ab", rng=1)
    along = Model(A, classes=("no", "yes"), metadata={"learned_along": True}, inputs=LAW).acceptor
    assert cp.forecast(along, "ab") == A.acceptance("ab")
    assert cp.forecast(along, "ab", exact=True) == A.exact_acceptance("ab")
    assert cp.forecast(along, "ab", LAW) == cp.forecast(A, "ab", LAW)
    assert str(cp.explain(along, "ab")) == str(cp.explain(A, "ab", LAW, prefixes=True, outcome="yes"))
    assert str(cp.advise(along, "a")) == str(cp.advise(A, "a", LAW, prefixes=True, outcome="yes"))
    sample = cp.simulate(A, ["ab", "b", "ba"], rng=1)
    assert str(cp.credit(along, sample)) == str(cp.credit(A, sample, LAW, prefixes=True, outcome="yes"))


REFUSALS: dict[str, Refusal] = {
    "inputs by an acceptor": (
        lambda: Model(LAW, inputs=LAW),
        cp.errors.InvalidArgument,
        "inputs must be a Generator, and the model an Acceptor; got Generator and Generator.",
    ),
    "no law of inputs": (
        lambda: cp.forecast(cp.p_adic(2), "0"),
        cp.errors.InvalidArgument,
        "the model has no law of its inputs. cutpoint fit learns one. Or learn one with law_of_inputs, and save it with "
        "inputs=.",
    ),
    "a format without a place for it": (
        lambda: cp.save(cp.p_adic(2), "model.att", inputs=LAW),
        cp.errors.InvalidArgument,
        "AT&T text cannot hold a law of inputs; .json and .npz can. Leave it out with bare=True, or save as one of these.",
    ),
    "a name instead of names": (
        lambda: Model(LETTERS, classes="yes"),
        cp.errors.InvalidArgument,
        "classes must be a list of names; got 'yes'.",
    ),
    "labels of two classes": (
        lambda: Model(LETTERS, classes=["n", "y"], labels=["n", "n", "y", "y"]),
        cp.errors.InvalidArgument,
        "labels are for three and more classes; of two, the final states are the second's. Leave them out.",
    ),
    "a cut point of three classes": (
        lambda: Model(LETTERS, 0.5, **THREE),
        cp.errors.InvalidArgument,
        "cut_point is for two classes; there are 3. Leave it out.",
    ),
    "rare symbols by position": (
        lambda: (
            cp.AcceptorClassifier(2, folds=2, position=True, unknown="rare")
            .fit(["ab", "ba"] * 4, [0, 1] * 4)
            .to_model()
        ),
        cp.errors.InvalidArgument,
        "a model has one rare symbol, and with position=True there is one for each position. "
        "Fit with unknown='skip' or 'error' to save it.",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals(name: str) -> None:
    check_refused(*REFUSALS[name])
