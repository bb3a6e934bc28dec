"""
Knowledge tracing
=================

Bayesian knowledge tracing as an acceptor: a student masters a skill or not, each exercise may teach it, and right
answers come by mastery or by guessing. Seen answers are verdicts along the way; the picture has the probability of
mastery.
"""

import matplotlib.pyplot as plt

import cutpoint as cp

prior, learning, slip, guess = 0.3, 0.2, 0.1, 0.25
states = [(skill, answer) for skill in ("unknown", "mastered") for answer in ("wrong", "right")]
right = {"unknown": guess, "mastered": 1 - slip}
moves = {"unknown": {"unknown": 1 - learning, "mastered": learning}, "mastered": {"mastered": 1.0}}


def answers(skills: dict[str, float]) -> dict[tuple[str, str], float]:
    """Probability of each skill and answer, given that of each skill."""
    return {
        (skill, answer): p * (right[skill] if answer == "right" else 1 - right[skill])
        for skill, p in skills.items()
        for answer in ("wrong", "right")
    }


model = cp.Acceptor(
    states,
    ["exercise"],
    {"exercise": {state: answers(moves[state[0]]) for state in states}},
    answers({"unknown": 1 - prior, "mastered": prior}),
    {state for state in states if state[1] == "right"},
)
seen = [False, True, False, True, True, True, True]
run = model.run()
mastery = []
for answer in seen:
    run.read("exercise").see(accepted=answer)
    mastery.append(sum(p for (skill, _), p in zip(states, run.distribution, strict=True) if skill == "mastered"))

figure, axes = plt.subplots(figsize=(6, 3.5))
axes.plot(range(1, len(seen) + 1), mastery, "o-", color="#0072B2")
axes.set_xticks(range(1, len(seen) + 1), labels=["right" if answer else "wrong" for answer in seen])
axes.set(xlabel="answers", ylabel="probability of mastery", ylim=(0, 1.02))
axes.grid(alpha=0.3)
