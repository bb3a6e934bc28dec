"""How well an acceptor does, how sure that is, and what can be made of several of them."""
