"""Pickles in the place of .metadata that call what is in no list, take room, or end too early."""

import struct

from hostile import CANARY, CASES, dcp, deepspeed, touch

METADATA = "expected the pickle as torch.distributed.checkpoint.metadata.Metadata, got "
TOO_LARGE, BEYOND_MEMORY = "exceeds system's maximum size", "it takes more than 200 MiB to read"


def short(text):
    return b"\x8c" + bytes([len(text)]) + text.encode()


def long(text):
    return b"X" + struct.pack("<I", len(text)) + text.encode()


def calling(module, name, argument):
    return b"\x80\x02c" + f"{module}\n{name}\n".encode() + long(argument) + b"\x85R."


def unlisted(name):
    return f"names {name}, which is not in the list"


def keys_of_one_hash():
    return b"".join(b"\x8a\x0a" + (n * (2**61 - 1)).to_bytes(10, "little") + b"N" for n in range(1, 100_000))


def lists_of_each_other():
    return b"".join(b"](" + b"h%c" % n * 10 + b"eq%c" % (n + 1) for n in range(60))


def many_tuples_and_bytes():
    return b"h\x00\x85" * 2_097_000 + b"B" + struct.pack("<I", 25 << 20) + b"\0" * (25 << 20)


PICKLES = {  # what must be said of a pickle, and how one in this folder is made
    "calls_os_system": (unlisted("os.system"), lambda f: calling("os", "system", touch(f))),
    "calls_posix_system": (unlisted("posix.system"), lambda f: calling("posix", "system", touch(f))),
    "calls_eval": (unlisted("builtins.eval"), lambda f: calling("builtins", "eval", f"open('{f / CANARY}', 'w')")),
    "calls_getattr": (
        unlisted("builtins.getattr"),
        lambda _: b"\x80\x02cbuiltins\ngetattr\ncbuiltins\nlist\n" + long("__class__") + b"\x86R.",
    ),
    "calls_popen": (unlisted("subprocess.Popen"), lambda f: calling("subprocess", "Popen", touch(f))),
    "calls_torch_load": (unlisted("torch.load"), lambda f: calling("torch", "load", str(f / CANARY))),
    "calls_by_stack": (
        unlisted("os.system"),
        lambda f: b"\x80\x04" + short("os") + short("system") + b"\x93" + long(touch(f)) + b"\x85R.",
    ),
    "calls_a_dotted_name": (
        unlisted("torch.Size.__class__"),
        lambda _: b"\x80\x04" + short("torch") + short("Size.__class__") + b"\x93)R.",
    ),
    "calls_by_inst": (unlisted("os.system"), lambda f: b"\x80\x02(" + long(touch(f)) + b"ios\nsystem\n."),
    "calls_by_obj": (unlisted("os.system"), lambda f: b"\x80\x02(cos\nsystem\n" + long(touch(f)) + b"o."),
    "calls_for_another_class": (
        unlisted("copyreg._reconstructor"),
        lambda _: b"\x80\x02ccopyreg\n_reconstructor\ncbuiltins\nlist\ncbuiltins\nobject\nN\x87R.",
    ),
    "calls_by_a_persistent_id": (METADATA + "an object", lambda f: b"\x80\x02" + long(touch(f)) + b"Q."),
    "calls_an_extension": ("unregistered extension code 1", lambda _: b"\x80\x02\x82\x01)R."),
    "of_protocol_0": ("expected a pickle of protocol 2 to 5", lambda _: b"cos\nsystem\n(S'true'\ntR."),
    "calls_what_it_made": ("'dict' object is not callable", lambda _: b"\x80\x02})R."),
    "sets_the_state_of_a_dict": ("'dict' object has no attribute", lambda _: b"\x80\x02}}b."),
    "of_a_large_bytearray": (
        METADATA + "an object",
        lambda _: b"\x80\x02cbuiltins\nbytearray\n\x8a\x06\0\0\0\0\0\x01\x85R.",
    ),
    "sets_the_state_of_a_name": (
        "missing 1 required positional argument: 'state'",
        lambda _: b"\x80\x02ctorch\nSize\n}b.",
    ),
    "calls_what_a_name_made": ("object is not callable", lambda _: b"\x80\x02ctorch\ndevice\n)R)R."),
    "makes_a_new_object_of_a_type": (
        "NEWOBJ class argument must be a type",
        lambda _: b"\x80\x02" + long("type") + b")\x81.",
    ),
    "of_a_billion_laughs": (METADATA + "a list", lambda _: b"\x80\x02]q\x00" + lists_of_each_other() + b"."),
    "of_a_billion_tuples": (METADATA + "a tuple", lambda _: b"\x80\x02)" + b"2\x86" * 1000 + b"."),
    "with_a_million_levels": (METADATA + "a tuple", lambda _: b"\x80\x02)" + b"\x85" * 1_000_000 + b"."),
    "with_a_key_of_a_million_levels": (
        "its reader was killed by signal 11 (SIGSEGV)",
        lambda _: b"\x80\x02})" + b"\x85" * 1_000_000 + b"Ns.",
    ),
    "with_keys_of_one_hash": (
        "its reader was killed by signal 24 (SIGXCPU)",
        lambda _: b"\x80\x02}(" + keys_of_one_hash() + b"u.",
    ),
    "with_many_empty_memo_entries": (BEYOND_MEMORY, lambda _: b"\x80\x02Nr\0\0\0\x04."),
    "with_a_million_marks": ("unexpected MARK found", lambda _: b"\x80\x02" + b"(" * 1_000_000 + b"."),
    "with_a_far_memo_entry": (BEYOND_MEMORY, lambda _: b"\x80\x02Nr\xff\xff\xff\xff."),
    "with_a_text_of_2_63_bytes": (TOO_LARGE, lambda _: b"\x80\x04\x8d" + struct.pack("<Q", 2**63) + b"x."),
    "with_2_64_bytes": (TOO_LARGE, lambda _: b"\x80\x04\x8e" + struct.pack("<Q", 2**64 - 1) + b"x."),
    "with_an_integer_of_4_gb": ("LONG pickle has negative byte count", lambda _: b"\x80\x02\x8b\xff\xff\xff\xff."),
    "with_many_values": (METADATA + "a list", lambda _: b"\x80\x02(" + b"N" * 3_000_000 + b"l."),
    "with_many_lists": (BEYOND_MEMORY, lambda _: b"\x80\x02(" + b"]" * 3_000_000 + b"l."),
    "with_many_tuples_and_bytes": (METADATA + "a list", lambda _: b"\x80\x02Nq\x00(" + many_tuples_and_bytes() + b"l."),
    "with_a_high_stack": (METADATA + "None", lambda _: b"\x80\x02N" + b"2" * 3_000_000 + b"."),
    "with_many_elements": (
        METADATA + "a list",
        lambda _: b"\x80\x02Nq\x00]" + (b"(" + b"h\x00" * 1_000_000 + b"e") * 5 + b".",
    ),
    "of_33_mb": ("expected at most 33554432", lambda _: b"\x80\x02B" + struct.pack("<I", 2**25) + b"\0" * 2**25 + b"."),
    "that_holds_itself": (METADATA + "a list", lambda _: b"\x80\x02]q\x00h\x00a."),
    "without_an_end": ("Ran out of input", lambda _: b"\x80\x02N"),
    "of_nothing": ("expected a pickle of protocol 2 to 5", lambda _: b""),
}


def as_metadata(pickle_in):
    return lambda folder: dcp(folder, pickle_in(folder))


CASES.update({f"pickle_{name}": (says, as_metadata(pickle_in)) for name, (says, pickle_in) in PICKLES.items()})
CASES["pickle_in_a_zip_calls_os_system"] = (
    unlisted("os.system"),
    lambda folder: deepspeed(folder, calling("os", "system", touch(folder))),
)
