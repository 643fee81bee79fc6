"""Pickles that call what is in no list."""

import struct

from hostile import CANARY, case, dcp, deepspeed, touch


def short(text):
    return b"\x8c" + bytes([len(text)]) + text.encode()


def long(text):
    return b"X" + struct.pack("<I", len(text)) + text.encode()


def calling(module, name, argument):
    return b"\x80\x02c" + f"{module}\n{name}\n".encode() + long(argument) + b"\x85R."


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
    """names os.system, which is not in the list"""
    return dcp(folder, b"\x80\x02(" + long(touch(folder)) + b"ios\nsystem\n.")


@case
def pickle_calls_by_obj(folder):
    """names os.system, which is not in the list"""
    return dcp(folder, b"\x80\x02(cos\nsystem\n" + long(touch(folder)) + b"o.")


@case
def pickle_calls_an_extension(folder):
    """unregistered extension code 1"""
    return dcp(folder, b"\x80\x02\x82\x01)R.")


@case
def pickle_of_protocol_0(folder):
    """expected a pickle of protocol 2 to 5"""
    return dcp(folder, b"cos\nsystem\n(S'true'\ntR.")


@case
def pickle_calls_what_it_made(folder):
    """'dict' object is not callable"""
    return dcp(folder, b"\x80\x02})R.")


@case
def pickle_sets_the_state_of_a_dict(folder):
    """'dict' object has no attribute"""
    return dcp(folder, b"\x80\x02}}b.")


@case
def pickle_of_a_large_bytearray(folder):
    """expected the pickle as torch.distributed.checkpoint.metadata.Metadata, got an object"""
    return dcp(folder, b"\x80\x02cbuiltins\nbytearray\n\x8a\x06\0\0\0\0\0\x01\x85R.")


@case
def pickle_in_a_zip_calls_os_system(folder):
    """names os.system, which is not in the list"""
    return deepspeed(folder, calling("os", "system", touch(folder)))


@case
def pickle_sets_the_state_of_a_name(folder):
    """missing 1 required positional argument: 'state'"""
    return dcp(folder, b"\x80\x02ctorch\nSize\n}b.")


@case
def pickle_calls_what_a_name_made(folder):
    """object is not callable"""
    return dcp(folder, b"\x80\x02ctorch\ndevice\n)R)R.")


@case
def pickle_calls_for_another_class(folder):
    """names copyreg._reconstructor, which is not in the list"""
    return dcp(folder, b"\x80\x02ccopyreg\n_reconstructor\ncbuiltins\nlist\ncbuiltins\nobject\nN\x87R.")


@case
def pickle_calls_by_a_persistent_id(folder):
    """expected the pickle as torch.distributed.checkpoint.metadata.Metadata, got an object"""
    return dcp(folder, b"\x80\x02" + long(touch(folder)) + b"Q.")


@case
def pickle_makes_a_new_object_of_a_type(folder):
    """NEWOBJ class argument must be a type"""
    return dcp(folder, b"\x80\x02" + long("type") + b")\x81.")
