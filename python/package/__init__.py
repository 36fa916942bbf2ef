"""fabricast: forecasts what a GPU cluster's interconnect will do.

    import fabricast
    result = fabricast.run("scenarios/dgx-h100-allreduce.yaml", set={"cluster.nodes": 4})
    result.arrays["busbw_Bps"]

A scenario is a file's name, or a dict with the keys of docs/scenario.md. What the commands of `fabricast` do is here under
their names. Errors are `Error`s; those about a place in a file have `file`, `line` and `column`. Ctrl-C stops a call, and
other threads go on during it.
"""

import json as _json
import os as _os

import numpy as _np

from . import _fabricast
from ._fabricast import CannotEnd, Error, MissingEngine, ScenarioError

__all__ = ["CannotEnd", "Error", "MissingEngine", "Pricer", "Result", "ScenarioError", "SweepResult", "Table", "calibrate",
           "catalog", "cluster", "compare", "diagnose", "explain", "plan", "resolve", "run", "study", "sweep", "topo"]
__version__ = _fabricast.version


class Table:
    """What has rows: as NumPy arrays, and as others' tables and figures where their libraries are installed."""

    def _rows(self):
        return list(self), None

    @property
    def arrays(self):
        """One NumPy array a column; a number that a row has not is NaN."""
        return _arrays(*self._rows())

    def to_pandas(self):
        """A pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self.arrays)

    def plot(self, x=None, y=None, *, ax=None, **style):
        """One column over another, by matplotlib; without names bus bandwidth over size, or step time over GPUs."""
        import matplotlib.pyplot

        arrays = self.arrays
        x = x or next(name for name in ("size_bytes", "gpus", *arrays) if name in arrays)
        y = y or next(name for name in ("busbw_Bps", "step_time_s", "time_s", *arrays) if name in arrays and name != x)
        ax = ax or matplotlib.pyplot.subplots()[1]
        ax.plot(arrays[x], arrays[y], **{"marker": "o", **style})
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        if len(arrays[x]) > 2 and min(arrays[x]) > 0 and max(arrays[x]) / min(arrays[x]) > 100:
            ax.set_xscale("log", base=2)
        if x == "size_bytes" and {"time_low80_s", "time_high80_s", "time_s"} <= arrays.keys() and y in ("busbw_Bps", "time_s"):
            ends = [arrays["time_high80_s"], arrays["time_low80_s"]]
            low, high = ends[::-1] if y == "time_s" else (arrays[y] * arrays["time_s"] / end for end in ends)
            ax.fill_between(arrays[x], low, high, alpha=0.2)
        return ax


class Result(dict, Table):
    """The result of one run: the document that `fabricast run --json` writes, as a dict."""

    @property
    def table(self):
        """The rows of a collective or transfer, the points of a training step, or the ranks of a trace, as dicts."""
        return self["rows"] or self.get("points") or self.get("replay", {}).get("members", [])

    def _rows(self):
        return self.table, None


class SweepResult(list, Table):
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

    def _rows(self):
        return self, self.columns


class Pricer:
    """A cluster that answers many questions, for simulators of serving and scheduling; from any thread."""

    def __init__(self, scenario, *, set=None, catalog=None, calibration=()):
        self._pricer = _fabricast.Pricer(_source(scenario, set, catalog, calibration))

    def price(self, collective, sizes, *, nodes=0, gpus_per_node=0, exact=False):
        """Seconds of a collective of one size in bytes, or an array for several, among the first `gpus_per_node` GPUs of
        `nodes` nodes (0: all). `exact` replays each size; else sizes between an eighth of an octave are interpolated."""
        if _np.ndim(sizes) == 0:
            return self._pricer.price(collective, [int(sizes)], nodes, gpus_per_node, exact)[0]
        whole = [int(size) for size in sizes]
        return _np.array(self._pricer.price(collective, whole, nodes, gpus_per_node, exact))

    def price_transfers(self, transfers):
        """When each of the messages (from, to, bytes) has arrived that begin together, in seconds."""
        return _np.array(self._pricer.price_transfers([(a, b, int(size)) for a, b, size in transfers]))


def resolve(scenario, *, set=None):
    """The checked scenario as a dict, every default filled in. Raises ScenarioError."""
    return _json.loads(_fabricast.resolved(_source(scenario, set, None, ())))


def run(scenario, *, set=None, catalog=None, calibration=(), threads=0, progress=None):
    """Forecasts a scenario; `threads` 0 means every core. Other Python threads go on meanwhile, and Ctrl-C stops it.
    `progress`, here and elsewhere: True for a bar by tqdm, or a function that gets the share done, from 0 to 1."""
    return Result(_json.loads(_fabricast.run(_source(scenario, set, catalog, calibration), threads, _shown(progress))))


def sweep(scenario, vary=None, *, set=None, catalog=None, calibration=(), threads=0, progress=None):
    """Runs every combination of the values of `vary`, a dict of paths and lists, over the scenario's own `sweep`."""
    source = _source(scenario, set, catalog, calibration)
    return SweepResult(_json.loads(_fabricast.sweep(source, _pairs(vary), threads, _shown(progress))))


def explain(scenario, *, without=(), set=None, catalog=None, calibration=(), threads=0, progress=None):
    """What bounds the result and what would change it; or, with the names of a device or of a cable's two ends in
    `without`, what it costs that it is dead."""
    dead = [without] if isinstance(without, str) else list(without)
    return _json.loads(_fabricast.explain(_source(scenario, set, catalog, calibration), dead, threads, _shown(progress)))


def study(*scenarios, draws=64, seed=1, set=None, catalog=None, calibration=(), threads=0, progress=None):
    """Designs side by side; a scenario with `designs:` is several."""
    if not scenarios:
        raise Error("study() takes at least one scenario")
    sources = [_source(scenario, set, catalog, calibration) for scenario in scenarios]
    return _json.loads(_fabricast.study(sources, draws, seed, threads, _shown(progress)))


def plan(scenario, vary=None, *, best=12, margin=0.0, draws=16, set=None, catalog=None, calibration=(), threads=0,
         progress=None):
    """The fastest layouts of a training step that fit the GPUs' memory: a dict with `best` of them. `vary` is a dict of
    axes and the values to search, `margin` the share of memory to leave free; `draws` 0 judges no differences."""
    if not (best >= 1 and 0 <= margin < 1 and (draws == 0 or draws >= 10)):
        raise Error("plan() takes best >= 1, 0 <= margin < 1, and draws of 0, or 10 and more")
    source = _source(scenario, set, catalog, calibration)
    return _json.loads(_fabricast.plan(source, _pairs(vary), best, margin, draws, threads, _shown(progress)))


def compare(measured, scenario=None, *, set=None, catalog=None, calibration=()):
    """A measurement, or a log that `fabricast import` reads, beside its forecast: a list, one dict a table."""
    return _json.loads(_fabricast.compare(_os.fspath(measured), _maybe(scenario, set, catalog, calibration),
                                          _parts(catalog, calibration)))


def calibrate(measurements, scenario=None, *, output=None, set=None, catalog=None, calibration=()):
    """An overlay over the catalogue from one's own measurements, as YAML; written to `output` if that is given."""
    files = [measurements] if isinstance(measurements, (str, _os.PathLike)) else measurements
    overlay = _fabricast.calibrate([_os.fspath(file) for file in files], _maybe(scenario, set, catalog, calibration),
                                   _parts(catalog, calibration))
    if output is not None:
        _fabricast.write(_os.fspath(output), overlay)
    return overlay


def diagnose(log, *, node="", cluster=None, said=None, catalog=None, calibration=()):
    """Whether a measured number is normal, and what may be wrong: a list, one dict a table of the log."""
    return _json.loads(_fabricast.diagnose(_os.fspath(log), node, _maybe(cluster, None, catalog, calibration),
                                           _parts(catalog, calibration), dict(said or {})))


def topo(scenario, path=None, *, set=None, catalog=None, calibration=()):
    """The cluster: counts, tiers, links, bisection; or the way between the two devices of `path`."""
    return _json.loads(_fabricast.topo(_source(scenario, set, catalog, calibration), list(path or ())))


def cluster(files, *, node="", gpu="", nic="", cpu="", catalog=None):
    """A site's own files as one scenario (its YAML is under "scenario"), and what looks wrong in them."""
    names = [files] if isinstance(files, (str, _os.PathLike)) else files
    return _json.loads(_fabricast.cluster([_os.fspath(file) for file in names], node, gpu, nic, cpu, _parts(catalog, ())))


def catalog(name="", *, kind="", catalog=None, calibration=()):
    """A part with each figure's interval, origin and source; without a name a list of all, or of one kind."""
    return _json.loads(_fabricast.catalog(_parts(catalog, calibration), name, kind))


def _pairs(vary):
    return [(path, [_text(value) for value in values]) for path, values in (vary or {}).items()]


def _shown(progress):
    """What is called with the share that is done; None: nothing."""
    if progress is not True:
        return progress or None
    import tqdm.auto

    bar = tqdm.auto.tqdm(total=100, unit="%", bar_format="{l_bar}{bar}| {elapsed}<{remaining}")

    def show(share):
        bar.update(100 * share - bar.n)
        if share >= 1:
            bar.close()

    return show


def _maybe(scenario, overrides, folder, calibration):
    return None if scenario is None else _source(scenario, overrides, folder, calibration)


def _parts(folder, calibration):
    """A source of parts only."""
    return _fabricast.Source(b"", "", [], "" if folder is None else _os.fspath(folder),
                             [_os.fspath(overlay) for overlay in calibration])


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
