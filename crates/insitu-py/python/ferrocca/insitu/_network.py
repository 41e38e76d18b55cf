"""Data from the network into a run."""

import json
import logging
import threading
import time
import urllib.request

__all__ = ["Pull"]

log = logging.getLogger("ferrocca")


class Pull:
    """Fetches a value by HTTP again and again, in a thread; ``pull.value`` is the last one that came.

    `url` is fetched every `interval` seconds with a `timeout`; a failure is tried again `retries` times, each after twice the
    pause before, and then at the next interval. Until the next success the last known value stays; at first it is `initial`.
    `decode` makes the value of the body's bytes (JSON unless told otherwise). As a hook it calls ``apply(frame, value)`` after
    each step::

        solver.run(Pull("http://station/forcing", lambda frame, value: frame.set(nu=value["nu"]), interval=5))

    With `wait` the run starts when the first value has come, or fails with TimeoutError after so many seconds.
    """

    def __init__(
        self, url, apply=None, *, interval=1.0, timeout=5.0, retries=3, pause=0.2, initial=None, decode=json.loads, wait=None
    ):
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"{url!r} is no address that begins with http:// or https://")
        self._url, self._apply, self._decode = url, apply, decode
        self._interval, self._timeout, self._retries, self._pause, self._wait = interval, timeout, retries, pause, wait
        self._initial = initial
        self._reset()

    def _reset(self):
        #: The last value that came, its age in seconds by :attr:`age`; how often fetching succeeded, and failed.
        self.value, self.received, self.failures, self.error = self._initial, 0, 0, None
        self._came_at = None
        self._ends, self._first = threading.Event(), threading.Event()

    @property
    def age(self):
        """Seconds since the last value came; None before the first one."""
        return None if self._came_at is None else time.monotonic() - self._came_at

    def start(self, run=None):
        """Starts to fetch.

        Raises TimeoutError where `wait` seconds were given and no value came within them.
        """
        self._reset()
        self._thread = threading.Thread(target=self._run, name="ferrocca pull", daemon=True)
        self._thread.start()
        if self._wait is not None and not self._first.wait(self._wait):
            self._ends.set()
            raise TimeoutError(f"no value from {self._url} within {self._wait} s: {self.error}")

    def step(self, frame):
        """Calls ``apply(frame, value)`` with the last known value, if there is one, and answers what it answers."""
        if self._apply is not None and (self.received or self.value is not None):
            return self._apply(frame, self.value)
        return None

    def finish(self, run=None):
        """Ends fetching; one that is under way is not waited for."""
        self._ends.set()

    def _run(self):
        while not self._ends.is_set():
            self._fetch_with_retries()
            self._ends.wait(self._interval)

    def _fetch_with_retries(self):
        pause = self._pause
        for attempt in range(self._retries + 1):
            try:
                with urllib.request.urlopen(self._url, timeout=self._timeout) as answer:
                    value = self._decode(answer.read())
            except Exception as error:  # of the network, of HTTP, of the decoder
                self.failures, self.error = self.failures + 1, error
                log.warning("%s: %s (attempt %d)", self._url, error, attempt + 1)
                if attempt == self._retries or self._ends.wait(pause):
                    return
                pause *= 2
            else:
                self.value, self._came_at, self.error = value, time.monotonic(), None
                self.received += 1
                self._first.set()
                return
