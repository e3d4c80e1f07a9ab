#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Opens pages of `report` in a headless Chromium, driven by ChromeDriver's HTTP interface, and checks that they work.

    tests/browser.py PAGE.html...

Prints "ok NAME" or "not ok NAME: why" per check; exit status 0.  Without Chromium it prints "skipped browser: why".
"""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.request


class Browser:
    def __init__(self, driver, chromium):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen([driver, f"--port={self.port}"], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        while True:  # until it answers
            try:
                if self.call("GET", "/status")["ready"]:
                    break
            except OSError:
                if self.process.poll() is not None:
                    raise RuntimeError("chromedriver ended")
                time.sleep(0.05)
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:loggingPrefs": {"browser": "ALL"},
            "goog:chromeOptions": {"binary": chromium, "args": ["--headless=new", "--no-sandbox", "--disable-gpu",
                                                                "--disable-dev-shm-usage", "--window-size=1200,1000"]},
        }}})
        self.session = "/session/" + answer["sessionId"]

    def call(self, method, path, body=None):
        data = None if method == "GET" else json.dumps(body or {}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, method=method,
                                         headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["value"]

    def open(self, path):
        self.call("POST", self.session + "/url", {"url": path.resolve().as_uri()})

    def run(self, script, *args):
        return self.call("POST", self.session + "/execute/async", {
            "script": "const done=arguments[arguments.length-1];(async()=>{" + script + "})().then(done,e=>done('error: '+e))",
            "args": list(args)})

    def console(self):
        return self.call("POST", self.session + "/se/log", {"type": "browser"})

    def end(self):
        try:
            self.call("DELETE", self.session)
        finally:
            self.process.terminate()
            self.process.wait()


def check(name, holds, why=""):
    print(f"ok {name}" if holds else f"not ok {name}: {why}")


UNTIL = """const until=async f=>{for(;;){const v=f();if(v)return v;await new Promise(r=>setTimeout(r,20))}};"""

MOVES = UNTIL + """
const figure=[...document.querySelectorAll('figure.steps.live')].find(f=>f.querySelector('input').max>0);
if(!figure)return 'no slider';
const range=figure.querySelector('input'),out=figure.querySelector('output');
const view=figure.querySelector('.views>div'),text=figure.querySelector('figcaption');
const before=[view.innerHTML,text.textContent,out.textContent];
range.value=0;range.dispatchEvent(new Event('input'));
await until(()=>out.textContent!==before[2]);
const same=[view.innerHTML===before[0],text.textContent===before[1]];
range.value=range.max;range.dispatchEvent(new Event('input'));
await until(()=>out.textContent===before[2]);
return {changed:!same[0]&&!same[1],back:view.innerHTML===before[0]&&text.textContent===before[1],
        svg:!!view.querySelector('svg')};
"""

PLAYS = UNTIL + """
const figure=[...document.querySelectorAll('figure.steps.live')].find(f=>f.querySelector('input').max>0);
const play=figure.querySelector('button'),range=figure.querySelector('input');
play.click();
await until(()=>range.value==='1');
await until(()=>range.value===range.max&&play.textContent==='play');
return true;
"""


def main():
    driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
    if not driver or not chromium:
        print("skipped browser: chromium and chromium-driver are not installed")
        return
    browser = Browser(driver, chromium)
    try:
        for page in map(pathlib.Path, sys.argv[1:]):
            name = page.stem
            browser.open(page)
            moved = browser.run(MOVES)
            if moved != "no slider" or name == "gap":
                check(f"{name}: the slider changes pictures and text, and back", isinstance(moved, dict)
                      and moved["changed"] and moved["back"] and moved["svg"], moved)
            if name == "gap":
                check(f"{name}: play goes to the last step", browser.run(PLAYS) is True)
            fetched = browser.run("return performance.getEntriesByType('resource').map(e=>e.name.slice(0,80))"
                                  ".filter(n=>!n.startsWith('data:'))")
            check(f"{name}: nothing is fetched", fetched == [], fetched)
            count = browser.run("return [document.querySelectorAll('figure svg').length,"
                                "document.querySelectorAll('figure svg use').length,"
                                "[...document.querySelectorAll('[id]')].length-"
                                "new Set([...document.querySelectorAll('[id]')].map(e=>e.id)).size]")
            check(f"{name}: no identifier stands twice", count[2] == 0, count)
            errors = browser.console()
            check(f"{name}: no error in the console", errors == [], str(errors)[:300])
            if os.environ.get("SHOTS"):
                import base64
                shot = browser.call("GET", browser.session + "/screenshot")
                (pathlib.Path(os.environ["SHOTS"]) / f"{name}.png").write_bytes(base64.b64decode(shot))
    finally:
        browser.end()


main()
