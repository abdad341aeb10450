#!/usr/bin/env python3
"""docs/pictures/live.py: a run in the browser and the report of a mixture, as live.png and report_mixture.png beside this file.
$KULLBACK is the program, or build/kullback; needs chromium."""
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests" / "report"))
import results  # noqa: E402
from devtools import Browser  # noqa: E402

WIDTH, SECONDS = 1100, 20


def picture(page, name, top, height):
    page.call("Emulation.setDeviceMetricsOverride", {"width": WIDTH, "height": 900, "deviceScaleFactor": 1, "mobile": False})
    time.sleep(1)  # figures are drawn anew for the width
    begin = page.run(f"document.querySelector('{top}').getBoundingClientRect().y + scrollY - 12")
    page.screenshot(HERE / name, {"x": 0, "y": begin, "width": WIDTH, "height": height})


def live(browser, folder):
    out = folder / "result"
    fit = results.start_long_fit(out)
    server = None
    try:
        results.wait_for_line(out / "events.jsonl", '"progress"')
        time.sleep(SECONDS)
        server = subprocess.Popen([results.KULLBACK, "serve", out], stdout=subprocess.PIPE, text=True)
        page = browser.open(server.stdout.readline().split()[0])
        page.wait_for("document.querySelector('#live svg path')")
        picture(page, "live.png", "#head", 420)
    finally:
        for process in filter(None, (fit, server)):
            process.send_signal(signal.SIGINT)
            process.wait(30)


with tempfile.TemporaryDirectory() as scratch, Browser() as browser:
    folder = pathlib.Path(scratch)
    results.mixture(folder / "mixture")
    results.kullback("report", folder / "mixture", "--quiet")
    picture(browser.open((folder / "mixture" / "report.html").as_uri()), "report_mixture.png", "#section-components", 640)
    live(browser, folder)
