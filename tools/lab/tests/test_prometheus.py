# SPDX-License-Identifier: GPL-2.0
"""The dashboard and the alerts: on metrics and labels that there are."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from ktput.mesh import figures, metrics

TREE = Path(__file__).parents[3]
PLACE = TREE / "tools/prometheus"
#: Labels that Prometheus itself gives.
GIVEN = {"instance", "job"}
METRIC = re.compile(r"\bktput_\w+")
#: Of an expression: what stands between braces, behind "by", and of a text.
MATCHERS = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)\s*\"")
GROUPS = re.compile(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)")
NAMED = re.compile(r"\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}")
#: What Grafana puts in the place of its variables.
VARIABLES = {"$__rate_interval": "5m"}


def of_monitor():
    """Return the labels of each metric of ktput-ctl monitor."""
    source = (TREE / "tools/cmd/monitor_metrics.c").read_text()
    counters = re.findall(r"row\((\w+)\)", (
        TREE / "kmod/uapi/linux/ktput_counters.h").read_text())
    names = {*re.findall(r'\{ "(ktput_run_\w+)", "(?:counter|gauge)"', source),
             *(f"ktput_run_{name}_total" for name in counters)}
    (value,) = re.findall(r"\nstatic void write_value\(.*?\n}\n", source, re.DOTALL)
    labels = {*re.findall(r'(\w+)=\\"%', value),
              *re.findall(r'write_label\(to, "(\w+)"', value)}
    assert {"run", "role", "transport", "layer", "peer", "netns"} == labels
    assert len(names) == len(counters) + 5
    return dict.fromkeys(names, labels)


def of_mesh():
    """Return the labels of each metric of ktput-ctl mesh, of what it writes."""
    pair = {"from": "a", "to": "b", **{one.key: 1.0 for one in figures.FIGURES}}
    outlier = {"kind": "host", "name": "a", "cause": "cpu", "share_of_median": 0.5}
    found = {}
    for line in metrics.lines_of({"mesh": {"pairs": [pair], "outliers": [outlier],
                                           "left_out": []}}):
        if line[0] != "#":
            found[METRIC.match(line)[0]] = set(re.findall(r'(\w+)="', line))
    assert found["ktput_mesh_share_of_median"] == {"kind", "name", "cause"}
    return found


METRICS = {**of_monitor(), **of_mesh()}


def check_expression(expression, *texts):
    """Assert that what an expression and the texts beside it name is there."""
    named = METRIC.findall(expression)
    assert named
    for name in named:
        assert name in METRICS
    labels = set.union(*(METRICS[name] for name in named)) | GIVEN
    asked = {*MATCHERS.findall(expression),
             *(label.strip() for group in GROUPS.findall(expression)
               for label in group.split(",")),
             *(label for text in texts for label in NAMED.findall(text))}
    assert asked <= labels, f"{asked - labels} in {expression}"
    return named


@pytest.fixture(scope="module")
def dashboard():
    return json.loads((PLACE / "ktput.dashboard.json").read_text())


@pytest.fixture(scope="module")
def rules():
    (group,) = yaml.safe_load((PLACE / "ktput.rules.yml").read_text())["groups"]
    return group["rules"]


def targets(dashboard):
    return [(panel, one) for panel in dashboard["panels"]
            for one in panel.get("targets", ())]


def test_alerts_are_on_what_there_is(rules):
    for rule in rules:
        # $value is no label.
        check_expression(rule["expr"], *(
            text.replace("$value", "") for text in rule["annotations"].values()))
    assert len({rule["alert"] for rule in rules}) == len(rules) > 4


def test_panels_are_on_what_there_is(dashboard):
    named = {name for _, one in targets(dashboard)
             for name in check_expression(one["expr"], one["legendFormat"])}
    assert len(named) > 10


def test_what_grafana_needs(dashboard):
    assert dashboard["title"] == "ktput"
    assert re.fullmatch(r"[\w-]{1,40}", dashboard["uid"])
    # Of the classic model. An id would be that of another dashboard.
    assert dashboard["schemaVersion"] == 36
    assert "id" not in dashboard
    panels = dashboard["panels"]
    assert sorted(one["id"] for one in panels) == list(range(1, len(panels) + 1))
    source = {"type": "prometheus", "uid": "${datasource}"}
    for panel in panels:
        assert panel["title"]
        assert panel["type"] in ("row", "timeseries", "table", "stat")
        assert bool(panel.get("targets")) == (panel["type"] != "row")
        assert panel.get("datasource", source) == source
    for panel, one in targets(dashboard):
        assert one["datasource"] == source
        assert panel["fieldConfig"]["defaults"]["unit"]
        assert len({row["refId"] for row in panel["targets"]}) == len(panel["targets"])


def test_no_panel_covers_another(dashboard):
    taken = set()
    for panel in dashboard["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"])
                 for y in range(at["y"], at["y"] + at["h"])}
        assert at["x"] + at["w"] <= 24
        assert not cells & taken
        taken |= cells


def test_variables(dashboard):
    rows = {one["name"]: one for one in dashboard["templating"]["list"]}
    assert rows["datasource"]["type"] == "datasource"
    assert rows["datasource"]["query"] == "prometheus"
    for name, one in rows.items():
        if one["type"] == "query":
            metric, label = re.fullmatch(r"label_values\((\w+), (\w+)\)",
                                         one["query"]["query"]).groups()
            assert label == name
            assert label in METRICS[metric] | GIVEN
    used = {name for _, one in targets(dashboard)
            for name in re.findall(r"\$(\w+)", one["expr"])}
    assert used - {"__rate_interval"} == set(rows) - {"datasource"}


@pytest.fixture(scope="module")
def promtool():
    cache = Path(os.environ.get("KTPUT_CACHE") or TREE / "build/cache")
    found = shutil.which("promtool") or shutil.which(
        "promtool", path=str(cache / "prometheus/usr/bin"))
    if found is None:
        pytest.skip("promtool is not there: make setup unpacks it")

    def run(*words):
        done = subprocess.run([found, *map(str, words)], capture_output=True, text=True,
                              check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    return run


def test_prometheus_understands_them(promtool, dashboard, tmp_path):
    promtool("check", "rules", PLACE / "ktput.rules.yml")
    rows = []
    for number, (_, one) in enumerate(targets(dashboard)):
        expression = one["expr"]
        for variable, value in VARIABLES.items():
            expression = expression.replace(variable, value)
        rows.append({"record": f"panel:{number}", "expr": expression})
    panels = tmp_path / "panels.yml"
    panels.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rows}]}))
    promtool("check", "rules", panels)


RUN = 'run="1",role="{role}",transport="{transport}",layer="socket",instance="h"'


def series(metric, values, role="sink", transport="tcp", more=""):
    labels = RUN.format(role=role, transport=transport) + more
    return {"series": f"ktput_run_{metric}{{{labels}}}", "values": values}


SENT_AGAIN = "tcp_retransmissions_total"
TO_PEER = ',peer="p"'
#: Of each alert: what a minute adds where it is raised, and where it is not.
RAISED = {
    "KtputGoodputFell": (
        [series("bytes_total", "0+1000x1440 1440000+100x60")],
        [series("bytes_total", "0+1000x1500")]),
    "KtputSegmentsLost": (
        [series(SENT_AGAIN, "0+660x1500", "source", more=TO_PEER)],
        [series(SENT_AGAIN, "0+540x1500", "source", more=TO_PEER)]),
    "KtputDatagramsLost": (
        [series("datagrams_lost", "0+2x1500", transport="udp"),
         series("datagrams_received_total", "0+1000x1500", transport="udp")],
        [series("datagrams_lost", "0x1500", transport="udp"),
         series("datagrams_received_total", "0+1000x1500", transport="udp")]),
    "KtputSocketFull": (
        [series("socket_drops_total", "0+1x1500", transport="udp")],
        [series("socket_drops_total", "7x1500", transport="udp")]),
    "KtputMeshOutlier": (
        [{"series": 'ktput_mesh_share_of_median{kind="host",name="h",cause="cpu"}',
          "values": "0.5x1500"}],
        [{"series": 'ktput_mesh_share_of_median{kind="host",name="h",cause="cpu"}',
          "values": "0.9x1500"}]),
    "KtputMeshHostLeftOut": (
        [{"series": "ktput_mesh_left_out", "values": "2x1500"}],
        [{"series": "ktput_mesh_left_out", "values": "0x1500"}]),
}


def test_alerts_are_raised(promtool, rules, tmp_path):
    """Each where it has to be, by Prometheus' own arithmetic, and not elsewhere."""
    assert set(RAISED) == {rule["alert"] for rule in rules}
    queries = [{"expr": f'count(ALERTS{{alertname="{name}",alertstate="firing"}}) or '
                "vector(0)", "eval_time": "25h"} for name in RAISED]
    cases = []
    for number, kind in enumerate(("raised", "not")):
        for name, both in RAISED.items():
            wanted = [{**query, "exp_samples": [{
                "labels": "{}", "value": int(kind == "raised" and other == name)}]}
                for query, other in zip(queries, RAISED, strict=True)]
            cases.append({"name": f"{name} {kind}", "interval": "1m",
                          "input_series": both[number], "promql_expr_test": wanted})
    path = tmp_path / "alerts.yml"
    path.write_text(yaml.safe_dump({
        "rule_files": [str(PLACE / "ktput.rules.yml")], "evaluation_interval": "1m",
        "tests": cases}))
    promtool("test", "rules", path)
