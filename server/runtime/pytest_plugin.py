"""`pytest --gradguard`: each backward that fails or is silently wrong is reported with its test. None fails for it."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ..workspace.record import Sighting, sighting, write_record

if TYPE_CHECKING:
    from collections.abc import Generator

    from .session import Session


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare `--gradguard` and `--gradguard-record`."""
    group = parser.getgroup("gradguard")
    group.addoption("--gradguard", action="store_true", help="name the lines where a backward fails or is wrong")
    group.addoption("--gradguard-record", metavar="FILE", help="and write what was seen as JSON, which editors show")


def pytest_configure(config: pytest.Config) -> None:
    """Register the observer, if `--gradguard` was given."""
    if config.getoption("--gradguard"):
        record = config.getoption("--gradguard-record")
        config.pluginmanager.register(Observer(Path(record) if record else None), "gradguard-observer")


class Observer:
    """Watches each test and reports at the end. Under xdist the workers watch, and their reports have what was seen."""

    def __init__(self, record: Path | None) -> None:
        self.record = record
        self.session: Session | None = None
        self.seen: list[Sighting] = []

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, None]:
        """Watch a test with its fixtures."""
        from .session import Session

        self.session = Session()
        self.session.test = item.nodeid
        self.session.start()
        try:
            yield
        finally:
            self.session.stop()
            self.session = None

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
        """Add to a test's report what was seen so far."""
        if self.session is not None and call.excinfo is not None:
            self.session.fail(call.excinfo.value)
        outcome = yield
        if self.session is not None and self.session.sightings:
            outcome.get_result().gradguard = [asdict(one) for one in self.session.sightings]
            self.session.sightings = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect what was seen in a test."""
        self.seen += [sighting(one) for one in getattr(report, "gradguard", ())]

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Write the record, and the report of what was seen in all tests."""
        if self.record is not None:
            write_record(self.record, sys.argv, self.seen)
        if not self.seen:
            return
        import io

        from ..cli.run import write

        out = io.StringIO()
        write(self.seen, "full", out)
        terminalreporter.section("gradguard")
        terminalreporter.write(out.getvalue())
