"""The main job on a built-in example: simulate, look, ask at a cut point, learn, compare with the truth.

A shop has customers who are cold or warm. Nobody sees which; what is seen are their events (an ad, a visit, a wait)
and, at the end of each journey, whether they bought, which warm customers do.
"""

import numpy as np

import cutpoint as cp

TRUTH = cp.Acceptor(
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
CUT_POINT = "1/2"
JOURNEY = ["ad", "wait", "visit", "visit"]


def title(text: str) -> None:
    """Print a heading."""
    print(f"\n{text}\n{'-' * len(text)}")


def main() -> None:
    """Run the demonstration."""
    print("cutpoint: stochastic acceptors. Kernels in use:", cp.kernel_info()["kernels"])

    title("A known acceptor: one matrix per event (→ start, * final)")
    print(TRUTH.table())

    title(f"Its forward table for the journey {' '.join(JOURNEY)}")
    print(cp.forward_table(TRUTH, JOURNEY))

    title(f"Acceptance against the cut point {CUT_POINT}, exactly")
    for journey in (JOURNEY, ["wait"], ["ad", "ad"], ["visit", "wait"]):
        probability = TRUTH.exact_acceptance(journey)
        verdict = "accepted" if TRUTH.accepts(journey, CUT_POINT) else "not accepted"
        print(f"{' '.join(journey):24} {probability!s:>12} = {float(probability):.4f}   {verdict}")

    title("20,000 journeys, of which only events and outcome are seen")
    words = cp.random_words(TRUTH.alphabet, 20_000, (1, 6), rng=1)
    sample = cp.simulate(TRUTH, words, rng=2)
    print(sample)

    title("Learning from the outcomes alone, from a random start (Baum-Welch)")
    start = cp.random_acceptor(TRUTH.states, TRUTH.alphabet, rng=3, final=TRUTH.final)
    fit = cp.baum_welch(start, sample, learn_initial=True)
    print(f"log-likelihood {fit.history[0]:.1f} at the start, {fit.log_likelihood:.1f} after {fit.steps} steps;")
    print(f"the truth has {cp.log_likelihood(TRUTH, sample):.1f}. {str(fit.stop).capitalize()}")

    title("Truth beside estimate")
    print(f"{'event: from to':28} truth  estimate")
    for a, symbol in enumerate(TRUTH.alphabet):
        for s, before in enumerate(TRUTH.states):
            for t, after in enumerate(TRUTH.states):
                name = f"{symbol}: {before} to {after}"
                print(f"{name:28} {TRUTH.transitions[a, s, t]:.3f}  {fit.acceptor.transitions[a, s, t]:.3f}")
    fresh = cp.random_words(TRUTH.alphabet, 2_000, (7, 12), rng=4)
    difference = np.abs(fit.acceptor.acceptances(fresh) - TRUTH.acceptances(fresh))
    print("\nAcceptance of 2,000 longer journeys, estimate against truth: ", end="")
    print(f"largest difference {difference.max():.3f}, mean {difference.mean():.4f}")


if __name__ == "__main__":
    main()
