"""Generators in files: JSON, NPZ and PAutomaC; what other formats say; solutions of PAutomaC."""

import io
import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, strategies as st

import cutpoint as cp
from cutpoint.files import competition_score, read_solution, write_solution
from tests.strategies import generators

COIN = cp.Generator(1, "01", {"0": [[0.5]], "1": [[0.25]]}, 0, [0.25])
THIRDS = cp.Generator(["new", ("seen", 7)], "ab", {"a": {"new": {("seen", 7): "2/3"}}}, "new", ["1/3", 1], {"new"})
MODEL = """I: (state)
\t(0) 1.0
F: (state)
\t(0) 0.5
\t(1) 0.2
S: (state,symbol) 
\t(0,0) 1.0
\t(1,0) 0.25
\t(1,1) 0.75
T: (state,symbol,state) 
\t(0,0,1) 1.0
\t(0,1,1) 1.0
\t(1,0,0) 0.5
\t(1,0,1) 0.5
\t(1,1,1) 1.0
"""  # noqa: W291


def schema() -> Any:
    content = json.loads((resources.files("cutpoint.files") / "acceptor.schema.json").read_text())
    return jsonschema.Draft202012Validator(content)


@given(st.data())
def test_json_and_npz_give_back_what_was_written(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    generator = data.draw(generators(exact=data.draw(st.booleans())))
    folder = tmp_path_factory.mktemp("models")
    cp.save(generator.with_unknown("skip"), folder / "model.json", cut_point="1/3")
    found = cp.read_model(folder / "model.json")
    assert (found.generator, found.generator.is_exact, found.cut_point) == (
        generator,
        generator.is_exact,
        found.cut_point,
    )
    assert found.machine.alphabet.on_unknown == "skip"
    assert schema().is_valid(json.loads((folder / "model.json").read_text()))
    cp.save(generator, folder / "model.npz", rounded=True)
    again = cp.load(folder / "model.npz")
    assert isinstance(again, cp.Generator)
    assert again == generator.replace(**generator.numbers(exact=False))


@given(generators())
def test_pautomac_gives_back_the_same_up_to_rounding(
    tmp_path_factory: pytest.TempPathFactory, generator: cp.Generator
) -> None:
    path = tmp_path_factory.mktemp("models") / "3.pautomac_model.txt"
    plain = cp.Generator(
        generator.n_states, [str(a) for a in range(generator.n_symbols)], *generator.numbers().values()
    )
    cp.save(plain, path)
    found = cp.load(path)
    assert (found.states, found.alphabet) == (plain.states, plain.alphabet)
    for name, values in plain.numbers().items():
        assert getattr(found, name) == pytest.approx(values, rel=1e-14, abs=0)


def test_a_model_as_the_competition_wrote_it(tmp_path: Path) -> None:
    """A step has the probability (1 - F) S T; T may list steps of symbols that S does not have."""
    path = tmp_path / "1.pautomac_model.txt"
    path.write_text(MODEL)
    found = cp.read_model(path).generator
    assert found.alphabet == ("0", "1")
    assert found.probability(["0", "1"]) == pytest.approx(0.5 * 0.8 * 0.75 * 0.2, rel=1e-15)
    assert found.probability(["0", "0"]) == pytest.approx(0.5 * 0.8 * 0.25 * (0.5 * 0.5 + 0.5 * 0.2), rel=1e-15)
    assert found.probability(["1"]) == 0


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("I: (state)", "(0) 1", "line 1: expected the head of a part, such as I: (state); got '(0) 1'."),
        ("F: (state)", "I: (state)", "line 3: the part I occurs twice."),
        ("T: (state,symbol,state) \n", "", "line 10: expected (state,symbol) and a probability; got '(0,0,1) 1.0'."),
        ("F: (state)\n\t(0) 0.5\n\t(1) 0.2\n", "", "expected the parts I, F, S and T; F is missing."),
        ("(0) 0.5", "(0) half", "line 4: expected a probability; got 'half'."),
        ("(0) 0.5", "(0) 0.5\n(0) 0.5", "line 5: the entry (0) occurs twice."),
        ("(1,0) 0.25", "(1,0) 0.5", "the moves and the stop of state 1 must sum to 1; got 1.2. Use normalized=True"),
        ("(1,1) 0.75", "(1,999999) 0.75", "make 4,000,000 transitions"),
        ("(0) 1.0", "(999999999999) 1.0", "transitions, more than the 2,000,000 of a text file"),
    ],
)
def test_wrong_models_of_pautomac(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    path = tmp_path / "1.pautomac_model.txt"
    path.write_text(MODEL.replace(old, new, 1))
    with pytest.raises(cp.errors.FormatError) as refused:
        cp.load(path)
    assert sentence in str(refused.value)
    assert cp.load(path, normalized=True) is not None if "normalized" in sentence else True


def test_bare_files_of_pautomac_number_what_has_names(tmp_path: Path) -> None:
    path, numbered = (
        tmp_path / "m.pautomac_model.txt",
        cp.Generator(2, "01", {"0": [[0.1, 0.2], [0, 0.3]], "1": [[0.3, 0], [0.5, 0.1]]}, 0, [0.4, 0.1]),
    )
    named = numbered.renamed(states=str, symbols={"0": "a", "1": "b"}).replace(final={"1"})
    cp.save(named, path, bare=True)
    assert cp.load(path).probability("010") == pytest.approx(named.probability("aba"), rel=1e-14, abs=0)


@pytest.mark.parametrize(
    ("model", "name", "options", "sentence"),
    [
        (THIRDS, "m.npz", {}, "NPZ holds floats, and this generator is exact."),
        (THIRDS, "m.pautomac_model.txt", {}, "PAutomaC holds floats, and this generator is exact."),
        (THIRDS, "m.pautomac_model.txt", {"rounded": True}, "PAutomaC cannot hold final states, {'new'}. Leave"),
        (COIN.renamed(symbols={"0": "x"}), "m.pautomac_model.txt", {}, "PAutomaC has the symbols 0, 1, 2, …; got {'x', '1'}."),
        (COIN.renamed(states=str), "m.pautomac_model.txt", {}, "PAutomaC numbers states and cannot hold their names; got {'0'}."),
        (COIN, "m.pautomac_model.txt", {"cut_point": 0}, "PAutomaC cannot hold a cut point; .json and .npz can."),
        (cp.p_adic(2), "m.pautomac_model.txt", {}, "PAutomaC holds generators; got an acceptor. Save it as .json."),
        (COIN, "m.att", {}, "AT&T text cannot hold a generator; .json, .npz and .pautomac_model.txt can."),
        (COIN, "m.drn", {}, "DRN cannot hold a generator"),
        (COIN, "m.tra", {}, "PRISM cannot hold a generator"),
        (COIN, "m.dot", {}, "DOT cannot hold a generator"),
    ],
)  # fmt: skip
def test_what_a_format_cannot_hold_is_refused(
    tmp_path: Path, model: cp.Generator, name: str, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(cp.errors.InvalidArgument) as refused:
        cp.save(model, tmp_path / name, **options)
    assert str(refused.value).startswith(sentence)
    assert not any(tmp_path.iterdir())


def test_names_of_states_can_be_left_out(tmp_path: Path) -> None:
    grams = cp.Generator.from_ngrams([["0", "1"], ["1"]], 2)
    cp.save(grams, tmp_path / "1.pautomac_model.txt.gz", bare=True)
    found = cp.load(tmp_path / "1.pautomac_model.txt.gz")
    assert found.log_probability(["0", "1", "1"]) == pytest.approx(grams.log_probability(["0", "1", "1"]), rel=1e-14)


def test_a_file_has_stop_if_it_is_a_generator(tmp_path: Path) -> None:
    cp.save(THIRDS, tmp_path / "g.json")
    content = json.loads((tmp_path / "g.json").read_text())
    del content["digest"]
    for changed in (content | {"cutpoint": {"format": "acceptor", "version": 1}}, {**content, "stop": None}):
        if changed["stop"] is None:
            del changed["stop"]
        assert not schema().is_valid(changed)
        (tmp_path / "g.json").write_text(json.dumps(changed))
        with pytest.raises(
            cp.errors.FormatError, match="expected the key 'stop' of a generator, and only there; the format is"
        ):
            cp.load(tmp_path / "g.json")
    (tmp_path / "g.json").write_text(json.dumps(content | {"stop": [1]}))
    with pytest.raises(cp.errors.FormatError, match="stop: expected 2 numbers; got 1"):
        cp.load(tmp_path / "g.json")
    cp.save(COIN, tmp_path / "g.npz")
    arrays = dict(np.load(tmp_path / "g.npz"))
    del arrays["stop"]
    np.savez(tmp_path / "g.npz", **arrays)
    with pytest.raises(cp.errors.FormatError, match="expected the array stop of a generator, and only there"):
        cp.load(tmp_path / "g.npz")


def test_models_of_generators_predict_by_bayes_rule() -> None:
    steps = {"a": {"new": {"good": "1/2", "bad": "1/2"}}, "b": {"bad": {"bad": "1/2"}, "good": {"good": "1/4"}}}
    generator = cp.Generator(["new", "good", "bad"], "ab", steps, "new", {"good": "3/4", "bad": "1/2"}, {"good"})
    model = cp.files.Model(generator, "3/5", classes=("no", "yes"))
    assert model.probabilities(["a", "ab"]) == pytest.approx(np.array([[0.4, 0.6], [4 / 7, 3 / 7]]), rel=1e-12)
    assert model.predict(["a", "ab"]).tolist() == ["no", "no"]  # of "a" it is exactly at the cut point
    assert cp.files.Model(generator, 0.59).predict(["a", "ab"]).tolist() == [True, False]
    three = cp.files.Model(generator, classes=(1, 2, 3), labels=(1, 2, 3))
    assert three.probabilities(["a"])[0].tolist() == pytest.approx([0, 0.6, 0.4], rel=1e-12)
    with pytest.raises(cp.errors.InvalidArgument, match="expected an acceptor; the model is a generator"):
        _ = model.acceptor
    with pytest.raises(cp.errors.InvalidArgument, match="expected a generator; the model is an acceptor"):
        _ = cp.files.Model(cp.p_adic(2)).generator


def test_samples_of_pautomac(tmp_path: Path) -> None:
    sample = COIN.simulate(50, rng=1)
    cp.write_sample(sample, tmp_path / "1.pautomac.train")
    assert (tmp_path / "1.pautomac.train").read_text().startswith("50 2\n")
    found = cp.read_sample(tmp_path / "1.pautomac.train")
    assert dict(zip(found.words, found.counts, strict=True)) == dict(zip(sample.words, sample.counts, strict=True))
    with pytest.raises(cp.CutpointError, match="PAutomaC cannot hold outcomes"):
        cp.write_sample(cp.Sample(["0"], [True]), tmp_path / "2.pautomac")


def test_solutions_and_scores(tmp_path: Path) -> None:
    words = ["", "0", "01", "1"]
    truth = np.exp(COIN.log_probabilities(words))
    write_solution(truth / truth.sum(), tmp_path / "1.pautomac_solution.txt")
    solution = read_solution(tmp_path / "1.pautomac_solution.txt")
    assert solution.tolist() == (truth / truth.sum()).tolist()
    least = 2.0 ** -(solution * np.log2(solution)).sum()
    assert competition_score(COIN, words, solution) == pytest.approx(least, rel=1e-12)
    other = COIN.replace(transitions=[[[0.25]], [[0.5]]])
    q = np.array([other.probability(word) for word in words])
    assert competition_score(other, words, solution * 3) == pytest.approx(
        2.0 ** -(solution * np.log2(q / q.sum())).sum(), rel=1e-12
    )
    assert competition_score(other, words, solution) > least
    silent = COIN.replace(transitions=[[[0.75]], [[0]]])
    assert competition_score(silent, words, solution) == np.inf
    assert competition_score(silent, words, [0.5, 0.5, 0, 0]) < np.inf
    with pytest.raises(cp.CutpointError, match="solution must have one probability per word, 4"):
        competition_score(COIN, words, [1.0])
    with pytest.raises(cp.CutpointError, match="not negative"):
        write_solution([-1.0], tmp_path / "x")
    for text, sentence in {
        "": "the file is empty",
        "3\n0.5\n": "line 1: expected the number of probabilities, then one on each line; got '3' and 1 line.",
        "1\nx\n": "line 2: expected a probability; got 'x'.",
    }.items():
        with pytest.raises(cp.errors.FormatError, match=sentence):
            read_solution(io.StringIO(text))
