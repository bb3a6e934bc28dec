"""
Which events matter
===================

What each event contributed to the forecasts, summed over many cases, with intervals.
"""

import cutpoint as cp

truth = cp.gallery.customers()
sample = cp.simulate(truth, cp.random_words(truth.alphabet, 500, (1, 8), rng=1), rng=2)
inputs = cp.Generator.from_ngrams(sample.words, n=1)
cp.plots.credit(cp.credit(truth, sample, inputs=inputs))
