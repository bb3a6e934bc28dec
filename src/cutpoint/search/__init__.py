"""learn: an acceptor from observations alone, by a tournament of climbs."""
