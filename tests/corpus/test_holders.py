"""Which process still holds something."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from corpus.holders import Holder


def ended() -> Holder:
    """A process of this machine that is there no more."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        return Holder.of(process.pid)


def test_a_process_that_runs_is_not_gone_and_one_that_ended_is() -> None:
    assert not Holder.here().is_gone()
    assert not Holder.here().has_ended()
    assert ended().is_gone()
    assert ended().has_ended()


def test_another_process_with_the_number_of_one_that_ended_is_not_taken_for_it() -> None:
    here = Holder.here()
    if not here.born:
        pytest.skip("this system does not tell when a process was started")
    assert replace(here, born="1").is_gone()


def test_of_another_machine_nothing_can_be_told() -> None:
    assert not replace(ended(), host="elsewhere").is_gone()
    assert not replace(ended(), host="elsewhere", boot="another").is_gone()


def test_of_another_container_of_the_same_machine_nothing_can_be_told() -> None:
    gone = ended()
    start, _, space = gone.boot.partition("/")
    assert space == str(Path("/proc/self/ns/pid").readlink())[5:-1]
    other = replace(gone, boot=f"{start}/1")
    assert not other.is_gone()
    assert not replace(gone, boot=start).is_gone()  # written by a version that did not say which
    assert other.has_ended()


def test_what_ran_before_the_machine_was_started_anew_is_gone() -> None:
    before = replace(Holder.here(), boot="before/1")
    assert before.is_gone()
    assert before.has_ended()
