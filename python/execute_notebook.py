"""Runs a notebook's cells in order and writes their outputs, or with --check compares them. No Jupyter needed.

usage: execute_notebook.py [--check] NOTEBOOK
"""

import ast
import contextlib
import io
import json
import os
import sys


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


def execute(notebook):
    names = {"__name__": "__main__"}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            cell["execution_count"] = count
            cell["outputs"] = output_of("".join(cell["source"]), names)
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
    execute(notebook)
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
