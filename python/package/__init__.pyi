from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Union, overload

import numpy as np
from numpy.typing import NDArray

__version__: str

_Scenario = Union[str, PathLike[str], Mapping[str, Any]]
_Path = Union[str, PathLike[str]]
_Progress = Union[bool, Callable[[float], Any], None]

class Error(RuntimeError): ...

class ScenarioError(Error):
    file: str
    line: int
    column: int
    message: str

class CannotEnd(Error): ...
class MissingEngine(Error): ...

class Table:
    @property
    def arrays(self) -> dict[str, NDArray[Any]]: ...
    def to_pandas(self) -> Any: ...
    def plot(self, x: str | None = ..., y: str | None = ..., *, ax: Any = ..., **style: Any) -> Any: ...

class Result(dict[str, Any], Table):
    @property
    def table(self) -> list[dict[str, Any]]: ...

class SweepResult(list[dict[str, Any]], Table):
    scenario: str
    varied: list[str]
    columns: list[str]
    def __init__(self, document: Mapping[str, Any]) -> None: ...

class Pricer:
    def __init__(
        self,
        scenario: _Scenario,
        *,
        set: Mapping[str, Any] | None = ...,
        catalog: _Path | None = ...,
        calibration: Iterable[_Path] = ...,
    ) -> None: ...
    @overload
    def price(
        self, collective: str, sizes: int, *, nodes: int = ..., gpus_per_node: int = ..., exact: bool = ...
    ) -> float: ...
    @overload
    def price(
        self, collective: str, sizes: Sequence[int], *, nodes: int = ..., gpus_per_node: int = ..., exact: bool = ...
    ) -> NDArray[np.float64]: ...
    def price_transfers(self, transfers: Iterable[tuple[str, str, int]]) -> NDArray[np.float64]: ...

def resolve(scenario: _Scenario, *, set: Mapping[str, Any] | None = ...) -> dict[str, Any]: ...
def run(
    scenario: _Scenario,
    *,
    set: Mapping[str, Any] | None = ...,
    catalog: _Path | None = ...,
    calibration: Iterable[_Path] = ...,
    threads: int = ...,
    progress: _Progress = ...,
) -> Result: ...
def sweep(
    scenario: _Scenario,
    vary: Mapping[str, Sequence[Any]] | None = ...,
    *,
    set: Mapping[str, Any] | None = ...,
    catalog: _Path | None = ...,
    calibration: Iterable[_Path] = ...,
    threads: int = ...,
    progress: _Progress = ...,
) -> SweepResult: ...
def explain(
    scenario: _Scenario,
    *,
    without: str | Sequence[str] = ...,
    set: Mapping[str, Any] | None = ...,
    catalog: _Path | None = ...,
    calibration: Iterable[_Path] = ...,
    threads: int = ...,
    progress: _Progress = ...,
) -> dict[str, Any]: ...
def study(
    *scenarios: _Scenario,
    draws: int = ...,
    seed: int = ...,
    set: Mapping[str, Any] | None = ...,
    catalog: _Path | None = ...,
    calibration: Iterable[_Path] = ...,
    threads: int = ...,
    progress: _Progress = ...,
) -> dict[str, Any]: ...
def plan(
    scenario: _Scenario,
    vary: Mapping[str, Sequence[Any]] | None = ...,
    *,
    best: int = ...,
    margin: float = ...,
    draws: int = ...,
    set: Mapping[str, Any] | None = ...,
    catalog: _Path | None = ...,
    calibration: Iterable[_Path] = ...,
    threads: int = ...,
    progress: _Progress = ...,
) -> dict[str, Any]: ...
def compare(
    measured: _Path,
    scenario: _Scenario | None = ...,
    *,
    set: Mapping[str, Any] | None = ...,
    catalog: _Path | None = ...,
    calibration: Iterable[_Path] = ...,
) -> list[dict[str, Any]]: ...
def calibrate(
    measurements: _Path | Iterable[_Path],
    scenario: _Scenario | None = ...,
    *,
    output: _Path | None = ...,
    set: Mapping[str, Any] | None = ...,
    catalog: _Path | None = ...,
    calibration: Iterable[_Path] = ...,
) -> str: ...
def diagnose(
    log: _Path,
    *,
    node: str = ...,
    cluster: _Scenario | None = ...,
    said: Mapping[str, str] | None = ...,
    catalog: _Path | None = ...,
    calibration: Iterable[_Path] = ...,
) -> list[dict[str, Any]]: ...
def topo(
    scenario: _Scenario,
    path: tuple[str, str] | None = ...,
    *,
    set: Mapping[str, Any] | None = ...,
    catalog: _Path | None = ...,
    calibration: Iterable[_Path] = ...,
) -> dict[str, Any]: ...
def cluster(
    files: _Path | Iterable[_Path],
    *,
    node: str = ...,
    gpu: str = ...,
    nic: str = ...,
    cpu: str = ...,
    catalog: _Path | None = ...,
) -> dict[str, Any]: ...
def catalog(
    name: str = ..., *, kind: str = ..., catalog: _Path | None = ..., calibration: Iterable[_Path] = ...
) -> Any: ...
