#!/usr/bin/env python3
"""Reports in a real browser: every kind of result, what can be clicked and typed, dark, printed, hostile, large, live.

The browser is Debian's chromium, driven over pipes by devtools.py: the protocol itself is a few lines, so that there is nothing to
fetch or pin. Screenshots stay in build/tests/report. Needs: chromium. Options: names of results, for some of them only."""
import base64
import concurrent.futures
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import results  # noqa: E402
from devtools import Browser, PixelCounter  # noqa: E402

SCREENSHOTS = pathlib.Path(results.KULLBACK).resolve().parent / "tests" / "report"
LEAST_DRAWN = 40  # pixels of a figure that are not its background
MOST_SECONDS_TO_SORT = 1.0
AS_ELSEWHERE = {"hostile"}  # figures are those of nuts: their pixels are not counted again
failures = []

# What a page of each kind must have: sections, and figures in them.
WANTED = {
    "nuts": (["question", "checks", "parameters", "marginals", "traces", "pairs", "energy", "program", "inputs"], ["pairs", "intervals"]),
    "vi": (["parameters", "bound", "weights"], ["bound"]),
    "ladder": (["certificate", "ladder", "parameters"], ["ladder"]),
    "optimize": (["parameters", "program"], []),
    "interrupted": (["question", "checks"], []),
    "mixture": (["components", "figures", "starts"], ["components", "weights", "starts"]),
    "topics": (["topics", "figures", "starts"], ["starts"]),
    "hmm": (["states", "starts"], ["path", "transitions", "emitted"]),
    "factors": (["factors", "starts"], ["explained", "loadings", "scores"]),
    "regress": (["coefficients"], ["coefficients", "inclusion", "fitted"]),
    "logistic": (["coefficients"], ["coefficients", "fitted"]),
    "bnn": (["calibration", "training", "figures"], ["bands", "levels", "errors", "loss", "held-out"]),
    "bnn_classes": (["calibration", "training"], ["reliability", "entropies"]),
    "vae": (["autoencoder", "training"], ["reconstructions", "samples", "latents", "activity", "loss"]),
    "ebm": (["generated", "likelihoods", "figures", "training"], ["density", "row-likelihoods", "loss", "energies", "held-out"]),
    "diffusion": (["generated", "restored", "figures", "training"], ["samples", "process", "mean", "loss", "held-out"]),
    "many": (["parameters", "traces"], []),
}


def check(condition, what):
    if not condition:
        failures.append(what)
        print(f"FAILED {what}", flush=True)


def problems_of(page, name):
    check(not page.problems, f"{name}: the console says {page.problems[:3]}")


def make(folder, kind):
    out = folder / kind.__name__ / "result"
    out.parent.mkdir()
    kind(out)
    results.kullback("report", out, "--quiet")
    return out / "report.html"


def sections_and_figures(page, name, counter, picture):
    sections, figures = WANTED[name]
    there = page.run("[...document.querySelectorAll('[data-section]')].map((s) => s.dataset.section)")
    check(set(sections) <= set(there), f"{name}: sections {sorted(set(sections) - set(there))} are missing")
    page.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    page.wait_for("[...document.querySelectorAll('[data-figure]')].every((f) => f.dataset.drawn === 'true' || f.clientWidth === 0)")
    boxes = page.run("""[...document.querySelectorAll('[data-figure]')].filter((f) => f.clientWidth > 0).map((f) => {
      const b = f.querySelector('.canvas').getBoundingClientRect();
      return {name: f.dataset.figure, alt: f.querySelector('figcaption').textContent, x: b.x + scrollX, y: b.y + scrollY, width: b.width, height: b.height}; })""")
    drawn = {box["name"] for box in boxes}
    check(set(figures) <= drawn, f"{name}: figures {sorted(set(figures) - drawn)} are missing")
    whole = page.whole_screenshot(SCREENSHOTS / f"{picture}.png")
    for box, seen in zip(boxes, counter.count(whole, boxes)):
        check(len(box["alt"]) > 10, f"{name}: figure {box['name']} has no words for those who do not see it")
        check(seen["drawn"] > LEAST_DRAWN and seen["colours"] > 2, f"{name}: figure {box['name']} is empty: {seen}")
    return len(boxes)


def look_at(browser, counter, name, file):
    page = browser.open(file.as_uri())
    check(page.run("document.documentElement.dataset.errors") == "0", f"{name}: a section failed")
    figures = 0 if name in AS_ELSEWHERE else sections_and_figures(page, name, counter, name)
    problems_of(page, name)
    outside = [url for url in page.requests if not url.startswith(("file://", "data:", "blob:"))]
    check(not outside and sum(url.startswith("file://") for url in page.requests) == 1, f"{name}: requests {page.requests[:4]}")
    check(not page.run("document.documentElement.scrollWidth > innerWidth + 1"), f"{name}: the page is wider than the window")
    return page, figures


def column(page, table, number):
    return page.run(f"[...document.querySelectorAll('[data-table=\"{table}\"] tbody tr')].map((r) => r.children[{number}].textContent)")


def numbers(texts):
    return [float(t.replace("−", "-").replace(",", "").replace("–", "nan")) for t in texts]


def head_index(page, table, title):
    return page.run(f"[...document.querySelectorAll('[data-table=\"{table}\"] th')].findIndex((h) => h.textContent === '{title}')")


def sorting_and_searching(page):
    table = '[data-table="parameters"]'
    index = head_index(page, "parameters", "mean")
    page.click(f"{table} th:nth-child({index + 1}) button")
    falling = numbers(column(page, "parameters", index))
    check(falling == sorted(falling, reverse=True) and len(falling) > 5, f"nuts: the means are not sorted: {falling}")
    check(page.run(f"document.querySelector('{table} th:nth-child({index + 1})').getAttribute('aria-sort')") == "descending", "nuts: aria-sort")
    # The same by keys alone: the button has the focus, Enter sorts the other way.
    page.run(f"document.querySelector('{table} th:nth-child({index + 1}) button').focus()")
    page.press("Enter")
    rising = numbers(column(page, "parameters", index))
    check(rising == sorted(rising), f"nuts: Enter does not turn the order: {rising}")
    page.run("document.querySelector('#section-parameters input[type=search]').focus()")
    page.type("theta[3]")
    found = page.run(f"[...document.querySelectorAll('{table} tbody tr')].map((r) => r.textContent)")
    check(found and all("theta[3]" in row for row in found), f"nuts: the search finds {found}")
    page.type("zzz")
    check(page.run(f"document.querySelectorAll('{table} tbody tr').length") == 0, "nuts: a search for nothing finds something")
    page.run("(() => { const f = document.querySelector('#section-parameters input[type=search]'); f.value = ''; f.dispatchEvent(new Event('input')); })()")


def choosing(page):
    """Rows of the table choose what traces and pairs show."""
    row = "document.querySelectorAll('[data-table=\"parameters\"] tbody tr')"
    titles = "[...document.querySelectorAll('#section-traces [data-figure^=trace] .title')].map((t) => t.textContent)"
    names = page.run(f"[...{row}].map((r) => r.querySelector('button.name').textContent)")
    page.run(f"[...{row}].forEach((r, i) => {{ r.id = `row-${{i}}`; }})")
    page.click("#row-2 button.name")
    check(page.run(titles) == [names[2]], f"nuts: a click on {names[2]} shows {page.run(titles)}")
    check(page.run("document.querySelector('#section-pairs [data-figure=pairs]') === null"), "nuts: pairs of one quantity")
    page.click("#row-4 input[type=checkbox]")
    check(page.run(titles) == [names[2], names[4]], f"nuts: a tick adds {page.run(titles)}")
    page.wait_for("document.querySelector('#section-pairs [data-figure=pairs]')?.dataset.drawn === 'true'")
    # By keys: Tab from a name reaches the next control, Enter on a name chooses it.
    page.run("document.querySelector('#row-0 button.name').focus()")
    page.press("Enter")
    check(page.run(titles) == [names[0]], f"nuts: Enter on {names[0]} shows {page.run(titles)}")
    page.press("Tab")
    check(page.run("document.activeElement.closest('tr')?.id") == "row-1", "nuts: Tab does not lead to the next row")


def keyboard(browser, file):
    page = browser.open(file.as_uri())
    page.press("Tab")
    check(page.run("document.activeElement.className") == "skip", "nuts: the first Tab does not offer to skip to the report")
    reached = set()
    for _ in range(60):
        page.press("Tab")
        reached.add(page.run("document.activeElement.id || document.activeElement.closest('[data-section], nav, header')?.id"))
        if {"theme", "section-parameters"} <= reached:
            break
    check({"theme", "section-parameters"} <= reached, f"nuts: Tab reaches {reached}")
    unnamed = page.run("""[...document.querySelectorAll('button, input, select, a')].filter((e) =>
      !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length)).map((e) => e.outerHTML.slice(0, 80))""")
    check(not unnamed, f"nuts: controls without a name: {unnamed[:3]}")
    page.close()


def dark_and_print(browser, counter, name, file):
    page = browser.open(file.as_uri())
    light = counter.count(page.screenshot())[0]["background"]
    page.call("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    dark = counter.count(page.screenshot())[0]["background"]
    check(light > 0.85 and dark < 0.2, f"{name}: backgrounds are {light:.2f} light and {dark:.2f} dark")
    sections_and_figures(page, name, counter, f"{name}-dark")
    page.click("#theme")
    check(counter.count(page.screenshot())[0]["background"] > 0.85, f"{name}: the button does not bring light")
    page.run("document.documentElement.removeAttribute('data-theme'); try { localStorage.removeItem('kullback-theme'); } catch {}")
    page.call("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    check(page.run("getComputedStyle(document.querySelector('#contents')).display") == "none", f"{name}: the contents are printed")
    page.call("Emulation.setEmulatedMedia", {"media": ""})
    pdf = base64.b64decode(page.call("Page.printToPDF", {"printBackground": False})["data"])
    (SCREENSHOTS / f"{name}.pdf").write_bytes(pdf)
    pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
    check(2 <= pages <= 40, f"{name}: {pages} printed pages")
    problems_of(page, f"{name}, dark and printed")
    page.close()


def hostile(page):
    check(page.run("document.querySelector('#section-parameters') !== null"), "hostile: no table")
    check(page.run("window.hacked === undefined"), "hostile: a script of the result ran")
    check(page.run("document.body.textContent.includes('<script>window.hacked=1')"), "hostile: the name is not shown as text")
    check(page.run("document.querySelectorAll('img[src=x]').length") == 0, "hostile: an element of the result is in the page")


def ten_thousand(page):
    rows = page.run("document.querySelector('#section-parameters [role=status]').textContent")
    check("10,00" in rows, f"many: the table says {rows}")
    heads = """document.querySelectorAll('[data-table="parameters"] th button')"""
    columns = page.run(f"{heads}.length")
    sort = max(page.work_of(f"{heads}[{c}].click(), document.body.offsetHeight") for c in range(columns))
    search = page.work_of("""(() => { const field = document.querySelector('#section-parameters input[type=search]');
      field.value = 'x[77'; field.dispatchEvent(new Event('input')); return document.body.offsetHeight; })()""")
    print(f"  10,000 parameters: sorted in {sort:.3f} s, searched in {search:.3f} s")
    check(sort < MOST_SECONDS_TO_SORT and search < MOST_SECONDS_TO_SORT, f"many: sorted in {sort} s, searched in {search} s")
    check(all("x[77" in text for text in column(page, "parameters", 1)), "many: the search finds others")


def mixture(page):
    first = page.run("document.querySelector('[data-figure=components] .canvas').innerHTML.length")
    page.run("(() => { const s = document.querySelector('#section-components select'); s.value = '2'; s.dispatchEvent(new Event('change')); })()")
    check(page.run("document.querySelector('[data-figure=components]').textContent.includes('window.hacked')"), "mixture: the other column is not drawn")
    check(first > 1000, "mixture: no ellipses")
    check(page.run("document.querySelectorAll('[data-figure=components] circle').length") >= 200, "mixture: the rows are not drawn")
    check(page.run("window.hacked === undefined"), "mixture: a script of a column's name ran")


def topics(page):
    words = page.run("[...document.querySelectorAll('.topic')].map((t) => [...t.querySelectorAll('.word')].map((w) => w.textContent))")
    subject = {"goal", "match", "team", "coach", "league", "score"}
    check(len(words) == 3 and any(set(topic) == subject for topic in words), f"topics: {words}")
    page.run("document.querySelector('#section-topics input').focus()")
    page.type("tissue")
    check(page.run("[...document.querySelectorAll('.topic')].filter((t) => !t.hidden).length") == 1, "topics: the search")
    check(page.run("document.querySelectorAll('.topic b').length") == 0, "topics: a word became an element")


def live(browser, folder):
    """A page that follows a run: live while it runs, the report when it is over."""
    out = folder / "live" / "result"
    out.parent.mkdir()
    fit = results.start_long_fit(out)
    server = None
    try:
        results.wait_for_line(out / "events.jsonl", '"progress"')
        server = subprocess.Popen([results.KULLBACK, "serve", out], stdout=subprocess.PIPE, text=True)
        address = server.stdout.readline().split()[0]
        page = browser.open(address)
        page.wait_for("document.querySelector('#live')?.dataset.life === 'running' && !document.querySelector('#live').hidden")
        page.wait_for("document.querySelectorAll('#live progress').length === 2")
        done = "Number(document.querySelector('#live progress').value)"
        before = page.run(done)
        page.wait_for(f"{done} > {before}")
        page.wait_for("document.querySelector('#live svg path')")
        page.whole_screenshot(SCREENSHOTS / "live.png")
        page.run("window.beforeTheEnd = true")
        fit.send_signal(signal.SIGINT)
        fit.wait(60)
        page.wait_for("window.beforeTheEnd === undefined && document.documentElement?.dataset.ready === 'true'")
        page.wait_for("document.querySelector('#live').hidden")
        check(page.run("document.querySelector('#section-parameters') !== null"), "live: no table after the end")
        problems_of(page, "live")
        strange = [url for url in page.requests if not url.startswith((address, "data:", "blob:"))]
        check(not strange, f"live: requests {strange[:3]}")
        server.send_signal(signal.SIGINT)
        check(server.wait(10) == 0, f"live: Ctrl-C ends the server with {server.returncode}")
        page.wait_for("document.querySelector('#live').dataset.life === 'unknown'")
        page.close()
    finally:
        for process in (fit, server):
            if process and process.poll() is None:
                process.kill()


def main():
    if shutil.which("chromium") is None:
        sys.exit("chromium is missing: tools/setup.sh test installs it")
    wanted = sys.argv[1:]
    kinds = [kind for kind in results.KINDS + results.DEEP_KINDS if not wanted or kind.__name__ in wanted]
    if not results.has_deep():
        skipped = [kind.__name__ for kind in kinds if kind in results.DEEP_KINDS]
        print(f"skipped, as kullback-deep is not built: {', '.join(skipped)}")
        kinds = [kind for kind in kinds if kind not in results.DEEP_KINDS]
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="kullback-browser-"))
    more = {"hostile": hostile, "many": ten_thousand, "mixture": mixture, "topics": topics}
    try:
        with concurrent.futures.ThreadPoolExecutor(2) as pool, Browser() as browser:
            files = {kind.__name__: pool.submit(make, folder, kind) for kind in kinds}
            counter = PixelCounter(browser)
            for name, file in files.items():
                began = time.monotonic()
                page, figures = look_at(browser, counter, name, file.result())
                size = file.result().stat().st_size
                if name == "nuts":
                    sorting_and_searching(page)
                    choosing(page)
                    keyboard(browser, file.result())
                    check(size < 2_000_000, f"nuts: the page has {size} bytes")
                if name in ("nuts", "mixture"):
                    dark_and_print(browser, counter, name, file.result())
                if name in more:
                    more[name](page)
                problems_of(page, name)
                page.close()
                print(f"{name}: {figures} figures, {size / 1000:.0f} kB, {time.monotonic() - began:.1f} s", flush=True)
            if not wanted or "live" in wanted:
                live(browser, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{len(failures)} failed; screenshots in {SCREENSHOTS}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
