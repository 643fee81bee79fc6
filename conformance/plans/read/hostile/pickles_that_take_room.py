"""Pickles that take room, or end too early."""

import struct

from hostile import case, dcp


@case
def pickle_of_a_billion_laughs(folder):
    """expected the pickle as torch.distributed.checkpoint.metadata.Metadata, got a list"""
    return dcp(
        folder, b"\x80\x02]q\x00" + b"".join(b"](" + b"h%c" % n * 10 + b"eq%c" % (n + 1) for n in range(60)) + b"."
    )


@case
def pickle_of_a_billion_tuples(folder):
    """expected the pickle as torch.distributed.checkpoint.metadata.Metadata, got a tuple"""
    return dcp(folder, b"\x80\x02)" + b"2\x86" * 1000 + b".")


@case
def pickle_with_a_million_levels(folder):
    """expected the pickle as torch.distributed.checkpoint.metadata.Metadata, got a tuple"""
    return dcp(folder, b"\x80\x02)" + b"\x85" * 1_000_000 + b".")


@case
def pickle_with_a_key_of_a_million_levels(folder):
    """its reader was killed by signal 11 (SIGSEGV)"""
    return dcp(folder, b"\x80\x02})" + b"\x85" * 1_000_000 + b"Ns.")


@case
def pickle_with_keys_of_one_hash(folder):
    """its reader was killed by signal 24 (SIGXCPU)"""
    keys = (b"\x8a\x0a" + (n * (2**61 - 1)).to_bytes(10, "little") + b"N" for n in range(1, 100_000))
    return dcp(folder, b"\x80\x02}(" + b"".join(keys) + b"u.")


@case
def pickle_with_many_empty_memo_entries(folder):
    """it takes more than 200 MiB to read"""
    return dcp(folder, b"\x80\x02Nr\0\0\0\x04.")


@case
def pickle_with_a_million_marks(folder):
    """unexpected MARK found"""
    return dcp(folder, b"\x80\x02" + b"(" * 1_000_000 + b".")


@case
def pickle_with_a_far_memo_entry(folder):
    """it takes more than 200 MiB to read"""
    return dcp(folder, b"\x80\x02Nr\xff\xff\xff\xff.")


@case
def pickle_with_a_text_of_2_63_bytes(folder):
    """exceeds system's maximum size"""
    return dcp(folder, b"\x80\x04\x8d" + struct.pack("<Q", 2**63) + b"x.")


@case
def pickle_with_2_64_bytes(folder):
    """exceeds system's maximum size"""
    return dcp(folder, b"\x80\x04\x8e" + struct.pack("<Q", 2**64 - 1) + b"x.")


@case
def pickle_with_an_integer_of_4_gb(folder):
    """LONG pickle has negative byte count"""
    return dcp(folder, b"\x80\x02\x8b\xff\xff\xff\xff.")


@case
def pickle_with_many_values(folder):
    """expected the pickle as torch.distributed.checkpoint.metadata.Metadata, got a list"""
    return dcp(folder, b"\x80\x02(" + b"N" * 3_000_000 + b"l.")


@case
def pickle_with_many_lists(folder):
    """it takes more than 200 MiB to read"""
    return dcp(folder, b"\x80\x02(" + b"]" * 3_000_000 + b"l.")


@case
def pickle_with_many_tuples_and_bytes(folder):
    """expected the pickle as torch.distributed.checkpoint.metadata.Metadata, got a list"""
    return dcp(
        folder,
        b"\x80\x02Nq\x00(" + b"h\x00\x85" * 2_097_000 + b"B" + struct.pack("<I", 25 << 20) + b"\0" * (25 << 20) + b"l.",
    )


@case
def pickle_with_a_high_stack(folder):
    """expected the pickle as torch.distributed.checkpoint.metadata.Metadata, got None"""
    return dcp(folder, b"\x80\x02N" + b"2" * 3_000_000 + b".")


@case
def pickle_with_many_elements(folder):
    """expected the pickle as torch.distributed.checkpoint.metadata.Metadata, got a list"""
    return dcp(folder, b"\x80\x02Nq\x00]" + (b"(" + b"h\x00" * 1_000_000 + b"e") * 5 + b".")


@case
def pickle_of_33_mb(folder):
    """expected at most 33554432"""
    return dcp(folder, b"\x80\x02B" + struct.pack("<I", 2**25) + b"\0" * 2**25 + b".")


@case
def pickle_that_holds_itself(folder):
    """expected the pickle as torch.distributed.checkpoint.metadata.Metadata, got a list"""
    return dcp(folder, b"\x80\x02]q\x00h\x00a.")


@case
def pickle_without_an_end(folder):
    """Ran out of input"""
    return dcp(folder, b"\x80\x02N")


@case
def pickle_of_nothing(folder):
    """expected a pickle of protocol 2 to 5"""
    return dcp(folder, b"")
