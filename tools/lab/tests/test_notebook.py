# SPDX-License-Identifier: GPL-2.0
"""The notebook of the documents: its cells give the outputs that it has.

They run in order in one namespace, as in Jupyter, which is not needed. After a change
"/usr/bin/python3 -m tests.test_notebook" in tools/lab writes the outputs anew.
"""

import ast
import contextlib
import io
import json
import math
import os
import re
import tempfile
from pathlib import Path

import pytest

from .samples import change, run

NOTEBOOK = Path(__file__).parents[3] / "Documentation/measure/notebook.ipynb"
#: Bytes beyond which it is no small file.
LARGE = 40000


def write_records(to):
    """Write runs of two sizes, made in turn on a machine that slows down slowly."""
    with open(to, "w") as file:
        for i in range(18):
            size = (4096, 65536)[i % 2]
            rate = 600e6 + i % 2 * 24e6 - i * 1.5e6 + 3e6 * math.sin(2.1 * i)
            one = run(rate, size, intervals=[],
                      source__begin={"run": {"begun_ns": (i + 1) * 10**9}})
            if i == 7:
                one = change(one, result__disturbed=True,
                             result__disturbed_by="other work used 9% of CPU 0")
            file.write(json.dumps(one) + "\n")


def shown(value):
    """Return what Jupyter stores of a cell's last value."""
    data = {"text/plain": repr(value)}
    if hasattr(value, "_repr_svg_"):
        data["image/svg+xml"] = value._repr_svg_()
    return data


def executed(source, names):
    """Run a cell; return its outputs in the form of a notebook."""
    tree, said, outputs, value = ast.parse(source), io.StringIO(), [], None
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(said):
        exec(compile(tree, "cell", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    if said.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout",
                        "text": said.getvalue()})
    if value is not None:
        outputs.append({"output_type": "execute_result", "metadata": {},
                        "data": shown(value)})
    return outputs


def cells_of(notebook):
    """Yield the cells of code, and the outputs that they give."""
    names = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            yield cell, executed("".join(cell["source"]), names)


def comparable(outputs):
    """Return outputs without what a version of Matplotlib, or the day, decides."""
    outputs = json.loads(json.dumps(outputs))
    for one in outputs:
        one.pop("execution_count", None)
        drawn = one.get("data", {}).pop("image/svg+xml", "")
        one["drawn"] = re.findall(r'aria-label="[^"]*"', drawn)
    return outputs


@pytest.fixture
def notebook(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_records("repeats.jsonl")
    return json.loads(NOTEBOOK.read_text())


def test_the_cells_give_the_outputs(notebook):
    pytest.importorskip("pandas")
    count = 0
    for cell, outputs in cells_of(notebook):
        count += 1
        assert comparable(cell["outputs"]) == comparable(outputs), cell["source"]
    assert count == 5


def test_it_is_a_small_notebook_that_has_run(notebook):
    assert NOTEBOOK.stat().st_size < LARGE
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    cells = notebook["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == [1, 2, 3, 4, 5]
    assert all(cell["outputs"] for cell in code)


def write_outputs():
    """Write the outputs into the notebook."""
    notebook = json.loads(NOTEBOOK.read_text())
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_records("repeats.jsonl")
        for number, (cell, outputs) in enumerate(cells_of(notebook), 1):
            cell["execution_count"], cell["outputs"] = number, outputs
            for one in outputs:
                if one["output_type"] == "execute_result":
                    one["execution_count"] = number
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    write_outputs()
