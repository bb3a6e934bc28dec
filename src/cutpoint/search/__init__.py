"""learn: an acceptor from observations alone, by a tournament of climbs."""

from cutpoint.search.folds import held_out as held_out
from cutpoint.search.generators import law_of_inputs as law_of_inputs
from cutpoint.search.imitation import Imitation as Imitation, imitate as imitate
from cutpoint.search.learn import learn as learn
from cutpoint.search.learned import Learned as Learned, Member as Member, SearchProgress as SearchProgress
from cutpoint.search.spectral import (
    clipped_log_probabilities as clipped_log_probabilities,
    spectral_automaton as spectral_automaton,
)
