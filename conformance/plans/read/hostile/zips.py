"""Zips that are bombs, or no files of torch."""

import pickle
import struct
import zipfile

from hostile import case, rank_file
from pickles import torch_save


@case
def zip_bomb(folder):
    """is compressed"""
    with (
        zipfile.ZipFile(rank_file(folder), "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("a/data.pkl", "w") as member,
    ):
        for _ in range(64):
            member.write(b"\0" * 2**22)
    return folder


@case
def zip_with_a_pickle_of_33_mb(folder):
    """data.pkl has 34603008 bytes: expected at most"""
    torch_save(rank_file(folder), None, data=b"\0" * (33 << 20))
    return folder


@case
def zip_of_overlapping_members(folder):
    """they overlap"""
    torch_save(rank_file(folder), None, {"0": b"\0" * 4096})
    data = bytearray(rank_file(folder).read_bytes())
    end = data.rindex(b"PK\5\6")
    members, length, begin = struct.unpack("<HII", data[end + 10 : end + 20])
    directory = bytes(data[begin : begin + length])
    entries = directory * 50
    data[begin:] = entries + struct.pack(
        "<4sHHHHIIH", b"PK\5\6", 0, 0, members * 50, members * 50, len(entries), begin, 0
    )
    rank_file(folder).write_bytes(data)
    return folder


@case
def zip64_of_2_40_members(folder):
    """expected a zip of torch.save"""
    end64 = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, 2**40, 2**40, 2**45, 0)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, 0, 1)
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    rank_file(folder).write_bytes(end64 + locator + end)
    return folder


@case
def zip_with_a_directory_of_2_gb(folder):
    """expected a zip of torch.save"""
    rank_file(folder).write_bytes(struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 9, 9, 2**31, 0, 0))
    return folder


@case
def zip_that_is_encrypted(folder):
    """is encrypted"""
    torch_save(rank_file(folder), None)
    data = bytearray(rank_file(folder).read_bytes())
    at = data.find(b"PK\1\2")
    while at >= 0:
        data[at + 8] |= 1
        at = data.find(b"PK\1\2", at + 4)
    rank_file(folder).write_bytes(data)
    return folder


@case
def zip_with_two_pickles(folder):
    """it has 2 members data.pkl: expected one"""
    with zipfile.ZipFile(rank_file(folder), "w") as archive:
        archive.writestr("a/data.pkl", b"\x80\x02N.")
        archive.writestr("b/data.pkl", b"\x80\x02N.")
    return folder


@case
def zip_without_a_pickle(folder):
    """it has 0 members data.pkl: expected one"""
    with zipfile.ZipFile(rank_file(folder), "w") as archive:
        archive.writestr("a/version", "3")
    return folder


@case
def zip_with_a_wrong_checksum(folder):
    """Bad CRC-32"""
    torch_save(rank_file(folder), None, data=b"\x80\x02N.")
    rank_file(folder).write_bytes(rank_file(folder).read_bytes().replace(b"\x80\x02N.", b"\x80\x02K.", 1))
    return folder


@case
def torch_save_of_before_1_6(folder):
    """saved before torch 1.6"""
    rank_file(folder).write_bytes(pickle.dumps(0x1950A86A20F9469CFC6C, 2) + pickle.dumps(1001, 2))
    return folder


@case
def zip_with_another_name_before_a_member(folder):
    """File name in directory 'archive/data/0'"""
    torch_save(rank_file(folder), None, {"0": b"\0" * 16}, data=b"\x80\x02N.")
    rank_file(folder).write_bytes(rank_file(folder).read_bytes().replace(b"archive/data/0", b"archive/data/1", 1))
    return folder


@case
def zip_with_a_field_behind_its_place(folder):
    """has a field that ends behind its place"""
    field = struct.pack("<HH3s", 0x4246, 4, b"ZZZ")
    with zipfile.ZipFile(rank_file(folder), "w") as archive:
        member = zipfile.ZipInfo("a/data.pkl")
        member.extra = field
        archive.writestr(member, b"\x80\x02N.")
    data = rank_file(folder).read_bytes()
    at = data.rindex(field)  # the directory has it whole
    rank_file(folder).write_bytes(data[:at] + field.replace(b"\4", b"\3") + data[at + len(field) :])
    return folder
