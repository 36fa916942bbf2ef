"""The module as its users see it: dicts in, dicts and arrays out, errors that point."""

import _thread
import ast
import inspect
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import unittest.mock

import numpy as np

import fabricast

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEASURED = ROOT / "validate" / "measurements" / "nccl" / "dgxc-h100-1n8g-allreduce.yaml"
SMALL = {
    "name": "small",
    "cluster": {"node": "dgx-h100", "nodes": 2},
    "workload": {"kind": "collective", "collective": "all_reduce", "sizes": ["1 MiB", "64 MiB"]},
}
MANY_SIZES = {
    **SMALL,
    "workload": {"kind": "collective", "collective": "all_reduce", "sizes": {"from": "1 KiB", "to": "1 GiB", "factor": 1.1}},
}
# Minutes: long enough to be interrupted: an all-to-all of many sizes on many nodes.
LONG = {
    "name": "long",
    "cluster": {"node": "dgx-h100", "nodes": 1024, "fabric": {"kind": "fat-tree"}},
    "workload": {"kind": "collective", "collective": "all_to_all", "sizes": {"from": "1 KiB", "to": "8 GiB", "factor": 1.01}},
}


class Run(unittest.TestCase):
    def test_a_dict_and_a_file_of_the_same_scenario_give_the_same_result(self):
        file = ROOT / "scenarios" / "dgx-h100-ring.yaml"
        again = fabricast.run(fabricast.resolve(file))
        self.assertEqual(fabricast.run(file)["rows"], again["rows"])

    def test_rows_come_as_dicts_and_as_arrays(self):
        result = fabricast.run(SMALL, threads=1)
        self.assertEqual([row["size_bytes"] for row in result.table], [1 << 20, 64 << 20])
        arrays = result.arrays
        self.assertEqual(arrays["size_bytes"].dtype.kind, "i")
        self.assertEqual(arrays["time_s"].dtype, np.float64)
        np.testing.assert_allclose(arrays["algbw_Bps"], arrays["size_bytes"] / arrays["time_s"], rtol=1e-12)
        # nccl-tests' factor of an all-reduce over n ranks.
        np.testing.assert_allclose(arrays["busbw_Bps"], arrays["algbw_Bps"] * 2 * 15 / 16, rtol=1e-12)

    def test_an_override_is_the_changed_scenario(self):
        changed = {**SMALL, "cluster": {"node": "dgx-h100", "nodes": 4}}
        self.assertEqual(fabricast.run(SMALL, set={"cluster.nodes": np.int64(4)})["rows"], fabricast.run(changed)["rows"])

    def test_an_error_points_at_the_place_in_the_file(self):
        with self.assertRaises(fabricast.ScenarioError) as caught:
            fabricast.run({**SMALL, "cluster": {"node": "dgx-h100", "nodez": 2}})
        error = caught.exception
        self.assertEqual((error.file, error.line, error.column), ("<dict>", 5, 5))  # of json.dumps(..., indent=2)
        self.assertIn("nearest: 'node'", error.message)
        self.assertEqual(str(error), f"<dict>:5:5: {error.message}")
        self.assertIsInstance(error, fabricast.Error)
        with self.assertRaises(fabricast.ScenarioError) as caught:
            fabricast.run("no-such-file.yaml")
        self.assertEqual(str(caught.exception), "no-such-file.yaml:1:1: cannot be read (no such file)")

    def test_a_run_that_cannot_end_says_so(self):
        cut = {"at": "0 ps", "link": "leaf0 -> node0.nic0", "share": 0}
        with self.assertRaisesRegex(fabricast.CannotEnd, "leaf0 -> node0.nic0"):
            fabricast.run({**SMALL, "cluster": {"node": "gh200-1x", "nodes": 2}, "events": [cut]})

    def test_other_threads_go_on_while_it_runs(self):
        turns = 0
        most = 0  # turns of this thread within one call of the other
        over = threading.Event()

        def run_again_and_again():
            nonlocal most
            for _ in range(100):
                before = turns
                fabricast.run(MANY_SIZES)
                most = max(most, turns - before)
                if most >= 10:
                    break
            over.set()

        runner = threading.Thread(target=run_again_and_again)
        runner.start()
        while not over.is_set():
            turns += 1
            time.sleep(0.0002)
        runner.join()
        self.assertGreaterEqual(most, 10)

    def test_a_column_that_a_result_has_is_an_array(self):
        result = fabricast.run(SMALL)
        for row in result["rows"]:
            row["size_per_channel_bytes"] = row["size_bytes"] / row["channels"]  # as if the JSON had one more column
        self.assertEqual(list(result.arrays["size_per_channel_bytes"]),
                         [row["size_per_channel_bytes"] for row in result["rows"]])

    def test_ctrl_c_stops_it(self):
        timer = threading.Timer(0.5, _thread.interrupt_main)
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            fabricast.run(LONG)
        timer.join()


class Sweep(unittest.TestCase):
    def test_points_are_the_runs_of_their_scenarios(self):
        rows = fabricast.sweep(SMALL, {"cluster.nodes": [1, 2], "workload.algorithm": ["ring", "tree"]})
        self.assertEqual(rows.varied, ["cluster.nodes", "workload.algorithm"])
        self.assertEqual([(r["cluster.nodes"], r["workload.algorithm"]) for r in rows[::2]],
                         [(1, "ring"), (1, "tree"), (2, "ring"), (2, "tree")])
        alone = fabricast.run(SMALL, set={"cluster.nodes": 2, "workload.algorithm": "ring"})
        self.assertEqual([row["time_s"] for row in rows if row["point"] == 2], [row["time_s"] for row in alone["rows"]])

    def test_a_point_that_fails_is_a_row_and_nan_in_arrays(self):
        rows = fabricast.sweep(SMALL, {"workload.root": [0, 99]}, set={"workload.sizes": ["1 MiB"]})
        self.assertIsNone(rows[0]["error"])
        self.assertIn("'root' is not a rank", rows[1]["error"])
        self.assertTrue(np.isnan(rows.arrays["time_s"][1]))

    def test_a_path_that_is_no_key_is_refused(self):
        with self.assertRaisesRegex(fabricast.ScenarioError, "no such key of a scenario"):
            fabricast.sweep(SMALL, {"cluster.nodess": [1]})


class Progress(unittest.TestCase):
    def test_a_function_gets_the_share_that_is_done(self):
        for call in (lambda **o: fabricast.run(SMALL, **o), lambda **o: fabricast.sweep(SMALL, {"cluster.nodes": [1, 2]}, **o)):
            shares = []
            call(progress=shares.append)
            self.assertEqual(shares, sorted(shares))
            self.assertEqual(shares[-1], 1)

    def test_what_it_raises_stops_the_call(self):
        def enough(share):
            raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            fabricast.run({**LONG, "workload": {**LONG["workload"], "sizes": {"from": "1 KiB", "to": "1 MiB", "factor": 1.1}}},
                          progress=enough)

    def test_true_is_a_bar_by_tqdm(self):
        bars = []

        class Bar:
            def __init__(self, **options):
                self.n, self.total, self.open = 0, options["total"], True
                bars.append(self)

            def update(self, more):
                self.n += more

            def close(self):
                self.open = False

        auto = types.SimpleNamespace(tqdm=Bar)
        with unittest.mock.patch.dict(sys.modules, {"tqdm": types.SimpleNamespace(auto=auto), "tqdm.auto": auto}):
            fabricast.run(SMALL, progress=True)
        (bar,) = bars
        self.assertEqual((bar.n, bar.open), (bar.total, False))


class Commands(unittest.TestCase):
    def command(self, *arguments):
        """What the program prints for the same, as JSON; None where it is not there beside the module."""
        program = ROOT / "build" / "bin" / "fabricast"
        if not program.exists() or "site-packages" in fabricast.__file__:
            return None
        done = subprocess.run([program, *map(str, arguments), "--json", "-"], check=True, capture_output=True)
        return json.loads(done.stdout)

    def check(self, answer, *arguments):
        self.assertIn(self.command(*arguments), (None, answer))

    def test_each_answers_as_the_program_does(self):
        ring = ROOT / "scenarios" / "dgx-h100-ring.yaml"
        found = fabricast.explain(ring, threads=1)
        self.assertGreater(len(found), 3)
        self.check(found, "explain", ring)
        dead = fabricast.explain(ROOT / "scenarios" / "dgx-h100-allreduce.yaml", without="leaf0.port0",
                                 set={"workload.sizes": ["1 GiB"]})
        self.assertGreater(dead["rows"][0]["failed_s"], dead["rows"][0]["healthy_s"])
        self.check(fabricast.topo(ring), "topo", ring)
        way = fabricast.topo(ROOT / "scenarios" / "dgx-h100-allreduce.yaml", ("node0.gpu0", "node1.gpu3"))
        self.assertGreater(len(way["links"]), 3)
        part = fabricast.catalog("infiniband-ndr")
        self.assertEqual(part["kind"], "link")
        self.check(part, "catalog", "show", "infiniband-ndr")
        self.assertIn("dgx-h100", [one["name"] for one in fabricast.catalog(kind="node")])

    def test_a_measurement_is_compared_diagnosed_and_calibrated(self):
        (beside,) = fabricast.compare(MEASURED)
        self.check(beside, "compare", MEASURED)
        (verdict,) = fabricast.diagnose(MEASURED)
        self.check([verdict], "diagnose", MEASURED)
        with tempfile.TemporaryDirectory() as folder:
            overlay = pathlib.Path(folder) / "overlay.yaml"
            text = fabricast.calibrate(MEASURED, output=overlay)
            self.assertEqual(overlay.read_text(), text)
            with self.assertRaisesRegex(fabricast.Error, "cannot be written"):
                fabricast.calibrate(MEASURED, output=pathlib.Path(folder) / "no" / "overlay.yaml")
            changed = fabricast.run(SMALL, calibration=[overlay])
            self.assertEqual(len(changed["rows"]), 2)

    def test_designs_are_ranked(self):
        designs = [{**SMALL, "name": name, "cluster": {"node": "dgx-h100", "nodes": 2, "fabric": {
            "kind": "rail-optimized", "link": link}}} for name, link in (("hdr", "infiniband-hdr"), ("ndr", "infiniband-ndr"))]
        found = fabricast.study(*designs, draws=10, threads=1)
        self.assertEqual(sorted(design["name"] for design in found["designs"]), ["hdr", "ndr"])
        with self.assertRaisesRegex(fabricast.Error, "two designs have one name"):
            fabricast.study(SMALL, SMALL)

    def test_layouts_are_searched(self):
        step = ROOT / "scenarios" / "training-gpt3-1024-ib.yaml"
        axes = {"workload.parallelism.tensor": [8], "workload.parallelism.pipeline": [8, 16]}
        found = fabricast.plan(step, axes, best=2, draws=0, threads=1)
        words = [word for path, values in axes.items() for word in ("--vary", f"{path}={','.join(map(str, values))}")]
        self.check(found, "plan", step, "--best", "2", "--draws", "0", *words)
        self.assertEqual(len(found["best"]), 2)
        with self.assertRaises(fabricast.ScenarioError):
            fabricast.plan(SMALL)
        with self.assertRaisesRegex(fabricast.Error, "draws of 0, or 10"):
            fabricast.plan(step, draws=3)

    def test_a_sites_files_become_a_scenario(self):
        fabric = {**SMALL, "cluster": {"node": "dgx-h100", "nodes": 2, "fabric": {"kind": "rail-optimized"}}}
        program = ROOT / "build" / "bin" / "fabricast"
        if not program.exists():
            self.skipTest("no program to make a file with")
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "s.json").write_text(json.dumps(fabric))
            subprocess.run([program, "topo", "s.json", "--ibnetdiscover", "net.txt"], cwd=folder, check=True, capture_output=True)
            found = fabricast.cluster(pathlib.Path(folder) / "net.txt", node="dgx-h100")
        self.assertEqual(found["nodes"], 2)
        self.assertIn("cluster:", found["scenario"])

    def test_all_errors_are_ours_and_point_at_their_place(self):
        with self.assertRaises(fabricast.ScenarioError) as caught:
            fabricast.compare("no-such-log.txt")
        self.assertEqual((caught.exception.file, caught.exception.line), ("no-such-log.txt", 1))
        for call in (lambda: fabricast.catalog("no-such-part"), lambda: fabricast.topo(SMALL, ("node0.gpu0", "node9.gpu0")),
                     lambda: fabricast.cluster(["no-such-file"]), lambda: fabricast.Pricer(SMALL).price("allreduce", 1)):
            with self.assertRaises(fabricast.Error):
                call()


class Prices(unittest.TestCase):
    def test_a_price_is_the_row_of_its_run(self):
        cluster = fabricast.Pricer(SMALL)
        rows = fabricast.run(SMALL).arrays
        np.testing.assert_array_equal(cluster.price("all_reduce", rows["size_bytes"]), rows["time_s"])
        self.assertIsInstance(cluster.price("all_reduce", 5 << 20, exact=True), float)
        self.assertLess(cluster.price("all_reduce", 5 << 20, nodes=1, gpus_per_node=4), cluster.price("all_reduce", 5 << 20))

    def test_messages_that_share_a_link_take_longer(self):
        cluster = fabricast.Pricer(SMALL)
        alone = cluster.price_transfers([("node0.gpu0", "node1.gpu0", 64 << 20)])
        both = cluster.price_transfers([("node0.gpu0", "node1.gpu0", 64 << 20)] * 2)
        self.assertGreater(both[0], 1.5 * alone[0])


class Tables(unittest.TestCase):
    def test_pandas_and_matplotlib_get_the_same_figures(self):
        result = fabricast.run(SMALL)
        calls = []

        class Axes:
            def __getattr__(self, name):
                return lambda *arguments, **options: calls.append((name, arguments))

        # Stand-ins: what the two libraries are given, also where they are not installed.
        stand_ins = {"pandas": types.SimpleNamespace(DataFrame=dict), "matplotlib": types.SimpleNamespace(),
                     "matplotlib.pyplot": types.SimpleNamespace(subplots=lambda: (None, Axes()))}
        stand_ins["matplotlib"].pyplot = stand_ins["matplotlib.pyplot"]
        with unittest.mock.patch.dict(sys.modules, stand_ins):
            np.testing.assert_array_equal(result.to_pandas()["time_s"], result.arrays["time_s"])
            result.plot()
        drawn = dict(calls)
        np.testing.assert_array_equal(drawn["plot"][1], result.arrays["busbw_Bps"])
        low, high = drawn["fill_between"][1:]
        self.assertTrue((low < result.arrays["busbw_Bps"]).all() and (result.arrays["busbw_Bps"] < high).all())


class Stubs(unittest.TestCase):
    def test_the_stubs_are_those_of_the_module(self):
        stub = ast.parse((ROOT / "python" / "package" / "__init__.pyi").read_text())
        named = {node.name: node for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self.assertEqual(sorted(named), sorted(fabricast.__all__))
        for name, node in named.items():
            owner = getattr(fabricast, name)
            defined = [(owner, node)] if isinstance(node, ast.FunctionDef) else [
                (getattr(owner, one.name), one) for one in node.body if isinstance(one, ast.FunctionDef)]
            for found, told in defined:
                if isinstance(found, property):
                    continue
                words = [*told.args.args, told.args.vararg, *told.args.kwonlyargs, told.args.kwarg]
                self.assertEqual([word.arg for word in words if word], list(inspect.signature(found).parameters),
                                 f"{name}.{told.name}")


if __name__ == "__main__":
    unittest.main()
