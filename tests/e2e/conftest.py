"""A real map of the demo corpus, a real server in a process of its own, a real Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
ARTEFACTS = ROOT / "artefacts"
COMMAND = [sys.executable, "-m", "cli.entry"]
FLAGS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of the demo, made by the command that people use."""
    data = tmp_path_factory.mktemp("demo")
    done = subprocess.run(
        [*COMMAND, "demo", "--no-serve", "--data", str(data)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    if done.returncode and "could not be fetched" in done.stderr and not os.environ.get("CI"):
        pytest.skip(f"the demo corpus needs the package index: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    return data


@dataclass(frozen=True)
class Served:
    """A running server."""

    address: str
    process: subprocess.Popen[str]


@pytest.fixture(scope="session")
def served(demo: Path) -> Iterator[Served]:
    """The demo's server on a free port."""
    with serving(demo) as running:
        yield running


@contextmanager
def serving(data: Path, *options: str) -> Iterator[Served]:
    """Serve a data directory on a free port."""
    process = subprocess.Popen(
        [*COMMAND, "serve", "--port", "0", "--json", "--data", str(data), *options],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.stderr.read() if process.stderr else ""
    try:
        yield Served(msgspec.json.decode(line)["address"], process)
    finally:
        process.terminate()
        process.communicate(timeout=20)


@dataclass
class Watched:
    """A page, and what it did that it must not do."""

    page: Page
    address: str
    errors: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)

    def watch(self) -> None:
        """Collect console errors, exceptions and requests to other hosts."""

        def console(message: ConsoleMessage) -> None:
            if message.type == "error" or "Content Security Policy" in message.text:
                self.errors.append(message.text)

        self.page.on("console", console)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on(
            "request",
            lambda request: (
                None if request.url.startswith((self.address, "blob:", "data:")) else self.strangers.append(request.url)
            ),
        )

    def ready(self, path: str = "/") -> Page:
        """Open an address of the server and wait until the map is drawn."""
        self.page.goto(self.address + path)
        self.page.wait_for_selector("html[data-ready=true]", state="attached")
        return self.page

    def picture(self, name: str) -> None:
        """Keep a screenshot as a test artefact."""
        ARTEFACTS.mkdir(exist_ok=True)
        self.page.screenshot(path=ARTEFACTS / f"{name}.png")


def until(page: Page, met: Callable[[], object], seconds: int = 15) -> None:
    """Wait for a condition; Playwright's own way needs `eval`, which the page's policy forbids."""
    for _ in range(10 * seconds):
        if met():
            return
        page.wait_for_timeout(100)
    pytest.fail(f"the condition was not met in {seconds} s")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, headless, with software GL. Not for the session: its event loop would stay in the thread."""
    path = shutil.which("chromium")
    assert path, "the browser tests need Chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, headless=True, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A fresh profile at 1440 x 900."""
    fresh = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    yield fresh
    fresh.close()


@pytest.fixture
def watched(context: BrowserContext, served: Served) -> Iterator[Watched]:
    """A page that fails the test when it logs an error or asks another host."""
    page = context.new_page()
    page.set_default_timeout(30_000)
    here = Watched(page, served.address)
    here.watch()
    yield here
    assert here.errors == []
    assert here.strangers == []
