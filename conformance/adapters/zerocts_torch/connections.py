"""TCP connections of this process, for a transport that cannot abort."""

import contextlib
import os
import socket

DESCRIPTORS = "/proc/self/fd"


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


def _is_connection(descriptor):
    with socket.socket(fileno=os.dup(descriptor)) as one:
        return one.family in (socket.AF_INET, socket.AF_INET6) and not one.getsockopt(
            socket.SOL_SOCKET, socket.SO_ACCEPTCONN
        )
