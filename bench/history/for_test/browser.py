"""A headless Chromium for tests, spoken to through its pipe (the DevTools protocol: JSON between zero bytes)."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ANSWER_SECONDS = 60
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-extensions"]


class Browser:
    """One page of its own; ends with the `with`."""

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, self.to_browser = os.pipe()
        self.from_browser, theirs_out = os.pipe()
        # Chromium reads its descriptor 3 and writes to 4.
        start = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
        command = [CHROMIUM, *OPTIONS, "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", "about:blank"]
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(["bash", "-c", start, *command], pass_fds=(theirs_in, theirs_out), **quiet)
        os.close(theirs_in)
        os.close(theirs_out)
        self.unread, self.session, self.number = b"", None, 0
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)
        self.profile.cleanup()

    def ask(self, method, **parameters):
        """The answer of Chromium; events meanwhile are dropped."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + ANSWER_SECONDS
        while True:
            answer = self.next_message(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]

    def next_message(self, until):
        while b"\0" not in self.unread:
            ready, _, _ = select.select([self.from_browser], [], [], max(0, until - time.monotonic()))
            if not ready:
                raise AssertionError(f"Chromium gave no answer within {ANSWER_SECONDS} s")
            read = os.read(self.from_browser, 1 << 20)
            if not read:
                raise AssertionError("Chromium ended")
            self.unread += read
        message, _, self.unread = self.unread.partition(b"\0")
        return json.loads(message)

    def open(self, path, width=1280, height=1600, dark=False, touch=False):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": touch}
        self.ask("Emulation.setDeviceMetricsOverride", **metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        self.ask("Page.navigate", url=f"file://{path}")
        until = time.monotonic() + ANSWER_SECONDS
        while self.value_of("document.readyState + location.protocol") != "completefile:":
            if time.monotonic() > until:
                raise AssertionError(f"{path} was not loaded within {ANSWER_SECONDS} s")
            time.sleep(0.05)

    def value_of(self, expression):
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def move_to(self, x, y):
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=CODES.get(key, 0))

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))


CODES = {"Tab": 9, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowRight": 39, "Escape": 27}
