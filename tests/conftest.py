"""Settings of the whole suite: property tests are repeatable and know no deadline, and there is one worker more than cores.

`HYPOTHESIS_PROFILE=explore pytest tests/property` looks further, at other examples every time; `brief` does not look for the simplest
example of a failure (for bench/mutants.py, which only asks whether there is one).
"""

from __future__ import annotations

import os
import signal
import sys
import threading

import pytest
from hypothesis import HealthCheck, Phase, settings

if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores Ctrl-C, which tests send

os.environ.pop(
    "PYTHONDONTWRITEBYTECODE", None
)  # hundreds of processes are started here, each of which would compile all modules anew
sys.dont_write_bytecode = False

os.environ.pop("WNHOME", None)
os.environ["WNSEARCHDIR"] = os.devnull  # outputs do not depend on whether this machine has WordNet

CALM = (HealthCheck.too_slow, HealthCheck.data_too_large)
settings.register_profile(
    "repeatable", deadline=None, max_examples=25, derandomize=True, database=None, suppress_health_check=CALM
)
settings.register_profile("brief", settings.get_profile("repeatable"), phases=(Phase.explicit, Phase.generate))
settings.register_profile("explore", deadline=None, max_examples=2000, suppress_health_check=CALM)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_xdist_auto_num_workers() -> int:
    """One more than cores: tests of commands, browsers and clusters wait much of their time."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1) + 1


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "record what the commands of tests/golden/outputs.toml write now, instead of comparing with it"
    parser.addoption("--update-outputs", action="store_true", help=text)
