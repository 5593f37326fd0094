#!/usr/bin/env python3
"""Loads the HTML report of assay check in a browser, offline from its file, as a desktop and as a
phone would; and reads the JUnit report as XML.

usage: check_page.py PROGRAM FOLDER      (screenshots and reports go to FOLDER)

Exit code: 0 right, 1 wrong, 77 no browser (ci/bootstrap report brings one).
"""
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
import browser

HOSTILE = "<img src=http://example.invalid/x onerror=alert(1)>&\"'"
MUTANTS = {
    "schema": "assay.mutate/1",
    "totals": {"applied": 3, "killed": 2, "survived": 1, "equivalent": 0, "refused": 0,
               "not_run": 0},
    "rows": [
        {"id": "one", "class": "SPEC", "status": "killed", "killed_by": "bounds",
         "case": "rms_norm dt=f32 rows=2", "message": HOSTILE},
        {"id": "two", "class": "SPEC OOB", "status": "killed", "killed_by": HOSTILE, "case": "",
         "message": ""},
        {"id": HOSTILE, "class": HOSTILE, "status": "survived", "killed_by": "", "case": "",
         "message": HOSTILE},
    ],
}

# Least contrast of all texts on the page, WCAG 2.1: text against the nearest painted ancestor.
CONTRAST = """(() => {
  const rgb = c => (c.match(/[\\d.]+/g) || []).map(Number);
  const light = c => { const [r, g, b] = rgb(c).slice(0, 3).map(v => {
    v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
    return .2126 * r + .7152 * g + .0722 * b; };
  let least = 99, where = '';
  for (const e of document.body.querySelectorAll('*')) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    if (!e.getClientRects().length) continue;
    let p = e;
    while (p !== document.documentElement && (rgb(getComputedStyle(p).backgroundColor)[3] === 0))
      p = p.parentElement;
    const ground = light(getComputedStyle(p).backgroundColor);
    const s = getComputedStyle(e), text = light(e instanceof SVGElement ? s.fill : s.color);
    const ratio = (Math.max(text, ground) + .05) / (Math.min(text, ground) + .05);
    if (ratio < least) { least = ratio; where = e.tagName + ': ' + e.textContent.slice(0, 40); }
  }
  return [least, where];
})()"""


def make_reports(program, folder, name, expected, *arguments):
    paths = {kind: os.path.join(folder, f"{name}.{kind}") for kind in ("html", "xml", "json")}
    mutants = os.path.join(folder, "mutants.json")
    with open(mutants, "w") as file:
        json.dump(MUTANTS, file)
    run = subprocess.run(
        [program, "check", "--level", "smoke", "--quiet", "--html", paths["html"], "--junit",
         paths["xml"], "--json", paths["json"], "--mutants", mutants, *arguments],
        capture_output=True, text=True)
    if run.returncode != expected:
        sys.exit(f"assay check {arguments}: exit {run.returncode}, expected {expected}\n"
                 f"{run.stdout}{run.stderr}")
    return paths


def junit_wrong(paths):
    """The JUnit report against the JSON report of the same run."""
    rows = json.load(open(paths["json"]))["rows"]
    cases = [c.get("name") for c in xml.parse(paths["xml"]).getroot().iter("testcase")]
    failures = [f.get("type") for f in xml.parse(paths["xml"]).getroot().iter("failure")]
    wrong = []
    if sorted(cases) != sorted(r["case"] for r in rows):
        wrong.append("JUnit and JSON name other cases")
    if len(failures) != sum(r["verdict"] == "FAILED" for r in rows):
        wrong.append(f"{len(failures)} JUnit failures")
    return wrong


def events_wrong(events):
    for event in events:
        method, params = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if not url.startswith(("file://", "data:")):
                yield f"asks for {url}"
        elif method in ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"):
            yield f"{method}: {json.dumps(params)[:300]}"


def page_wrong(page, path, folder, name):
    for width, dark in ((1280, False), (1280, True), (360, False), (360, True)):
        label = f"{name} at {width}{' dark' if dark else ''}"
        for what in events_wrong(page.open(path, width, 900, dark)):
            yield f"{label}: {what}"
        for state in ("closed", "open"):
            wide = page.evaluate("document.documentElement.scrollWidth")
            if wide > width:
                yield f"{label}, details {state}: {wide} pixels wide"
            least, where = page.evaluate(CONTRAST)
            if least < 4.5:
                yield f"{label}, details {state}: contrast {least:.2f} of {where}"
            page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        if page.evaluate("[...document.images].some(i => !i.alt || !i.naturalWidth)"):
            yield f"{label}: a picture without a text, or that cannot be read"
        if page.evaluate("[...document.querySelectorAll('svg')].some(s => !s.ariaLabel)"):
            yield f"{label}: a drawing without a text"
        if page.evaluate("document.querySelectorAll('script, iframe, img:not([src^=data])').length"):
            yield f"{label}: hostile text became markup"
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = false)")
        page.screenshot(os.path.join(folder, f"{name}-{width}{'-dark' if dark else ''}.png"), 2400)
    levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3')].map(h => +h.tagName[1])")
    if levels[0] != 1 or any(b - a > 1 for a, b in zip(levels, levels[1:])):
        yield f"{name}: headings skip a level: {levels}"


def main():
    program, folder = sys.argv[1:]
    chromium = browser.find()
    if not chromium:
        print("no browser: ci/bootstrap report brings one")
        return 77
    os.makedirs(folder, exist_ok=True)
    runs = {"passed": make_reports(program, folder, "passed", 0),
            "failed": make_reports(program, folder, "failed", 1, "rms_norm", "--contract", "h=1",
                                   "--no-trust")}
    wrong = []
    page = browser.Browser(chromium)
    try:
        for name, paths in runs.items():
            wrong += junit_wrong(paths)
            wrong += page_wrong(page, paths["html"], folder, name)
    finally:
        page.close()
    for line in wrong:
        print(line)
    print(f"{len(runs)} pages, {len(wrong)} wrong; screenshots in {folder}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
