"""A headless Chromium for all tests that read pages, and what they ask it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from programs import needed, node_package

ARGUMENTS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--hide-scrollbars", "--force-color-profile=srgb", "--disable-dev-shm-usage",
)  # fmt: skip

READ = """
const language = document.documentElement.lang;
const text = (node) => {
  const copy = node.cloneNode(true);
  copy.querySelectorAll("[lang], .unseen").forEach((part) =>
    (part.matches(".unseen") || part.lang !== language) && part.remove());
  return copy.textContent.trim();
};
const tables = [...document.querySelectorAll(arguments[0])].filter((table) => !table.closest("[lang]:not(html)"));
return tables.map((table) => ({
  caption: table.caption ? text(table.caption) : "",
  head: [...(table.tHead?.rows[0].cells ?? [])].map(text),
  rows: [...table.tBodies[0].rows].map((row) => [...row.cells].map(text)),
}));
"""


class Browser:
    """One window of Chromium, driven through many pages."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, page: Path, fragment: str = "") -> None:
        """Opens a page afresh."""
        self.driver.get("about:blank")
        self.messages()
        self.requests()
        self.driver.get(page.as_uri() + fragment)

    def run(self, script: str, *arguments: Any) -> Any:
        """What a function body returns in the page."""
        return self.driver.execute_script(script, *arguments)

    def messages(self) -> list[str]:
        """What was written to the console since it was asked last."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """The addresses that were asked for since then."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = (event["params"] for event in events if event["method"] == "Network.requestWillBeSent")
        return [found["request"]["url"] for found in sent]

    def command(self, name: str, **parameters: Any) -> Any:
        """A command of the developer tools."""
        return self.driver.execute_cdp_cmd(name, parameters)

    def press(self, *keys: str) -> None:
        """Keys, one after another, as a keyboard sends them; Control is held down until the end."""
        from selenium.webdriver import ActionChains
        from selenium.webdriver.common.keys import Keys

        chain = ActionChains(self.driver, duration=0)
        for key in keys:
            chain = chain.key_down(key) if key == Keys.CONTROL else chain.send_keys(key)
        (chain.key_up(Keys.CONTROL) if Keys.CONTROL in keys else chain).perform()

    def tables(self, selector: str = "table") -> list[dict[str, Any]]:
        """The tables that a selector finds, as texts in the language that is shown."""
        found: list[dict[str, Any]] = self.run(READ, selector)
        return found

    def violations(self) -> list[str]:
        """What axe-core finds wrong with the page."""
        self.run((node_package("axe-core") / "axe.min.js").read_text(encoding="utf-8"))
        found = self.driver.execute_async_script(
            "axe.run(document, {resultTypes: ['violations']}).then((found) => arguments[0](found.violations))"
        )
        return [f"{rule['id']}: {node['html'][:200]}" for rule in found for node in rule["nodes"]]


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The browser, started once."""
    chromium, chromedriver = needed("chromium"), needed("chromedriver")
    webdriver = pytest.importorskip("selenium.webdriver")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(chromium)
    for argument in (*ARGUMENTS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(chromedriver)))
    driver.set_script_timeout(120)
    yield Browser(driver)
    driver.quit()


def invalid(pages: Sequence[Path]) -> str:
    """What the validator of the W3C says against pages: one call for all of them, nothing where they are right."""
    import subprocess

    jar = node_package("vnu-jar") / "build" / "dist" / "vnu.jar"
    command = [str(needed("java")), "-Xss8m", "-jar", str(jar), "--errors-only", "--format", "gnu", *map(str, pages)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr
