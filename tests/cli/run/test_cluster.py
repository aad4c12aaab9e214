"""`--scheduler`: the portions of a run on a Dask cluster, and what is told where there is none."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from conformance.cli import main
from conformance.cli.run import cluster
from conformance.reporting.json_results import read_results
from conformance.results import timeless

FAKES = Path(__file__).parents[2] / "adapters" / "fakes"
FAKE = ("--module", "fakes.always_wrong", "--path", str(FAKES), "--profile", "smoke")
CHOSEN = ("-k", "softmax or reshape or argmax or softplus")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 2)


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["run", *arguments])


@pytest.fixture(scope="module")
def dask() -> Iterator[Any]:
    """Two processes that work for a scheduler; one that ends is replaced."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        yield cluster


def test_without_dask_the_command_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = invoke("reference", "-k", "softmax", "--scheduler", "tcp://127.0.0.1:9")
    assert done.exit_code == 2
    assert "pip install distributed" in done.output


def test_a_scheduler_that_does_not_answer_is_3_and_no_hang() -> None:
    pytest.importorskip("distributed")
    begun = time.monotonic()
    done = invoke("reference", "-k", "softmax", "--scheduler", "tcp://127.0.0.1:9")
    assert time.monotonic() - begun < 30
    assert done.exit_code == 3
    assert "no answer within 2 s" in done.output
    assert "dask scheduler" in done.output


def test_an_address_that_is_none_is_2() -> None:
    pytest.importorskip("distributed")
    done = invoke("reference", "-k", "softmax", "--scheduler", "nonsense://x")
    assert done.exit_code == 2
    assert "tcp://HOST:PORT" in done.output


def killed_in_the_middle(cluster: Any, done: threading.Event) -> None:
    """Kill the first worker that is seen at work."""
    with cluster.get_client() as client:
        while not done.wait(0.02):
            busy = [address for address, keys in client.processing().items() if keys]
            pids = {n.worker_address: n.pid for n in cluster.workers.values()}
            for address in busy:
                if pids.get(address):
                    os.kill(pids[address], signal.SIGKILL)
                    return


def test_a_cluster_finds_what_this_machine_finds_also_when_a_worker_is_killed(
    dask: Any, tmp_path: Path
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    local = invoke(*FAKE, *CHOSEN, "-j", "1", "-o", str(here))
    before = {n.pid for n in dask.workers.values()}
    over = threading.Event()
    killer = threading.Thread(target=killed_in_the_middle, args=(dask, over))
    killer.start()
    remote = invoke(*FAKE, *CHOSEN, "--scheduler", dask.scheduler_address, "-o", str(there))
    over.set()
    killer.join()
    assert {n.pid for n in dask.workers.values()} != before, "a worker was killed and replaced"
    assert (local.exit_code, remote.exit_code) == (1, 1), remote.output
    name = "fakes.always_wrong.json"
    results = timeless(read_results(there / name))
    assert results == timeless(read_results(here / name))


def test_what_is_not_ready_there_is_told(dask: Any) -> None:
    gone = ("--module", "fakes.does_not_import", "--path", str(FAKES))
    done = invoke(*gone, "-k", "softmax", "--scheduler", dask.scheduler_address)
    assert done.exit_code == 3
    assert "cannot be run" in done.output
    assert "the library that this needs is not there" in done.output


def test_the_locks_of_a_machine_are_in_a_folder_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the folder of temporary files anybody could hold or own them."""
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    with cluster._slot() as first, cluster._slot() as second:
        assert (first, second) == (0, 1)
    assert list((tmp_path / "temporary").iterdir()) == []
    assert sorted(p.name for p in (tmp_path / "home" / "slots").iterdir()) == ["0.lock", "1.lock"]
