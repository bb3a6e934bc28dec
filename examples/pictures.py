"""Make the pictures of docs/pictures.md and docs/lecture.md: ``python examples/pictures.py [folder]``."""

import sys
from pathlib import Path

import cutpoint as cp

SHOP = cp.Acceptor(
    states=["cold", "warm"],
    alphabet=["ad", "visit", "wait"],
    transitions={
        "ad": [["7/10", "3/10"], ["1/10", "9/10"]],
        "visit": [["1/2", "1/2"], [0, 1]],
        "wait": [["19/20", "1/20"], ["2/5", "3/5"]],
    },
    initial={"cold": "4/5", "warm": "1/5"},
    final={"warm"},
)


def main(folder: Path) -> None:
    """Write all pictures."""
    cp.draw(cp.p_adic(2), folder / "figure-1.png")
    cp.draw(cp.BeliefNetwork(cp.p_adic(2), 4), folder / "figure-2.png")
    cp.draw(cp.gallery.value_one(), folder / "value-one.png")
    cp.draw(SHOP, folder / "shop.svg")
    dfa = cp.Language(cp.p_adic(2), "4/7").to_dfa()
    if isinstance(dfa, cp.DFA):
        cp.draw(dfa, folder / "dfa.png")
    third = cp.Language(cp.p_adic(2), "1/3").to_dfa()
    if isinstance(third, cp.DFA):
        cp.draw(third, folder / "third.png")
    cp.draw(cp.gallery.majority(), folder / "majority.png")

    cp.plots.forward(SHOP, ["ad", "wait", "visit", "visit", "wait"], folder / "forward.png")
    cp.plots.staircase(cp.p_adic(2), 4, cut_point="1/3", path=folder / "staircase.png")
    cp.plots.staircase(cp.p_adic(3).restricted("02"), 4, cut_point="1/2", path=folder / "cantor.png")
    sample = cp.simulate(SHOP, cp.random_words(SHOP.alphabet, 5000, (1, 6), rng=1), rng=2)
    start = cp.random_acceptor(SHOP.states, SHOP.alphabet, rng=3, final=SHOP.final)
    fit = cp.baum_welch(start, sample, learn_initial=True)
    cp.plots.learning(fit, folder / "learning.png")
    fresh = cp.simulate(SHOP, cp.random_words(SHOP.alphabet, 5000, (1, 6), rng=4), rng=5)
    scores = fit.acceptor.acceptances(fresh)
    cp.plots.calibration(scores, fresh.accepted, fresh.counts, path=folder / "calibration.png")
    cp.plots.comparison(SHOP, fit.acceptor, path=folder / "comparison.png")
    for path in sorted(folder.iterdir()):
        print(f"{path.name:18} {path.stat().st_size:7,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "docs" / "pictures")
