"""A page's document read back from its file, and the tools that show pages in a browser."""

import base64
import gzip
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

VIEWER = Path(__file__).parents[2] / "viewer"
_BROWSERS = (os.environ.get("CHROMIUM"), "/usr/bin/chromium", "/usr/bin/chromium-browser")


def missing_node() -> str | None:
    """Why no test of viewer/tests can run here; None where it can."""
    if shutil.which("node") is None:
        return "Node is not installed"
    if not (VIEWER / "node_modules/playwright-core").is_dir():
        return "`make build` has not installed what viewer/ needs"
    return None


def missing_browser() -> str | None:
    """Why nothing can be shown in a browser here; None where everything is there."""
    if (missing := missing_node()) is not None:
        return missing
    if not any(path and Path(path).exists() for path in _BROWSERS):
        return "no Chromium is installed"
    return None


def node_tests(file: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a file of tests of viewer/tests."""
    line = ["node", "--test", "--test-reporter=spec", f"tests/{file}"]
    known = os.environ | environment
    return subprocess.run(line, cwd=VIEWER, env=known, capture_output=True, text=True, check=False)


def document(page: str) -> dict[str, Any]:
    """The data that a page shows."""
    found = re.search(r'<script type="application/json" id="document">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def block(page: str, name: str) -> bytes:
    """One of a page's blocks."""
    found = re.search(rf'<script type="text/plain" id="block-{name}">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return gzip.decompress(base64.b64decode(found[1]))


def section(page: str, heading: str) -> dict[str, Any]:
    """The section of this heading."""
    return next(each for each in document(page)["sections"] if each["heading"] == heading)


def headings(page: str) -> list[str]:
    """The headings of a page in their order."""
    return [each["heading"] for each in document(page)["sections"]]


def texts(data: Any) -> list[str]:
    """Every text of a document."""
    if isinstance(data, str):
        return [data]
    if isinstance(data, dict):
        return [text for value in data.values() for text in texts(value)]
    return [text for value in data for text in texts(value)] if isinstance(data, list) else []
