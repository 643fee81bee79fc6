"""The socket to the conductor: messages as (header, raw frames). The watchdog ends a wait when nobody is left."""

import json
import os
import sys

import zmq

from .rank_threads import TURN

PROTOCOL = 1


class ProtocolError(Exception):
    """The conductor sent what the protocol does not know."""


class Link:
    def __init__(self, context, address, rank, secret):
        name = f"rank-{rank}".encode()
        self._socket = context.socket(zmq.DEALER)
        self._socket.setsockopt(zmq.IDENTITY, name)
        self._socket.plain_username, self._socket.plain_password = name, secret.encode()
        self._socket.setsockopt(zmq.LINGER, 2000)
        self._socket.connect(address)

    def send(self, header, *frames):
        self._socket.send_multipart([json.dumps(header).encode(), *frames])

    def receive(self):
        """(header, frames)"""
        with TURN.given_away():
            header, *frames = self._socket.recv_multipart()
        try:
            fields = json.loads(header)
            fields["type"]
        except (ValueError, TypeError, KeyError):
            raise ProtocolError(f"expected a JSON header with a type, got {header[:40]!r}") from None
        return fields, frames

    def ask(self, header, *frames):
        """Sends a request and waits for its done. Returns (code, text, value)."""
        self.send(header, *frames)
        while True:
            fields, values = self.receive()
            if fields["type"] == "stop":
                sys.stdout.flush()
                os._exit(0)
            if fields["type"] == "done" and fields["request"] == header["request"]:
                return fields["code"], fields["text"], values[0]

    def close(self):
        self._socket.close()
