from typing import Any

from numpy import bool_, float64, int32, int64
from numpy.typing import NDArray

instruction_sets: tuple[str, ...]

def instruction_set() -> str: ...
def acceptance(
    transitions: NDArray[float64], initial: NDArray[float64], column: NDArray[float64], word: NDArray[int32]
) -> float: ...
def acceptances(
    transitions: NDArray[float64],
    initial: NDArray[float64],
    column: NDArray[float64],
    symbols: NDArray[int32],
    offsets: NDArray[int64],
    out: NDArray[float64],
    threads: int,
) -> None: ...
def prefix_tree(symbols: NDArray[int32], offsets: NDArray[int64], marks: NDArray[int32] | None) -> tuple[Any, ...]: ...
def coded_tree(
    codes: NDArray[Any],
    marks: NDArray[int32] | None,
    shared: NDArray[Any],
    lengths: NDArray[Any],
    block_words: NDArray[int64],
    whole: bool,
) -> tuple[Any, ...]: ...
def expected_counts(
    transitions: NDArray[float64],
    initial: NDArray[float64],
    stop: NDArray[float64],
    masks: NDArray[bool_],
    symbols: NDArray[int32],
    offsets: NDArray[int64],
    marks: NDArray[int32] | None,
    ends: NDArray[int32],
    weights: NDArray[float64],
    tree: tuple[Any, ...],
    counts_out: NDArray[float64],
    initial_out: NDArray[float64],
    stop_out: NDArray[float64],
    logs_out: NDArray[float64],
    threads: int,
) -> int: ...
def climb(
    transitions: NDArray[float64],
    initial: NDArray[float64],
    counts: NDArray[float64],
    initial_counts: NDArray[float64],
    pseudo: NDArray[float64],
    initial_pseudo: NDArray[float64],
    numbers: NDArray[float64],
    history: NDArray[float64],
    learn_initial: bool,
    least_gain: float,
    masks: NDArray[bool_],
    symbols: NDArray[int32],
    offsets: NDArray[int64],
    marks: NDArray[int32] | None,
    ends: NDArray[int32],
    weights: NDArray[float64],
    tree: tuple[Any, ...],
    threads: int,
) -> int: ...
def expect_wide(
    transitions: NDArray[float64],
    initial: NDArray[float64],
    stop: NDArray[float64],
    masks: NDArray[bool_],
    symbols: NDArray[int32],
    offsets: NDArray[int64],
    marks: NDArray[int32] | None,
    ends: NDArray[int32],
    weights: NDArray[float64],
    counts_out: NDArray[float64],
    initial_out: NDArray[float64],
    stop_out: NDArray[float64],
    table_out: NDArray[float64],
    fractions_out: NDArray[float64],
    exponents_out: NDArray[int64],
    threads: int,
) -> None: ...
def merged_machine(
    symbols: NDArray[int32],
    offsets: NDArray[int64],
    labels: NDArray[int32],
    weights: NDArray[float64],
    n_symbols: int,
    pseudo: NDArray[float64],
    n_states: int,
    width: int,
    most_rounds: int,
    least: float,
    most_nodes: int,
) -> tuple[NDArray[int32], NDArray[float64]]: ...
def forward(
    transitions: NDArray[float64], initial: NDArray[float64], word: NDArray[int32], table: NDArray[float64]
) -> None: ...
def backward(
    transitions: NDArray[float64], column: NDArray[float64], word: NDArray[int32], table: NDArray[float64]
) -> None: ...
def distribution(
    transitions: NDArray[float64], initial: NDArray[float64], word: NDArray[int32], work: NDArray[float64]
) -> None: ...
def occupancy(
    transitions: NDArray[float64],
    initial: NDArray[float64],
    negligible: float,
    word: NDArray[int32],
    seen: NDArray[bool_],
    table: NDArray[float64],
    generator: bool,
) -> float: ...
def filtered(
    transitions: NDArray[float64],
    initial: NDArray[float64],
    final: NDArray[float64],
    masks: NDArray[bool_],
    symbols: NDArray[int32],
    offsets: NDArray[int64],
    marks: NDArray[int32] | None,
    ends: NDArray[int32],
    acceptances: NDArray[float64],
    logs: NDArray[float64],
    lost: NDArray[float64],
    negligible: float,
    threads: int,
) -> None: ...
def most_likely_path(
    log_transitions: NDArray[float64],
    log_initial: NDArray[float64],
    word: NDArray[int32],
    seen: NDArray[bool_],
    path: NDArray[int64],
) -> float: ...
def encode_texts(words: list[str], table: NDArray[int32]) -> tuple[NDArray[int32], NDArray[int64]] | None: ...
def encode_lists(words: list[Any], codes: dict[Any, int]) -> tuple[NDArray[int32], NDArray[int64]] | None: ...
def sparse_pattern(n_symbols: int, n_states: int, starts: NDArray[int64], columns: NDArray[int32]) -> Any: ...
def sparse_acceptances(
    pattern: Any,
    values: NDArray[float64],
    initial: NDArray[float64],
    column: NDArray[float64],
    tree: tuple[Any, ...],
    symbols: NDArray[int32],
    offsets: NDArray[int64],
    out: NDArray[float64],
    threads: int,
) -> None: ...
def sparse_distribution(
    pattern: Any, values: NDArray[float64], initial: NDArray[float64], word: NDArray[int32], out: NDArray[float64]
) -> None: ...
def sparse_table(
    pattern: Any,
    values: NDArray[float64],
    vector: NDArray[float64],
    word: NDArray[int32],
    table: NDArray[float64],
    backward: bool,
) -> None: ...
def sparse_expected_counts(
    pattern: Any,
    values: NDArray[float64],
    initial: NDArray[float64],
    stop: NDArray[float64],
    masks: NDArray[bool_],
    symbols: NDArray[int32],
    offsets: NDArray[int64],
    marks: NDArray[int32] | None,
    ends: NDArray[int32],
    weights: NDArray[float64],
    tree: tuple[Any, ...] | None,
    counts_out: NDArray[float64],
    initial_out: NDArray[float64],
    stop_out: NDArray[float64],
    logs_out: NDArray[float64],
    table_out: NDArray[float64],
    threads: int,
    wide: bool,
) -> int: ...
def sparse_filtered(
    pattern: Any,
    values: NDArray[float64],
    initial: NDArray[float64],
    final: NDArray[float64],
    masks: NDArray[bool_],
    symbols: NDArray[int32],
    offsets: NDArray[int64],
    marks: NDArray[int32] | None,
    ends: NDArray[int32],
    acceptances: NDArray[float64],
    logs: NDArray[float64],
    lost: NDArray[float64],
    threads: int,
) -> None: ...
def sparse_most_likely_path(
    pattern: Any,
    values: NDArray[float64],
    initial: NDArray[float64],
    stop: NDArray[float64],
    word: NDArray[int32],
    seen: NDArray[bool_],
    path: NDArray[int64],
) -> float: ...
