"""
Early warning
=============

Cases come in event by event. After how many events is a prediction of their end worth something? The loss of forecasts
falls with every event; the acceptor of whole cases, cut short, is no forecast and does worse.
"""

import cutpoint as cp

customers = cp.gallery.customers()
inputs = cp.Generator.from_ngrams(
    [["ad", "visit", "cart"], ["ad", "wait", "wait"], ["mail", "visit", "wait", "visit", "cart"], ["visit", "wait"]],
    n=2,
)
cases = [seen.word for seen in inputs.simulate(4000, rng=1) for _ in range(int(seen.count))]
sample = cp.simulate(customers, cases, rng=2)
forecaster = cp.cases.Forecaster(customers, inputs)
losses = {
    "whole cases, cut short": cp.assess.losses_along(customers.acceptances, sample),
    "forecasts": cp.assess.losses_along(forecaster.forecasts, sample),
}
cp.plots.loss_by_length(losses, least=100)

# %%
# One running case: its probability if it ended now, and what is expected of its end.

run = customers.run(cut_point="1/2")
for event in ["ad", "wait", "visit", "cart"]:
    run.read(event)
    forecast = cp.forecast(customers, run.word, inputs=inputs)
    print(f"{event:6} if it ended now {run.acceptance:.3f}, forecast {forecast:.3f}")
