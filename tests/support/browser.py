"""A headless Chromium, driven over its debugging pipe with nothing but Python's standard library."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time


def find():
    """The browser's path, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        path = shutil.which(name)
        if path:
            return path
    return None


class Browser:
    """One tab. Every name resolves to nothing, so a page that asks for the network fails loudly; with local=True
    servers of this machine are there."""

    def __init__(self, local=False):
        self.profile = tempfile.mkdtemp(prefix="orthant-browser-")
        from_browser, write_end = os.pipe()
        read_end, to_browser = os.pipe()

        def pipes():  # Chromium reads commands from descriptor 3 and answers on 4
            first, second = os.dup(read_end), os.dup(write_end)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-background-networking", "--disable-extensions", "--hide-scrollbars",
             "--host-resolver-rules=MAP * ~NOTFOUND" + (", EXCLUDE 127.0.0.1" if local else ""), "--remote-debugging-pipe",
             "--user-data-dir=" + self.profile, "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=pipes, close_fds=False)
        os.close(read_end)
        os.close(write_end)
        self.to_browser, self.from_browser = to_browser, from_browser
        self.buffer, self.number, self.events, self.session = b"", 0, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.to_browser)
        os.close(self.from_browser)
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self):
        while b"\0" not in self.buffer:
            block = os.read(self.from_browser, 1 << 16)
            if not block:
                raise RuntimeError("the browser has gone")
            self.buffer += block
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def emulate(self, width, height=900, dark=False, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path, script=True, seconds=30):
        """Loads a file or an address; self.events holds what happened on the way."""
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        self.events = []
        self.call("Page.navigate", url=path if path.startswith("http://127.0.0.1:") else "file://" + os.path.abspath(path))
        end = time.time() + seconds
        while not any(e["method"] == "Page.loadEventFired" for e in self.events):
            if time.time() > end:
                raise RuntimeError(f"{path}: not loaded after {seconds} s")
            event = self.receive()
            if "method" in event:
                self.events.append(event)

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def evaluate_later(self, expression):
        """What a promise comes to."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def key(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                      text="\r" if kind == "keyDown" and key == "Enter" else "")

    def mouse(self, kind, x, y, down=False):
        """kind: mouseMoved, mousePressed, mouseReleased."""
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if down or kind != "mouseMoved" else "none",
                  buttons=1 if down else 0, clickCount=0 if kind == "mouseMoved" else 1)

    def screenshot(self, path, whole=True, clip=None):
        """clip: left, top, width and height on the page."""
        part = {"clip": dict(zip(("x", "y", "width", "height"), clip), scale=1)} if clip else {}
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **part)
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))

    def complaints(self):
        """Console errors, exceptions and requests to anything but files, data and the page's own downloads, since open()."""
        found = []
        for event in self.events:
            name, parameters = event["method"], event.get("params", {})
            if name == "Runtime.exceptionThrown":
                found.append("exception: " + parameters["exceptionDetails"].get("text", ""))
            elif name == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                found.append("console: " + json.dumps(parameters["args"]))
            elif name == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append("log: " + parameters["entry"]["text"])
            elif name == "Network.requestWillBeSent":
                url = parameters["request"]["url"]
                if not url.startswith(("data:", "blob:")) and url != parameters["documentURL"]:
                    found.append("request: " + url)
        return found
