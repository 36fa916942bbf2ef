"""fabricast: forecasts what a GPU cluster's interconnect will do.

    import fabricast
    result = fabricast.run("scenarios/dgx-h100-allreduce.yaml", set={"cluster.nodes": 4})
    result.arrays["busbw_Bps"]

A scenario is a file's name, or a dict with the keys of docs/scenario.md.
"""

import json as _json
import os as _os

import numpy as _np

from . import _fabricast
from ._fabricast import CannotEnd, Error, MissingEngine, ScenarioError

__all__ = ["CannotEnd", "Error", "MissingEngine", "Result", "ScenarioError", "SweepResult", "resolve", "run", "sweep"]
__version__ = _fabricast.version


class Result(dict):
    """The result of one run: the document that `fabricast run --json` writes, as a dict."""

    @property
    def table(self):
        """The rows of a collective or transfer, the points of a training step, or the ranks of a trace, as dicts."""
        return self["rows"] or self.get("points") or self.get("replay", {}).get("members", [])

    @property
    def arrays(self):
        """The table as one NumPy array a column."""
        return _arrays(self.table)


class SweepResult(list):
    """The rows of a sweep, dicts in the order of its points: `point`, the varied keys, the figures, `error`."""

    def __init__(self, document):
        columns = document["columns"]
        super().__init__(dict(zip(columns, row)) for row in document["rows"])
        self.scenario = document["scenario"]
        self.varied = document["varied"]
        self.columns = columns
        for row in self:
            for path in self.varied:
                row[path] = _value(row[path])

    @property
    def arrays(self):
        """One NumPy array a column; a number that a row has not is NaN."""
        return _arrays(self, self.columns)


def resolve(scenario, *, set=None):
    """The checked scenario as a dict, every default filled in. Raises ScenarioError."""
    return _json.loads(_fabricast.resolved(_source(scenario, set, None, ())))


def run(scenario, *, set=None, catalog=None, calibration=(), threads=0):
    """Forecasts a scenario; `threads` 0 means every core. Other Python threads go on meanwhile, and Ctrl-C stops it."""
    return Result(_json.loads(_fabricast.run(_source(scenario, set, catalog, calibration), threads)))


def sweep(scenario, vary=None, *, set=None, catalog=None, calibration=(), threads=0):
    """Runs every combination of the values of `vary`, a dict of paths and lists, over the scenario's own `sweep`."""
    pairs = [(path, [_text(value) for value in values]) for path, values in (vary or {}).items()]
    return SweepResult(_json.loads(_fabricast.sweep(_source(scenario, set, catalog, calibration), pairs, threads)))


def _source(scenario, overrides, catalog, calibration):
    if isinstance(scenario, dict):
        file, text = "<dict>", _json.dumps(scenario, indent=2).encode()
    else:
        file = _os.fspath(scenario)
        text = _fabricast.read(file)
    assignments = [f"{path}={_text(value)}" for path, value in (overrides or {}).items()]
    folder = "" if catalog is None else _os.fspath(catalog)
    return _fabricast.Source(text, file, assignments, folder, [_os.fspath(overlay) for overlay in calibration])


def _text(value):
    """A value as `--set` takes it: texts stand for themselves, everything else is JSON, which is YAML."""
    if isinstance(value, _np.generic):
        value = value.item()
    return value if isinstance(value, str) else _json.dumps(value)


def _value(text):
    """The number that a varied value is, else its text."""
    try:
        return _json.loads(text)
    except (TypeError, ValueError):
        return text


def _arrays(rows, columns=None):
    if columns is None:
        columns = list(dict.fromkeys(name for row in rows for name in row))
    return {name: _array([row.get(name) for row in rows]) for name in columns}


def _array(values):
    numbers = [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
    if len(numbers) == len(values) and all(isinstance(value, int) for value in values):
        return _np.array(values)
    if all(value is None or isinstance(value, (int, float)) for value in values):
        return _np.array([_np.nan if value is None else value for value in values], dtype=float)
    return _np.array([value if value is None or isinstance(value, str) else _json.dumps(value) for value in values],
                     dtype=object)
