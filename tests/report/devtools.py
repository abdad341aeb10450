"""A headless Chromium driven by its DevTools protocol over two pipes (--remote-debugging-pipe): JSON texts that end with a zero
byte. Needs nothing but the standard library and Debian's chromium."""
import base64
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
           "--disable-extensions", "--disable-background-networking", "--disable-sync", "--mute-audio",
           "--force-device-scale-factor=1", "--window-size=1280,900", "--remote-debugging-pipe"]


class DevToolsError(Exception):
    pass


class Browser:
    def __init__(self, program="chromium"):
        self.profile = tempfile.mkdtemp(prefix="kullback-chromium-")
        to_child, self.write_end = self._high_pipe()
        self.read_end, from_child = self._high_pipe()

        def hand_over():
            os.dup2(to_child, 3)
            os.dup2(from_child, 4)

        self.process = subprocess.Popen(
            [program, *OPTIONS, f"--user-data-dir={self.profile}", "about:blank"], pass_fds=(3, 4), preexec_fn=hand_over,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_child)
        os.close(from_child)
        self.received, self.next_id, self.answers, self.pages = b"", 0, {}, {}

    @staticmethod
    def _high_pipe():
        """Numbers beyond those that the child gets."""
        ends = os.pipe()
        high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for end in ends)
        for end in ends:
            os.close(end)
        return high

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close", timeout=5)
            self.process.wait(5)
        except (DevToolsError, subprocess.TimeoutExpired, OSError):
            os.killpg(self.process.pid, signal.SIGKILL)  # the group that this object began
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def pump(self, timeout):
        """Reads what is there; events go to their pages."""
        if not select.select([self.read_end], [], [], timeout)[0]:
            return False
        piece = os.read(self.read_end, 1 << 20)
        if not piece:
            raise DevToolsError("the browser has ended")
        self.received += piece
        *messages, self.received = self.received.split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self.answers[message["id"]] = message
            elif message.get("sessionId") in self.pages:
                self.pages[message["sessionId"]].note(message["method"], message["params"])
        return True

    def call(self, method, params=None, session=None, timeout=120):
        self.next_id += 1
        message = {"id": self.next_id, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_end, data):]
        number, deadline = self.next_id, time.monotonic() + timeout
        while number not in self.answers:
            if time.monotonic() > deadline:
                raise DevToolsError(f"{method}: no answer in {timeout} s")
            self.pump(0.5)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise DevToolsError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, url, ready="document.documentElement?.dataset.ready === 'true'"):
        page = Page(self)
        page.go(url, ready)
        return page


class Page:
    """A tab. `problems` are console errors, warnings and exceptions; `requests` the addresses that were asked for."""

    def __init__(self, browser):
        self.browser, self.problems, self.requests = browser, [], []
        self.target = browser.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = browser.call("Target.attachToTarget", {"targetId": self.target, "flatten": True})["sessionId"]
        browser.pages[self.session] = self
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def note(self, method, params):
        if method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.problems.append(" ".join(str(a.get("value", a.get("description"))) for a in params["args"]))
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def call(self, method, params=None, timeout=120):
        return self.browser.call(method, params, self.session, timeout)

    def go(self, url, ready):
        self.call("Page.navigate", {"url": url})
        self.wait_for(ready)

    def run(self, script, timeout=120):
        """The value of an expression; promises are waited for."""
        result = self.call("Runtime.evaluate", {"expression": script, "returnByValue": True, "awaitPromise": True}, timeout)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise DevToolsError(details.get("exception", {}).get("description", details["text"]) + f"\nin {script[:200]}")
        return result["result"].get("value")

    def wait_for(self, script, timeout=60):
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            try:
                if self.run(f"Boolean({script})"):
                    return
            except DevToolsError as error:  # the page is on its way to another
                if "context" not in str(error):
                    raise
            time.sleep(0.03)
        raise DevToolsError(f"this did not come true in {timeout} s: {script}; problems: {self.problems}")

    def work_of(self, script):
        """Seconds of the page's own thread for a script, layout included: what else the machine does is not in it."""
        self.call("Performance.enable", {"timeDomain": "threadTicks"})
        used = lambda: {m["name"]: m["value"] for m in self.call("Performance.getMetrics")["metrics"]}["TaskDuration"]  # noqa: E731
        before = used()
        self.run(script)
        return used() - before

    def click(self, selector):
        self.run(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center', behavior: 'instant'}})")
        box = self.run(f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                       " return [b.x + b.width / 2, b.y + b.height / 2]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", {"type": kind, "x": box[0], "y": box[1], "button": "left", "clickCount": 1})

    def press(self, key, code=None):
        text = {"Enter": "\r", " ": " "}.get(key, key if len(key) == 1 else "")
        number = {"Enter": 13, "Tab": 9, " ": 32}.get(key, 0)
        base = {"key": key, "code": code or key, "windowsVirtualKeyCode": number, "nativeVirtualKeyCode": number}
        self.call("Input.dispatchKeyEvent", {**base, "type": "keyDown" if text else "rawKeyDown", "text": text})
        self.call("Input.dispatchKeyEvent", {**base, "type": "keyUp"})

    def type(self, text):
        self.call("Input.insertText", {"text": text})

    def screenshot(self, path=None, clip=None):
        options = {"format": "png", "captureBeyondViewport": True}
        if clip:
            options["clip"] = {**clip, "scale": 1}
        picture = self.call("Page.captureScreenshot", options, timeout=120)["data"]
        if path:
            path.write_bytes(base64.b64decode(picture))
        return picture

    def whole_screenshot(self, path, most=16000):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return self.screenshot(path, {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], most)})

    def close(self):
        self.browser.call("Target.closeTarget", {"targetId": self.target})
        del self.browser.pages[self.session]


class PixelCounter:
    """Looks at pictures in a tab of its own, where no page forbids it."""
    SCRIPT = """(async (data, boxes) => {
      const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], {type: "image/png"}));
      const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      const luminance = (p) => (0.2126 * (p & 255) + 0.7152 * ((p >> 8) & 255) + 0.0722 * ((p >> 16) & 255)) / 255;
      return (boxes ?? [{x: 0, y: 0, width: image.width, height: image.height}]).map(({x, y, width, height}) => {
        const part = context.getImageData(Math.round(x), Math.round(y), Math.max(1, Math.round(width)), Math.max(1, Math.round(height)));
        const pixels = new Uint32Array(part.data.buffer);
        const counts = new Map();
        for (let i = 0, end; i < pixels.length; i = end) {  // runs of one colour
          for (end = i + 1; end < pixels.length && pixels[end] === pixels[i];) ++end;
          counts.set(pixels[i], (counts.get(pixels[i]) ?? 0) + end - i);
        }
        let [background, most] = [0, 0];
        for (const [p, n] of counts) if (n > most) [background, most] = [p, n];
        return {pixels: pixels.length, drawn: pixels.length - most, colours: counts.size, background: luminance(background)};
      });
    })"""

    def __init__(self, browser):
        self.page = Page(browser)

    def count(self, picture, boxes=None):
        """Of each box: its pixels, those that are not of the commonest colour, the number of colours, how light the commonest is."""
        return self.page.run(f'{self.SCRIPT}("{picture}", {json.dumps(boxes)})')
