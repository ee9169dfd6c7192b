"""Asks `orthant view` for what it has and for what it must not give: see test_view.sh, which makes the runs."""
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

COMMAND = sys.argv[1]


class View:
    """The command at work; at the end Ctrl-C, which has to end it with 0."""

    def __init__(self, *words):
        self.process = subprocess.Popen([COMMAND, "view", *words, "--no-browser"], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, restore_signals=True,
                                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        self.address = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", self.address)
        assert found, self.address
        self.port, self.token = int(found[1]), found[2]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        assert self.process.poll() is None, f"ended by itself: {self.process.stderr.read()}"
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(10) == 0
        said = self.process.stderr.read()
        assert "until Ctrl-C" in said and "ended" in said, said

    def get(self, path):
        try:
            with urllib.request.urlopen(self.address + path, timeout=10) as answer:
                return answer.status, answer.read(), answer.headers
        except urllib.error.HTTPError as error:
            return error.code, error.read(), error.headers

    def raw(self, request, wait=10.0):
        """The answer to bytes that need be no request; b'' where the server hangs up."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=wait) as s:
            s.settimeout(wait)
            got = b""
            try:
                s.sendall(request)
                while piece := s.recv(65536):
                    got += piece
            except (ConnectionResetError, BrokenPipeError):
                pass
            return got

    def status(self, request):
        got = self.raw(request)
        return int(got.split()[1]) if got else 0


def check_files(view):
    page = pathlib.Path("runs/run/report.html").read_bytes()
    status, body, headers = view.get("")
    assert (status, body) == (200, page)
    assert headers["Content-Type"].startswith("text/html") and headers["Cache-Control"] == "no-store"
    assert headers["X-Content-Type-Options"] == "nosniff" and "default-src 'self'" in headers["Content-Security-Policy"]
    assert view.get("report.html")[1] == page
    status, body, headers = view.get("run.json")
    assert json.loads(body)["rank"] == 3 and headers["Content-Type"] == "application/json"
    assert view.get("basis%2enpy")[1] == pathlib.Path("runs/run/basis.npy").read_bytes()
    assert view.get("charts/convergence.gp")[0] == 200
    assert view.get("history")[0] == 404, "no fit is being made"


def check_refusals(view):
    for path in ["../secret.txt", "..%2fsecret.txt", "%2e%2e/secret.txt", "charts/../../secret.txt", "out.txt", "above/secret.txt",
                 ".hidden", "pipe", "charts", "charts/", "/etc/passwd", "//etc/passwd", "", "run.json/", "missing", "a" * 300]:
        request = f"GET /{view.token}/{path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        assert view.status(request) == (404 if path else 200), path
    for path in ["%zz", "%4", "a%00b", "a%0ab"]:
        assert view.status(f"GET /{view.token}/{path} HTTP/1.1\r\n\r\n".encode()) == 400, path
    wrong = ("0" if view.token[0] != "0" else "1") + view.token[1:]
    for path in [f"/{wrong}/", f"/{view.token[:-1]}/", f"/{view.token}", f"/{view.token}x/run.json", "/", "/favicon.ico"]:
        assert view.status(f"GET {path} HTTP/1.1\r\n\r\n".encode()) == 404, path
    for method in ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "get"]:
        assert view.status(f"{method} /{view.token}/ HTTP/1.1\r\n\r\n".encode()) == 405, method


def check_hostile(view):
    for request in [b"\r\n\r\n", b"GET\r\n\r\n", b"GET / \r\n\r\n", b"GET http://x/ HTTP/1.1\r\n\r\n", b"\x00\x01\x02\r\n\r\n",
                    b"GET / HTTP/1.1\x00\r\n\r\n", b"\xff" * 100 + b"\r\n\r\n"]:
        assert view.status(request) == 400, request
    assert view.status(b"GET /" + b"a" * 100000) in (0, 431)
    assert view.status(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20000) in (0, 431)
    # Half requests, more than there may be: who comes later is answered when their time is over.
    halves = [socket.create_connection(("127.0.0.1", view.port)) for _ in range(60)]
    for s in halves:
        s.sendall(b"GET /" + view.token.encode()[:7])
    began = time.monotonic()
    while True:
        try:
            if view.status(f"GET /{view.token}/run.json HTTP/1.1\r\n\r\n".encode()) == 200:
                break
        except OSError:
            pass
        assert time.monotonic() - began < 30, "half requests keep others out"
        time.sleep(0.2)
    for s in halves:
        s.close()
    # One who asks and does not read, and one who hangs up.
    slow = socket.create_connection(("127.0.0.1", view.port))
    slow.sendall(f"GET /{view.token}/report.html HTTP/1.1\r\n\r\n".encode())
    gone = socket.create_connection(("127.0.0.1", view.port))
    gone.sendall(f"GET /{view.token}/report.html HTTP/1.1\r\n\r\n".encode())
    gone.close()
    assert view.get("run.json")[0] == 200
    slow.close()
    for _ in range(200):
        assert view.get("run.json")[0] == 200
    # Nobody but this machine: the port is not open on other addresses.
    hostname = socket.gethostbyname(socket.gethostname()) if socket.gethostname() else "127.0.0.1"
    if not hostname.startswith("127."):
        try:
            socket.create_connection((hostname, view.port), timeout=2).close()
            raise AssertionError("the port is open to others")
        except OSError:
            pass


def check_live():
    fit = subprocess.Popen([COMMAND, "fit", "blocks.csv", "-m", "nmf-kl", "-k", "3", "--iterations", "1000000000", "--tolerance", "0",
                            "--quiet", "-o", "runs/live"], stdout=subprocess.DEVNULL)
    for _ in range(100):
        if any(path.stat().st_size for path in pathlib.Path("runs").glob("live.part-*/history.csv")):
            break
        time.sleep(0.1)
    with View("runs/live") as view:
        status, body, _ = view.get("")
        assert status == 200 and b"A fit that is being made" in body
        time.sleep(2)
        lines = view.get("history")[1].decode().splitlines()
        assert lines[0] == "iteration,objective,seconds" and len(lines) >= 4, lines
        rows = [[float(cell) for cell in line.split(",")] for line in lines[1:]]
        assert all(b[0] > a[0] and b[1] <= a[1] * (1 + 1e-6) and b[2] > a[2] for a, b in zip(rows, rows[1:])), rows
        fit.terminate()
        assert fit.wait(30) == 143
        assert view.get("history")[0] == 404
        assert view.get("")[1] == pathlib.Path("runs/live/report.html").read_bytes()
    assert not list(pathlib.Path("runs").glob("*.part-*"))


with View("runs/run") as first, View("runs/link") as second:
    assert first.token != second.token and first.port != second.port
    check_files(first)
    check_files(second)
    check_refusals(first)
    check_hostile(first)
shown = subprocess.Popen([COMMAND, "view", "runs/run", "--no-browser", "--json", "--quiet"], stdout=subprocess.PIPE, text=True)
text = "".join(iter(shown.stdout.readline, "}\n")) + "}"
assert json.loads(text)["address"].startswith("http://127.0.0.1:")
shown.terminate()
assert shown.wait(10) == 0
check_live()
print("ok")
