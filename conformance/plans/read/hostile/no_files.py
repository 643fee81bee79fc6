"""What is no file, and folders that are no checkpoint."""

import os

from hostile import case, dcp, deepspeed, rank_file


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
