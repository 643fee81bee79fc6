"""TCP connections of this process: to cut those of a transport that cannot abort, and to see what passes on them."""

import contextlib
import os
import socket
import struct

DESCRIPTORS = "/proc/self/fd"

# Formats and offsets of fields of struct tcp_info, and its size up to their end, since Linux 4.19.
_RECEIVED, _SENT_AND_SENT_AGAIN = struct.Struct("<Q"), struct.Struct("<QQ")
_RECEIVED_AT, _SENT_AT, _TCP_INFO_BYTES = 128, 200, 216


def open_connections():
    """{inode: descriptor}; sockets that listen are not among them."""
    found = {}
    for name in os.listdir(DESCRIPTORS):
        with contextlib.suppress(OSError):  # closed meanwhile, or no socket
            inode = os.readlink(f"{DESCRIPTORS}/{name}")
            if inode.startswith("socket:") and _is_connection(int(name)):
                found[inode] = int(name)
    return found


def cut(connections):
    """Both ends see it at once; the descriptors stay with their owners."""
    for descriptor in connections.values():
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as connection:
            connection.shutdown(socket.SHUT_RDWR)


def carried_by(descriptor):
    """(sent bytes, received bytes) of a connection since it was made, as the kernel counts them."""
    with socket.socket(fileno=os.dup(descriptor)) as one:
        info = one.getsockopt(socket.SOL_TCP, socket.TCP_INFO, _TCP_INFO_BYTES)
    if len(info) < _TCP_INFO_BYTES:
        raise OSError(f"expected {_TCP_INFO_BYTES} bytes of TCP_INFO, got {len(info)}; Linux 4.19 and later have them")
    sent, again = _SENT_AND_SENT_AGAIN.unpack_from(info, _SENT_AT)
    return sent - again, *_RECEIVED.unpack_from(info, _RECEIVED_AT)


class Carried:
    """What passes on the connections of this process, but for those that were there when the first look was taken. A
    connection that begins and ends between two looks is not seen, nor is what passes through shared memory.
    """

    def __init__(self):
        self._others = set(open_connections())
        self._last = {}  # by inode: what it had carried at the last look
        self._ended = [0, 0]  # carried by those that are gone

    def total(self):
        """(sent bytes, received bytes) since the first look."""
        now = {}
        for inode, descriptor in open_connections().items():
            with contextlib.suppress(OSError):  # closed meanwhile
                now[inode] = carried_by(descriptor)
        for inode, before in self._last.items():
            if inode not in now or now[inode] < before:  # gone, or another connection with its number
                self._ended = [ended + count for ended, count in zip(self._ended, before)]
        self._last = {inode: counts for inode, counts in now.items() if inode not in self._others}
        return tuple(map(sum, zip(self._ended, *self._last.values())))


def _is_connection(descriptor):
    with socket.socket(fileno=os.dup(descriptor)) as one:
        return one.family in (socket.AF_INET, socket.AF_INET6) and not one.getsockopt(
            socket.SOL_SOCKET, socket.SO_ACCEPTCONN
        )
