"""Runs a notebook's cells in order and writes their outputs, or with --check compares them. No Jupyter needed.

Charts are drawn where matplotlib is installed. Their bytes depend on its version, so --check holds only which cells have
one; without matplotlib the cells run all the same, and the charts stay as they are.

usage: execute_notebook.py [--check] NOTEBOOK
"""

import ast
import base64
import contextlib
import io
import json
import os
import sys
import unittest.mock

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot
except ImportError:
    matplotlib = None
    sys.modules["matplotlib"] = sys.modules["matplotlib.pyplot"] = unittest.mock.MagicMock()


def output_of(source, names):
    """What the cell prints, and the value of its last expression, as notebooks hold them."""
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    outputs = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(True)})
    if value is not None:
        outputs.append({"data": {"text/plain": repr(value).splitlines(True)}, "metadata": {}, "output_type": "execute_result"})
    return outputs


def charts():
    """The figures that a cell drew, as Jupyter shows them."""
    outputs = []
    for number in matplotlib.pyplot.get_fignums():
        image = io.BytesIO()
        matplotlib.pyplot.figure(number).savefig(image, dpi=72, bbox_inches="tight", metadata={"Software": None})
        text = base64.b64encode(image.getvalue()).decode() + "\n"
        outputs.append({"data": {"image/png": text}, "metadata": {}, "output_type": "display_data"})
    matplotlib.pyplot.close("all")
    return outputs


def is_chart(output):
    return "image/png" in output.get("data", {})


def execute(notebook, check):
    names = {"__name__": "__main__"}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            cell["execution_count"] = count
            kept = [output for output in cell["outputs"] if is_chart(output)]
            cell["outputs"] = output_of("".join(cell["source"]), names)
            drawn = charts() if matplotlib else kept
            cell["outputs"] += kept if check and len(kept) == len(drawn) else drawn
            for output in cell["outputs"]:
                if output["output_type"] == "execute_result":
                    output["execution_count"] = count


def main(arguments):
    check = "--check" in arguments
    path = os.path.abspath(arguments[-1])
    with open(path, encoding="utf-8") as stream:
        written = stream.read()
    notebook = json.loads(written)
    os.chdir(os.path.dirname(path))
    execute(notebook, check)
    found = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    if not check:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(found)
    elif found != written:
        print(f"{path}: its outputs are not those of its cells; run `./dev python` and read the diff", file=sys.stderr)
        sys.stdout.writelines(line + "\n" for line in found.splitlines() if line not in set(written.splitlines()))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
