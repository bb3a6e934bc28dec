"""
Learning from outcomes alone
============================

5,000 simulated journeys with a yes or no at the end: Baum-Welch climbs from a random start, the probabilities that it
finds are calibrated on fresh journeys, and they are near those of the process that made the data.
"""

import cutpoint as cp

truth = cp.gallery.customers()
journeys = cp.random_words(truth.alphabet, 5000, (1, 6), rng=1)
sample = cp.simulate(truth, journeys, rng=2)
start = cp.random_acceptor(truth.n_states, truth.alphabet, rng=3)
fit = cp.baum_welch(start, sample, learn_initial=True, accelerate=True)
cp.plots.learning(fit)

# %%
# Do the probabilities mean what they say? Among fresh journeys with a probability near 0.3, about 30 % should buy.

fresh = cp.simulate(truth, cp.random_words(truth.alphabet, 5000, (1, 6), rng=4), rng=5)
cp.plots.calibration(fit.acceptor.acceptances(fresh), fresh.accepted, fresh.counts)

# %%
# All figures of an evaluation in one line, next to the base rate.

cp.evaluate(fit.acceptor, fresh, baseline=sample)

# %%
# Word by word, what was learned against what is true.

cp.plots.comparison(truth, fit.acceptor)
