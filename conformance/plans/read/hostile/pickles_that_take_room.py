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
    """levels deep: expected at most 256"""
    return dcp(folder, b"\x80\x02)" + b"2\x86" * 1000 + b".")


@case
def pickle_with_a_million_levels(folder):
    """levels deep: expected at most 256"""
    return dcp(folder, b"\x80\x02)" + b"\x85" * 1_000_000 + b".")


@case
def pickle_with_a_million_marks(folder):
    """marks 257 levels deep"""
    return dcp(folder, b"\x80\x02" + b"(" * 1_000_000 + b".")


@case
def pickle_with_a_far_memo_entry(folder):
    """memo entry 4294967295: expected at most"""
    return dcp(folder, b"\x80\x02Nr\xff\xff\xff\xff.")


@case
def pickle_with_a_text_of_2_63_bytes(folder):
    """expected 9223372036854775808 more bytes"""
    return dcp(folder, b"\x80\x04\x8d" + struct.pack("<Q", 2**63) + b"x.")


@case
def pickle_with_2_64_bytes(folder):
    """expected 18446744073709551615 more bytes"""
    return dcp(folder, b"\x80\x04\x8e" + struct.pack("<Q", 2**64 - 1) + b"x.")


@case
def pickle_with_an_integer_of_4_gb(folder):
    """expected 4294967295 more bytes"""
    return dcp(folder, b"\x80\x02\x8b\xff\xff\xff\xff.")


@case
def pickle_with_many_values(folder):
    """more than 2097152 values"""
    return dcp(folder, b"\x80\x02(" + b"N" * 3_000_000 + b"l.")


@case
def pickle_with_many_lists(folder):
    """more than 2097152 values"""
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
    """more than 2097152 values on its stack"""
    return dcp(folder, b"\x80\x02N" + b"2" * 3_000_000 + b".")


@case
def pickle_with_many_elements(folder):
    """more than 4194304 elements"""
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
    """expected 1 more bytes"""
    return dcp(folder, b"\x80\x02N")


@case
def pickle_of_nothing(folder):
    """expected 1 more bytes"""
    return dcp(folder, b"")
