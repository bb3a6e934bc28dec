from numpy import float64, int32, int64
from numpy.typing import NDArray

def acceptances(
    transitions: NDArray[float64],
    initial: NDArray[float64],
    column: NDArray[float64],
    symbols: NDArray[int32],
    offsets: NDArray[int64],
    out: NDArray[float64],
) -> None: ...
