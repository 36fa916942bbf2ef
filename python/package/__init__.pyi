from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

__version__: str

_Scenario = Union[str, PathLike[str], Mapping[str, Any]]
_Path = Union[str, PathLike[str]]

class Error(RuntimeError): ...

class ScenarioError(Error):
    file: str
    line: int
    column: int
    message: str

class CannotEnd(Error): ...
class MissingEngine(Error): ...

class Result(dict[str, Any]):
    @property
    def table(self) -> list[dict[str, Any]]: ...
    @property
    def arrays(self) -> dict[str, NDArray[Any]]: ...

class SweepResult(list[dict[str, Any]]):
    scenario: str
    varied: list[str]
    columns: list[str]
    @property
    def arrays(self) -> dict[str, NDArray[Any]]: ...

def resolve(scenario: _Scenario, *, set: Mapping[str, Any] | None = ...) -> dict[str, Any]: ...
def run(
    scenario: _Scenario,
    *,
    set: Mapping[str, Any] | None = ...,
    catalog: _Path | None = ...,
    calibration: Iterable[_Path] = ...,
    threads: int = ...,
) -> Result: ...
def sweep(
    scenario: _Scenario,
    vary: Mapping[str, Sequence[Any]] | None = ...,
    *,
    set: Mapping[str, Any] | None = ...,
    catalog: _Path | None = ...,
    calibration: Iterable[_Path] = ...,
    threads: int = ...,
) -> SweepResult: ...
