"""learn: an acceptor from observations alone, by a tournament of climbs."""

from cutpoint.search.learn import learn
from cutpoint.search.learned import Learned, Member, SearchProgress

__all__ = ["Learned", "Member", "SearchProgress", "learn"]
