"""Files that want to harm who reads them. A case is a function that writes one into a folder and returns the path to
read; its docstring is a part of the sentence that the reader must say.

usage: hostile_files.py CASE FOLDER
"""

import json
import os
import pickle
import struct
import sys
import zipfile
from pathlib import Path

import pickles
from pickles import dcp_metadata, dcp_tensor, torch_save

CASES = []
CANARY = "canary"


def case(function):
    CASES.append(function)
    return function


def dcp(folder, data):
    (folder / ".metadata").write_bytes(data)
    return folder


def deepspeed(folder, data):
    torch_save(folder / "zero_pp_rank_0_mp_rank_00_optim_states.pt", None, data=data)
    return folder


def touch(folder):
    """What a shell would run."""
    return f"touch {folder / CANARY}"


def short(text):
    return b"\x8c" + bytes([len(text)]) + text.encode()


def long(text):
    return b"X" + struct.pack("<I", len(text)) + text.encode()


def calling(module, name, argument):
    return b"\x80\x02c" + f"{module}\n{name}\n".encode() + long(argument) + b"\x85R."


# Pickles that call


@case
def pickle_calls_os_system(folder):
    """names os.system, which is not in the list"""
    return dcp(folder, calling("os", "system", touch(folder)))


@case
def pickle_calls_posix_system(folder):
    """names posix.system, which is not in the list"""
    return dcp(folder, calling("posix", "system", touch(folder)))


@case
def pickle_calls_eval(folder):
    """names builtins.eval, which is not in the list"""
    return dcp(folder, calling("builtins", "eval", f"open('{folder / CANARY}', 'w')"))


@case
def pickle_calls_getattr(folder):
    """names builtins.getattr, which is not in the list"""
    return dcp(folder, b"\x80\x02cbuiltins\ngetattr\ncbuiltins\nlist\n" + long("__class__") + b"\x86R.")


@case
def pickle_calls_popen(folder):
    """names subprocess.Popen, which is not in the list"""
    return dcp(folder, calling("subprocess", "Popen", touch(folder)))


@case
def pickle_calls_torch_load(folder):
    """names torch.load, which is not in the list"""
    return dcp(folder, calling("torch", "load", str(folder / CANARY)))


@case
def pickle_calls_by_stack(folder):
    """names os.system, which is not in the list"""
    return dcp(folder, b"\x80\x04" + short("os") + short("system") + b"\x93" + long(touch(folder)) + b"\x85R.")


@case
def pickle_calls_a_dotted_name(folder):
    """names torch.Size.__class__, which is not in the list"""
    return dcp(folder, b"\x80\x04" + short("torch") + short("Size.__class__") + b"\x93)R.")


@case
def pickle_calls_by_inst(folder):
    """expected an instruction of protocols 2 to 5, got 0x69"""
    return dcp(folder, b"\x80\x02(" + long(touch(folder)) + b"ios\nsystem\n.")


@case
def pickle_calls_by_obj(folder):
    """names os.system, which is not in the list"""
    return dcp(folder, b"\x80\x02(cos\nsystem\n" + long(touch(folder)) + b"o.")


@case
def pickle_calls_an_extension(folder):
    """expected an instruction of protocols 2 to 5, got 0x82"""
    return dcp(folder, b"\x80\x02\x82\x01)R.")


@case
def pickle_of_protocol_0(folder):
    """expected a pickle of protocol 2 to 5"""
    return dcp(folder, b"cos\nsystem\n(S'true'\ntR.")


@case
def pickle_calls_what_it_made(folder):
    """expected a name of the list to be called, got a dict"""
    return dcp(folder, b"\x80\x02})R.")


@case
def pickle_sets_the_state_of_a_dict(folder):
    """expected an object that takes a state, got a dict"""
    return dcp(folder, b"\x80\x02}}b.")


@case
def pickle_of_a_large_bytearray(folder):
    """expected the pickle as torch.distributed.checkpoint.metadata.Metadata, got an object"""
    return dcp(folder, b"\x80\x02cbuiltins\nbytearray\n\x8a\x06\0\0\0\0\0\x01\x85R.")


@case
def pickle_in_a_zip_calls_os_system(folder):
    """names os.system, which is not in the list"""
    return deepspeed(folder, calling("os", "system", touch(folder)))


# Pickles that take room


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


# Metadata of torch DCP that lie


def lying(folder, shape=(4,), chunks=(((0,), (4,)),), file="__0_0.distcp", name="w", begin=0, count=16):
    return dcp(folder, dcp_metadata({name: dcp_tensor(shape, *chunks)}, [(name, chunks[0][0], file, begin, count)]))


@case
def dcp_with_10_18_elements(folder):
    """more than 2^56 elements"""
    return lying(folder, (10**9, 10**9), (((0, 0), (10**9, 10**9)),))


@case
def dcp_with_a_block_of_10_18_elements(folder):
    """more than 2^56 elements"""
    return lying(folder, (4, 4), (((0, 0), (10**9, 10**9)),))


@case
def dcp_with_a_negative_size(folder):
    """expected size as a size of 0 or more, got -4"""
    return lying(folder, (-4,))


@case
def dcp_with_a_size_beyond_64_bits(folder):
    """expected size as an integer of 64 bits, got an integer beyond 64 bits"""
    return lying(folder, (2**70,))


@case
def dcp_with_17_dimensions(folder):
    """expected up to 16 sizes"""
    return lying(folder, (1,) * 17, (((0,) * 17, (1,) * 17),))


@case
def dcp_of_a_file_above(folder):
    """expected the name of a file beside it"""
    return lying(folder, file="../__0_0.distcp")


@case
def dcp_of_an_absolute_file(folder):
    """expected the name of a file beside it"""
    return lying(folder, file="/etc/passwd")


@case
def dcp_of_a_foreign_file(folder):
    """expected a name such as __3_0.distcp"""
    return lying(folder, file="passwd")


@case
def dcp_of_writer_2_31(folder):
    """expected a name such as __3_0.distcp"""
    return lying(folder, file="__2147483647_0.distcp")


@case
def dcp_with_a_name_of_control_characters(folder):
    """printable UTF-8"""
    return lying(folder, name="\x1b[2Jw")


@case
def dcp_with_text_for_sizes(folder):
    """as a list or a tuple, got"""
    return dcp(
        folder,
        pickle.dumps(
            pickles.record(
                pickles.METADATA,
                "Metadata",
                state_dict_metadata={
                    "w": pickles.record(
                        pickles.METADATA, "TensorStorageMetadata", size="4", chunks=[], properties=pickles.Properties()
                    )
                },
                storage_data={},
            ),
            4,
        ),
    )


@case
def megatron_of_an_unknown_backend(folder):
    """expected sharded_backend torch_dist or fsdp_dtensor, got zarr"""
    (folder / "metadata.json").write_text(json.dumps({"sharded_backend": "zarr"}))
    return dcp(folder, dcp_metadata({}, []))


# Zips


def rank_file(folder):
    return folder / "zero_pp_rank_0_mp_rank_00_optim_states.pt"


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
    """zip"""
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
    """a zip of 1099511627776 members"""
    end64 = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, 2**40, 2**40, 2**45, 0)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, 0, 1)
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    rank_file(folder).write_bytes(end64 + locator + end)
    return folder


@case
def zip_with_a_directory_of_2_gb(folder):
    """in a directory of 2147483648 bytes"""
    rank_file(folder).write_bytes(struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 9, 9, 2**31, 0, 0))
    return folder


@case
def zip_that_is_encrypted(folder):
    """zip"""
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
    """data.pkl twice"""
    with zipfile.ZipFile(rank_file(folder), "w") as archive:
        archive.writestr("a/data.pkl", b"\x80\x02N.")
        archive.writestr("b/data.pkl", b"\x80\x02N.")
    return folder


@case
def zip_without_a_pickle(folder):
    """expected a member data.pkl"""
    with zipfile.ZipFile(rank_file(folder), "w") as archive:
        archive.writestr("a/version", "3")
    return folder


@case
def zip_with_a_wrong_checksum(folder):
    """checksum"""
    torch_save(rank_file(folder), None, data=b"\x80\x02N.")
    rank_file(folder).write_bytes(rank_file(folder).read_bytes().replace(b"\x80\x02N.", b"\x80\x02K.", 1))
    return folder


@case
def torch_save_of_before_1_6(folder):
    """saved before torch 1.6"""
    rank_file(folder).write_bytes(pickle.dumps(0x1950A86A20F9469CFC6C, 2) + pickle.dumps(1001, 2))
    return folder


def optimizer_file(folder, tensor, storages):
    state = {
        "optimizer_state_dict": {
            "zero_stage": 3,
            "partition_count": 1,
            "fp32_flat_groups": [tensor],
            "optimizer_state_dict": {"state": {}},
        }
    }
    torch_save(rank_file(folder), state, storages)
    return folder


@case
def tensor_beyond_its_storage(folder):
    """reaches element 3 of a storage of 2"""
    return optimizer_file(folder, pickles.Tensor((4,), numel=2), {"0": b"\0" * 8})


@case
def tensor_of_10_18_elements_by_stride_0(folder):
    """more than 2^56 elements"""
    return optimizer_file(folder, pickles.Tensor((10**9, 10**9), numel=1, strides=(0, 0)), {"0": b"\0" * 4})


@case
def storage_of_2_62_elements(folder):
    """at most 2^63 - 1"""
    return optimizer_file(folder, pickles.Tensor((4,), numel=2**62), {"0": b"\0" * 16})


@case
def storage_that_is_cut_off(folder):
    """storage 0 has 12 bytes: expected 16"""
    return optimizer_file(folder, pickles.Tensor((4,)), {"0": b"\0" * 12})


@case
def storage_that_is_missing(folder):
    """storage 0 is missing"""
    return optimizer_file(folder, pickles.Tensor((4,)), {})


@case
def universal_parameter_of_a_folder_above(folder):
    """expected the name of a file beside it"""
    (folder / "zero").mkdir()
    model = {"param_shapes": [{"../../x": pickles.size(4)}], "dp_world_size": 1, "ds_config": {"zero_optimization": {}}}
    torch_save(folder / "mp_rank_00_model_states.pt", model)
    return folder


# Safetensors


def safetensors(folder, header, data=b"", length=None, name="x.safetensors"):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    (folder / name).write_bytes(struct.pack("<Q", len(text) if length is None else length) + text + data)
    return folder / name


def entry(shape, begin, end, dtype="F32"):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


@case
def safetensors_header_of_2_63_bytes(folder):
    """a header of 9223372036854775808 bytes"""
    return safetensors(folder, {}, length=2**63)


@case
def safetensors_header_of_2_64_bytes(folder):
    """a header of 18446744073709551615 bytes"""
    return safetensors(folder, {}, length=2**64 - 1)


@case
def safetensors_header_of_17_mb(folder):
    """expected at most 16777216"""
    return safetensors(folder, b" " * (17 << 20))


@case
def safetensors_with_many_values(folder):
    """values"""
    return safetensors(folder, b"[" + b"0," * 8_000_000 + b"0]")


@case
def safetensors_with_many_keys(folder):
    """expected an object"""
    keys = ",".join(f'"a long enough name {i}":0' for i in range(490_000))
    return safetensors(folder, ("{" + keys + "}").encode())


@case
def safetensors_with_a_thousand_levels(folder):
    """at most 64 levels"""
    return safetensors(folder, b"[" * 1000)


@case
def safetensors_that_overlap(folder):
    """expected 16, where the one before it ends"""
    return safetensors(folder, {"a": entry([4], 0, 16), "b": entry([4], 8, 24)}, b"\0" * 24)


@case
def safetensors_with_a_gap(folder):
    """expected 16, where the one before it ends"""
    return safetensors(folder, {"a": entry([4], 0, 16), "b": entry([4], 20, 36)}, b"\0" * 36)


@case
def safetensors_with_a_name_twice(folder):
    """twice"""
    one = b'"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}'
    return safetensors(folder, b"{" + one + b", " + one + b"}", b"\0" * 16)


@case
def safetensors_of_2_80_elements(folder):
    """more than 2^56 elements"""
    return safetensors(folder, {"a": entry([2**40, 2**40], 0, 0)})


@case
def safetensors_with_a_negative_size(folder):
    """expected up to 16 sizes of at least 0"""
    return safetensors(folder, {"a": entry([-4], 0, 16)}, b"\0" * 16)


@case
def safetensors_of_an_unknown_dtype(folder):
    """expected one of fp64"""
    return safetensors(folder, {"a": entry([4], 0, 16, "F31")}, b"\0" * 16)


@case
def safetensors_with_negative_offsets(folder):
    """begins at byte -16"""
    return safetensors(folder, {"a": entry([4], -16, 0)})


@case
def safetensors_index_of_a_file_above(folder):
    """a file beside the index"""
    path = folder / "model.safetensors.index.json"
    path.write_text(json.dumps({"weight_map": {"a": "../../x.safetensors"}}))
    return path


@case
def safetensors_index_of_an_absolute_file(folder):
    """a file beside the index"""
    path = folder / "model.safetensors.index.json"
    path.write_text(json.dumps({"weight_map": {"a": "/etc/passwd"}}))
    return path


def shard(folder, info, name="shard-00001-model-00001-of-00001.safetensors"):
    safetensors(folder, {"__metadata__": {"DCP_SHARDING_INFO": info}, "a": entry([4], 0, 16)}, b"\0" * 16, name=name)
    return folder


@case
def shard_with_places_that_are_no_json(folder):
    """line 1"""
    return shard(folder, "__import__('os').system('true')")


@case
def shard_with_a_negative_offset(folder):
    """expected offsets of 0 or more"""
    return shard(folder, json.dumps({"a": {"saved_offsets": [-1]}}))


@case
def shard_with_an_offset_of_2_62(folder):
    """more than 2^56 elements"""
    return shard(folder, json.dumps({"a": {"saved_offsets": [2**62]}}))


@case
def shard_of_number_2_30(folder):
    """expected the number of a shard from 1"""
    return shard(folder, "{}", name="shard-1073741824-model.safetensors")


# What is no file


@case
def fifo(folder):
    """expected a regular file"""
    os.mkfifo(folder / "x.safetensors")
    return folder / "x.safetensors"


@case
def fifo_for_metadata(folder):
    """expected a regular file"""
    os.mkfifo(folder / ".metadata")
    return folder


@case
def fifo_for_an_index(folder):
    """expected a regular file"""
    os.mkfifo(folder / "model.safetensors.index.json")
    return folder


@case
def fifo_for_a_rank(folder):
    """expected a regular file"""
    os.mkfifo(rank_file(folder))
    return folder


@case
def folder_for_a_file(folder):
    """expected a regular file"""
    (folder / ".metadata").mkdir()
    return folder


@case
def endless_device(folder):
    """expected a regular file"""
    (folder / "x.safetensors").symlink_to("/dev/zero")
    return folder / "x.safetensors"


@case
def link_to_itself(folder):
    """expected a regular file"""
    (folder / "x.safetensors").symlink_to("x.safetensors")
    return folder / "x.safetensors"


@case
def folder_without_a_checkpoint(folder):
    """expected a checkpoint with one of"""
    return folder


@case
def folder_of_two_checkpoints(folder):
    """expected a checkpoint of one format"""
    dcp(folder, b"")
    return deepspeed(folder, b"")


@case
def latest_of_a_folder_above(folder):
    """expected the name of a file beside it"""
    (folder / "latest").write_text("../..")
    return folder


@case
def latest_of_a_megabyte(folder):
    """expected at most 4096"""
    (folder / "latest").write_bytes(b"x" * 2**20)
    return folder


@case
def latest_that_names_itself(folder):
    """expected a checkpoint with one of"""
    (folder / "latest").write_text("again")
    (folder / "again").mkdir()
    (folder / "again" / "latest").write_text("again")
    return folder


@case
def latest_of_ours_that_is_damaged(folder):
    """expected the hash of its own lines"""
    (folder / "latest").write_text(f"zerocts.checkpoint/2\n{'0' * 32}  save-0/checkpoint.json\n{'0' * 32}  latest\n")
    return folder


# Good files, of which every beginning is bad


def good_files(folder):
    """(file, path to read) of one sound checkpoint per kind of file; whatever is missing at its end is found."""
    places = [("w", (0,), "__0_0.distcp", 0, 16)]
    for name in ("dcp", "deepspeed"):
        (folder / name).mkdir()
    metadata = dcp(folder / "dcp", dcp_metadata({"w": dcp_tensor((4,), ((0,), (4,)))}, places)) / ".metadata"
    rank = rank_file(optimizer_file(folder / "deepspeed", pickles.Tensor((4,)), {"0": b"\0" * 16}))
    whole = safetensors(folder, {f"w{i}": entry([4], 16 * i, 16 * i + 16) for i in range(8)}, b"\0" * 128)
    return [(metadata, folder / "dcp"), (rank, folder / "deepspeed"), (whole, whole)]


def main():
    """Writes one case, and prints its path."""
    name, folder = sys.argv[1:]
    print(next(function for function in CASES if function.__name__ == name)(Path(folder)))


if __name__ == "__main__":
    main()
