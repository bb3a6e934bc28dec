"""Write the golden pictures, as text: ``python -m tests.golden.pictures``."""

from pathlib import Path

import cutpoint as cp

FOLDER = Path(__file__).parent / "pictures"
ODD = cp.Acceptor(
    ['say "hi"', "50 % {off}", "s3"],
    ["a,b", "c\\d"],
    [[[0.001, 0.25, 0.749], [1, 0, 0], [0, 0, 1]], [["1/3"] * 3, [0, 1, 0], [1, 0, 0]]],
    [0.9, 0.1, 0],
    {"s3"},
)


def pictures() -> dict[str, cp.drawing.Picture]:
    """Pictures by the names of their files; the states of some are on a line, on a circle, on a grid."""
    dfa = cp.Language(cp.p_adic(2), "1/2").to_dfa()
    assert isinstance(dfa, cp.DFA)
    steps = {"a": {"new": {"s2": "1/2", "bad": "1/2"}}, "b": {"bad": {"bad": "1/2"}, "s2": {"s2": "1/4"}}}
    generator = cp.Generator(["new", "s2", "bad"], "ab", steps, "new", {"s2": "3/4", "bad": "1/2"}, {"s2"})
    return {
        "generator": cp.draw(generator),
        "p_adic_2": cp.draw(cp.p_adic(2)),
        "odd": cp.draw(ODD, digits=2),
        "down": cp.draw(ODD, min_probability=0.1, digits=12, orientation="down"),
        "network": cp.draw(cp.BeliefNetwork(cp.p_adic(2), 2)),
        "dfa": cp.draw(dfa),
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, picture in pictures().items():
        picture.save(FOLDER / f"{name}.dot")
        picture.save(FOLDER / f"{name}.tikz")
