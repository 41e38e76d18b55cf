"""A page on this machine that shows a running solver and steers it."""

import hmac
import http.server
import importlib.resources
import json
import logging
import secrets
import struct
import sys
import threading
import time

import numpy as np

from .. import STOP
from ._arrays import interior, to_numpy, values
from ._svd import StreamingSVD

__all__ = ["Live"]

log = logging.getLogger("ferrocca")

#: Most points of a frame that is sent; of more, every so many-th.
MOST_POINTS = 1 << 14
#: The same for the decomposition.
MOST_POINTS_OF_MODES = 1 << 11
#: How soon the thread that computes gets Python's lock back from one that serves the page, in seconds.
SWITCH_INTERVAL = 5e-4
#: Longest wait of a request for the next frame, in seconds.
LONGEST_WAIT = 1.0
#: How often a frame's interval the hook looks for what is asked; the solver is not stopped more often.
LOOKS = 4
#: At most so many steps lie between two looks.
MOST_STEPS = 1 << 20


class Live:
    """A hook that serves one page: the field now, space and time, modes and singular values, speed, memory.

    Open the address that `start` prints. With the token behind its ``#`` the page pauses, steps and stops the run, and sets
    the parameters that the solver lets be set; without it the page only looks. Only this machine is served, only under its
    own names, and only pages from here are obeyed (Host and Origin are checked).

    A frame is taken when the page asks for one, at most `rate` a second. The solver stops for the hook some hundred times a
    second, however short its steps are; while the run is paused and goes on by single steps, after each.
    `field` is the first one where none is named. On a run that is paused the first Ctrl-C waits for the page; the second ends
    the program. `port` 0 takes any free one; then ``live.url`` is the address.
    """

    def __init__(self, port=0, *, field=None, rate=30.0, rank=6, announce=print):
        self._port, self._field, self._interval, self._rank, self._announce = port, field, 1.0 / rate, rank, announce
        self.url = self.token = None
        self._server = None
        self._every = 1

    #: Beside other hooks it looks when they are called, if that is often enough.
    _takes_any = True

    # --- the solver's side

    def start(self, run):
        """The run begins: serves the page, and tells its address with the token, ``self.url``.

        Raises OSError for a port that is taken.
        """
        self.token = secrets.token_urlsafe(16)
        self._condition = threading.Condition()
        self._wanted = self._is_paused = self._is_over = False
        self._steps_allowed = 0
        self._commands = []
        #: The steps that the hook wants: multiples of this number. It follows the time that they take.
        self._every = 1
        self._looked_at = time.monotonic()
        #: Something is to be done at the next step: the one thing that is looked at at every step.
        self._is_called = False
        self._newest, self._sequence, self._due_at, self._taken_step = None, 0, -1e9, -1
        self._packing, self._packet = threading.Lock(), (0, b"")
        self._speed = (time.monotonic(), None, 0.0)
        self._message, self._has_news = "", False
        self._svd = StreamingSVD(self._rank, block=1, coefficients=False)
        self._points = run.parameters.get("points")
        self._about = {
            "name": run.name, "mode": run.mode, "device": run.device, "length": run.parameters.get("length"),
            "final_time": run.parameters.get("final_time"), "dt": run.parameters.get("dt"),
        }
        try:
            self._server = Server(self, self._port)
        except OSError as error:
            raise OSError(error.errno, f"the live page cannot be served on 127.0.0.1:{self._port}: {error.strerror}") from None
        self._switch_interval = sys.getswitchinterval()
        sys.setswitchinterval(min(SWITCH_INTERVAL, self._switch_interval))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/#{self.token}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), name="ferrocca live", daemon=True).start()
        if self._announce:
            self._announce(f"live: {self.url}")

    def step(self, frame):
        """Does what the page asks for: takes the field when one is wanted, steers, holds the run while it is paused.

        Answers `ferrocca.STOP` when the page ends the run.
        """
        answer = self._act(frame) if self._is_called else None
        self._choose_every()
        return answer

    def _choose_every(self):
        """Powers of two, so that a step that is looked at is one of any smaller number too."""
        before, self._looked_at = self._looked_at, time.monotonic()
        if self._is_paused:
            self._every = 1
            return
        # The time from look to look, without that of this one.
        between = self._looked_at - before
        if between < self._interval / LOOKS / 2 and self._every < MOST_STEPS:
            self._every *= 2
        elif between > self._interval / LOOKS and self._every > 1:
            self._every //= 2

    def interrupt(self):
        """Ends a pause, because the run is to end."""
        self.command({"pause": False})

    def finish(self, run):
        """The run is over: tells the page, and serves no longer."""
        with self._condition:
            self._is_over = True
            self._condition.notify_all()
        server, self._server = self._server, None
        server.shutdown()
        server.server_close()
        sys.setswitchinterval(self._switch_interval)

    def _act(self, frame):
        answer = None
        while True:
            with self._condition:
                commands, self._commands = self._commands, []
            for command in commands:
                answer = self._obey(command, frame) or answer
            now = time.monotonic()
            # A page that has this step already gets nothing new before the next one, or what a command has changed.
            self._has_news = self._has_news or bool(commands)
            is_new = frame.step != self._taken_step or self._has_news
            # Not late by as much as a look may be.
            is_due = now >= self._due_at - self._interval / LOOKS / 2
            if self._wanted and is_new and (is_due or self._is_paused):
                self._take(frame, now)
            with self._condition:
                if answer is not None or not self._is_paused:
                    self._is_called = self._is_called and (self._wanted or bool(self._commands) or self._is_paused)
                    return answer
                if self._steps_allowed > 0:
                    self._steps_allowed -= 1
                    return None
                # Short waits, so that Python handles Ctrl-C.
                if not self._commands:
                    self._condition.wait(0.1)

    def _obey(self, command, frame):
        self._message = ""
        try:
            if "pause" in command:
                self._is_paused = bool(command["pause"])
            if "step" in command:
                self._is_paused, self._steps_allowed = True, max(0, int(command["step"]))
            if command.get("set"):
                frame.set(**{name: float(value) for name, value in command["set"].items()})
            if command.get("stop"):
                return STOP
        except Exception as error:  # the page is told, the run goes on
            self._message = str(error)
        return None

    def _take(self, frame, now):
        field = frame.fields[self._field] if self._field else next(iter(frame.fields.values()))
        row = to_numpy(interior(values(field), self._points)).reshape(-1)
        total, stride = row.size, -(-row.size // MOST_POINTS)
        # Only the copy is made here; the thread that serves the page does the rest.
        row = np.array(row[::stride], np.float64)
        before, step, speed = self._speed
        if step is None or now - before > 0.5:
            speed = 0.0 if step is None else (frame.step - step) / (now - before)
            self._speed = (now, frame.step, speed)
        head = {
            **self._about, "step": frame.step, "time": frame.time, "speed": speed, "stride": stride, "points": row.size,
            "total": total, "field": field.name,
            "message": self._message, "paused": self._is_paused,
            "parameters": {k: v for k, v in frame.parameters.items() if isinstance(v, int | float)},
        }
        with self._condition:
            self._sequence += 1
            head["sequence"] = self._sequence
            self._newest = (head, row)
            self._due_at = max(self._due_at, now - self._interval) + self._interval
            self._wanted, self._taken_step, self._has_news = False, frame.step, False
            self._condition.notify_all()

    # --- the page's side

    def next_packet(self, after):
        """The newest frame; the next one if the page has that. Empty when none comes in time, None when the run is over."""
        with self._condition:
            self._wanted = self._is_called = True
            self._condition.notify_all()
            self._condition.wait_for(lambda: self._is_over or self._sequence > after, LONGEST_WAIT)
            if self._sequence <= after:
                return None if self._is_over else b""
            head, row = self._newest
        # Several pages share it.
        with self._packing:
            sequence, packet = self._packet
            if sequence != head["sequence"]:
                packet = self._pack(head, row)
                self._packet = (head["sequence"], packet)
        return packet

    def _pack(self, head, row):
        """Length of the head, the head as JSON, the field and its modes as `float`."""
        is_finite = bool(np.isfinite(row).all())
        # The thread that computes waits for Python's lock meanwhile: this is kept short.
        thin = row[:: -(-row.size // MOST_POINTS_OF_MODES)]
        if is_finite:
            self._svd.update(thin)
        modes, singular = np.zeros((0, thin.size)), []
        if self._svd.count:
            modes, singular = self._svd.modes[:3], self._svd.values.tolist()
        head = {**head, "modes": len(modes), "mode_points": thin.size, "values": singular, "finite": is_finite, "memory": memory()}
        text = json.dumps(head).encode()
        text += b" " * (-len(text) % 4)
        body = np.concatenate([row, modes.reshape(-1)]).astype("<f4").tobytes()
        return struct.pack("<I", len(text)) + text + body

    def command(self, command):
        """What a page with the token asks for, from any thread, for the next step: a dictionary with any of ``pause`` (true or false),
        ``step`` (a number of steps), ``stop``, ``set`` (values by the names of parameters)."""
        with self._condition:
            self._commands.append(command)
            self._is_called = True
            self._condition.notify_all()


def memory():
    """Most bytes that this process has held."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, live, port):
        super().__init__(("127.0.0.1", port), Handler)
        self.live = live
        own = self.server_address[1]
        self.hosts = {f"{name}:{own}" for name in ("127.0.0.1", "localhost")}
        self.origins = {f"http://{host}" for host in self.hosts}
        self.page = importlib.resources.files(__package__).joinpath("live.html").read_bytes()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if not self._is_from_here():
            return
        if path == "/":
            self._answer(200, "text/html; charset=utf-8", self.server.page)
        elif path == "/frame":
            after = query.removeprefix("after=")
            packet = self.server.live.next_packet(int(after) if after.isdigit() else 0)
            if packet is None:
                # Connections that are kept open outlive the server.
                self.close_connection = True
                self._answer(410, "text/plain", b"the run is over\n")
            else:
                self._answer(200 if packet else 204, "application/octet-stream", packet)
        else:
            self._answer(404, "text/plain", b"there is / and /frame\n")

    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), 1 << 16))
        if not self._is_from_here():
            return
        if not hmac.compare_digest(self.headers.get("X-Token", "").encode(), self.server.live.token.encode()):
            self._answer(403, "text/plain", b"the token is missing or wrong: open the address that the run has printed\n")
            return
        try:
            command = json.loads(body)
            if self.path != "/control" or not isinstance(command, dict):
                raise ValueError("a command is an object, sent to /control")
        except ValueError as error:
            self._answer(400, "text/plain", f"{error}\n".encode())
            return
        self.server.live.command(command)
        self._answer(204, "text/plain", b"")

    def _is_from_here(self):
        """Refuses other names of this machine (DNS rebinding), and pages from elsewhere."""
        origin = self.headers.get("Origin")
        if self.headers.get("Host") in self.server.hosts and (origin is None or origin in self.server.origins):
            return True
        self._answer(403, "text/plain", b"this page is served to this machine only, under its own names\n")
        return False

    def _answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'"
        self.send_header("Content-Security-Policy", policy)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, text, *arguments):
        log.debug("live: " + text, *arguments)
