"""The socket to the conductor: messages as (header, raw frames), every wait with a deadline."""

import json
import os
import sys
import time

import zmq

PROTOCOL = 1
# Beyond a wait's own deadline, for the answer of a conductor on a busy machine. Of one that is dead its ranks die.
ANSWER_SLACK_S = 30.0


class ProtocolError(Exception):
    """The conductor sent what the protocol does not know."""


class Link:
    def __init__(self, address, rank, secret):
        name = f"rank-{rank}".encode()
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.DEALER)
        self._socket.setsockopt(zmq.IDENTITY, name)
        self._socket.plain_username, self._socket.plain_password = name, secret.encode()
        self._socket.setsockopt(zmq.LINGER, 2000)
        self._socket.connect(address)

    def send(self, header, *frames):
        self._socket.send_multipart([json.dumps(header).encode(), *frames])

    def receive(self, seconds=None):
        """(header, frames), or None when nothing came within `seconds`; None waits (the watchdog ends the process when
        nobody is left).
        """
        if not self._socket.poll(None if seconds is None else int(max(seconds, 0) * 1000)):
            return None
        header, *frames = self._socket.recv_multipart()
        try:
            fields = json.loads(header)
            fields["type"]
        except (ValueError, TypeError, KeyError):
            raise ProtocolError(f"expected a JSON header with a type, got {header[:40]!r}") from None
        return fields, frames

    def ask(self, header, *frames, seconds):
        """Sends a request and waits for its done; `seconds` None: as long as it takes. Returns (code, text, value), or
        None when the conductor does not answer.
        """
        self.send(header, *frames)
        until = None if seconds is None else time.monotonic() + seconds + ANSWER_SLACK_S
        while (message := self.receive(until and until - time.monotonic())) is not None:
            fields, values = message
            if fields["type"] == "stop":
                sys.stdout.flush()
                os._exit(0)
            if fields["type"] == "done" and fields["request"] == header["request"]:
                return fields["code"], fields["text"], values[0]
        return None

    def close(self):
        self._socket.close()
        self._context.term()
