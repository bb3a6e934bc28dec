"""The belief-network view of an acceptor (section 3, Fig. 2): nodes, arcs, factors, joint distribution."""

import math
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import State, Word, html
from cutpoint.diagrams.diagram import MOST_DISPLAYED, Arrow, Diagram, DiagramNode, Look
from cutpoint.errors import InvalidArgument, TooLarge
from cutpoint.exact import whole_number
from cutpoint.model.acceptor import Acceptor, check_acceptor
from cutpoint.wording import counted, shown

LARGEST_TABLE = 10**7  # most entries of a joint table; more are refused


@dataclass(frozen=True, eq=False)
class Factor:
    """Factor of the joint distribution: its table has one axis per variable; with parents, the child comes last."""

    variables: tuple[str, ...]
    table: NDArray[Any]

    @property
    def name(self) -> str:
        """Notation such as ``p(S2 | X1, S1)``."""
        *parents, child = self.variables
        return f"p({child} | {', '.join(parents)})" if parents else f"p({child})"


LONGEST = 10**6  # longest inputs of a network: its nodes have names


class BeliefNetwork:
    r"""Belief network of an acceptor for inputs of length n, with uniform inputs.

    .. math:: p_{X,S} = p_{S_1}\, p_{X_1}\, p_{S_2|X_1,S_1} \cdots p_{X_n}\, p_{S_{n+1}|X_n,S_n}, \qquad p_{X_i} = 1/l'

    Examples
    --------
    >>> network = cp.BeliefNetwork(cp.p_adic(2), 2)
    >>> network.nodes
    ('X1', 'X2', 'S1', 'S2', 'S3')
    >>> network.arcs
    (('X1', 'S2'), ('S1', 'S2'), ('X2', 'S3'), ('S2', 'S3'))
    >>> [factor.name for factor in network.factors]
    ['p(S1)', 'p(X1)', 'p(S2 | X1, S1)', 'p(X2)', 'p(S3 | X2, S2)']
    """

    def __init__(self, acceptor: Acceptor, length: int) -> None:
        check_acceptor(acceptor)
        self.acceptor = acceptor
        self.length = whole_number("the length of a belief network", length, least=0, most=LONGEST)

    @property
    def nodes(self) -> tuple[str, ...]:
        """Random variables: inputs X1 … Xn, then states S1 … Sn+1."""
        inputs = [f"X{i}" for i in range(1, self.length + 1)]
        return (*inputs, *(f"S{i}" for i in range(1, self.length + 2)))

    @property
    def arcs(self) -> tuple[tuple[str, str], ...]:
        """Pairs (parent, child): every S_{i+1} depends on X_i and S_i."""
        return tuple((f"{parent}{i}", f"S{i + 1}") for i in range(1, self.length + 1) for parent in "XS")

    @property
    def factors(self) -> tuple[Factor, ...]:
        """Factors whose product is the joint distribution, in the order of the formula."""
        return self._factors(exact=False)

    @property
    def exact_factors(self) -> tuple[Factor, ...]:
        """The factors with tables of ``Fraction``."""
        return self._factors(exact=True)

    def _factors(self, exact: bool) -> tuple[Factor, ...]:
        numbers, n_symbols = self.acceptor.numbers(exact), self.acceptor.n_symbols
        uniform = np.full(n_symbols, Fraction(1, n_symbols) if exact else 1.0 / n_symbols)
        factors = [Factor(("S1",), numbers["initial"])]
        for i in range(1, self.length + 1):
            factors.append(Factor((f"X{i}",), uniform))
            factors.append(Factor((f"X{i}", f"S{i}", f"S{i + 1}"), numbers["transitions"]))
        return tuple(factors)

    def values(self, node: str) -> tuple[Hashable, ...]:
        """Values of a node: the symbols for an X, the states for an S."""
        if not (isinstance(node, str) and node in self.nodes):
            raise InvalidArgument(f"the network has the nodes {', '.join(self.nodes)}; got {shown(node)}.")
        return tuple(self.acceptor.alphabet if node.startswith("X") else self.acceptor.states)

    def joint(self, word: Word, path: Iterable[State], exact: bool = False) -> Any:
        """Joint probability of an input and a state path, as a product of the factors; see :meth:`Acceptor.joint`."""
        codes = [*self._codes(word).tolist(), *self.acceptor.path_codes(path, self.length)]
        values = dict(zip(self.nodes, codes, strict=True))
        factors = self._factors(exact)
        product = math.prod(
            factor.table[tuple(values[variable] for variable in factor.variables)] for factor in factors
        )
        return Fraction(product) if exact else float(product)

    def words(self) -> Iterator[tuple[Hashable, ...]]:
        """All inputs of this length, in lexicographic order: the rows of :meth:`joint_table`."""
        return product(self.acceptor.alphabet, repeat=self.length)

    def paths(self) -> Iterator[tuple[State, ...]]:
        """All state paths of length n + 1, in lexicographic order: the columns of :meth:`joint_table`."""
        return product(self.acceptor.states, repeat=self.length + 1)

    def joint_table(self, exact: bool = False) -> NDArray[Any]:
        """Joint distribution by plain enumeration: ``[word, path]``; refused with a size where it would not fit.

        ``exact=True`` gives an array of ``Fraction``.
        """
        n_words, n_paths = self.acceptor.n_symbols**self.length, self.acceptor.n_states ** (self.length + 1)
        if n_words * n_paths > LARGEST_TABLE:
            size = f"{counted(n_words, 'row')} and {counted(n_paths, 'column')}"
            limit = f"the limit is {counted(LARGEST_TABLE, 'entry')}. Use joint, forward or a shorter length."
            raise TooLarge(f"the joint table would have {size}; {limit}")
        numbers = self.acceptor.numbers(exact)
        table = numbers["initial"][None, :]
        for _ in range(self.length):
            grown = table.reshape(-1, 1, table.shape[1] // self.acceptor.n_states, self.acceptor.n_states, 1)
            steps = numbers["transitions"][None, :, None] / self.acceptor.n_symbols
            table = (grown * steps).reshape(grown.shape[0] * self.acceptor.n_symbols, -1)
        return table

    def forward(self, word: Word, exact: bool = False) -> NDArray[Any]:
        r"""Forward probabilities of section 4: :math:`f_{x,s}(0) = \pi_s / l'^n`, :math:`f(i) = f(i-1) P(x_i)`.

        Shape ``(n + 1, n_states)``; the last row sums to :math:`p_X(x)`. The paper takes :math:`\pi` uniform; any
        :math:`\pi` is allowed here. Its words define f(i) with the probability of the first i inputs only, its
        recursion carries all n of them from the start: this follows the recursion, on which Prop. 4.2 rests.
        """
        self._codes(word)
        n_symbols = self.acceptor.n_symbols
        inputs = Fraction(1, n_symbols**self.length) if exact else float(n_symbols) ** -self.length
        return self.acceptor.forward(word, exact) * inputs

    def backward(self, word: Word, exact: bool = False) -> NDArray[Any]:
        """Backward probabilities of section 4: b(n) = 1, b(i-1) = P(x_i) b(i); all 1, because rows sum to 1."""
        self._codes(word)
        return self.acceptor.backward(word, exact=exact)

    def input_probability(self, word: Word, exact: bool = False) -> Any:
        """Input marginal :math:`p_X(x)`, the last forward row summed."""
        total = self.forward(word, exact)[-1].sum()
        return Fraction(total) if exact else float(total)

    def diagram(self, look: Look) -> Diagram:
        """The paper's Fig. 2: inputs above states."""
        subscript = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
        nodes = [
            DiagramNode(name, name.translate(subscript), place=(int(name[1:]), "XS".index(name[0])))
            for name in self.nodes
        ]
        return Diagram(tuple(nodes), (), tuple(Arrow(parent, child) for parent, child in self.arcs), look)

    def _repr_html_(self) -> str:
        small = self.length <= MOST_DISPLAYED // 2
        picture = self.diagram(Look()).html(html.summary(self)) if small else ""
        return html.paragraph(html.summary(self)) + picture

    def __repr__(self) -> str:
        sizes = f"{counted(len(self.nodes), 'node')}, {counted(len(self.arcs), 'arc')}"
        return f"<BeliefNetwork: {sizes}, for inputs of length {self.length}>"

    def _codes(self, word: Word) -> NDArray[np.int32]:
        codes = self.acceptor.alphabet.encode_word(word)
        if len(codes) != self.length:
            raise InvalidArgument(f"this network is for inputs of length {self.length}; got length {len(codes)}.")
        return codes
