"""The scoreboard of reliability: what the package promises, tried with as many cases as a budget of minutes allows."""
