"""The rank's page: where it stands, for the conductor to read when the rank no longer answers."""

import mmap
import struct

PAGE_BYTES = 4096
_SEQUENCE = struct.Struct("<Q")
_PLACE = struct.Struct("<qi")  # step, micro-batch
_ENDS_PROCESS, _ENDS_PROCESS_AT = struct.Struct("<i"), 24
_CALL, _OPERATION, _DETAIL = (32, 32), (64, 64), (128, 256)  # offset, bytes


class Page:
    def __init__(self, path):
        with open(path, "r+b") as file:
            self._memory = mmap.mmap(file.fileno(), PAGE_BYTES)
        self.last_position = "outside of the subject"

    def enter(self, call, step, micro_batch=-1):
        """The rank is about to call the subject."""
        self.last_position = f"at step {step}, in {call}" if step >= 0 else f"in {call}"
        with self._Write(self._memory):
            self._text(_CALL, call)
            _PLACE.pack_into(self._memory, 8, step, micro_batch)
            self._text(_OPERATION, "")
            self._text(_DETAIL, "")

    def progress(self, operation, detail):
        with self._Write(self._memory):
            self._text(_OPERATION, operation)
            self._text(_DETAIL, detail)

    def mark_as_ending(self, is_ending):
        """If the process ends now, this rank has ended it, which is one of several in it."""
        _ENDS_PROCESS.pack_into(self._memory, _ENDS_PROCESS_AT, is_ending)

    def clear(self):
        self.enter("", -1)
        self.last_position = "outside of the subject"

    def _text(self, field, text):
        offset, room = field
        cut = text.encode()[: room - 1]
        self._memory[offset : offset + room] = cut + bytes(room - len(cut))

    class _Write:
        """The sequence number is odd while the page is written."""

        def __init__(self, memory):
            self._memory = memory

        def __enter__(self):
            self._count()

        def __exit__(self, *_):
            self._count()

        def _count(self):
            _SEQUENCE.pack_into(self._memory, 0, _SEQUENCE.unpack_from(self._memory, 0)[0] + 1)
