"""Kinds of elements by the names that plans, safetensors, torch, numpy and zarr give them."""

from reading import Refused, shown

DTYPES = {  # by the name in plans: bytes, and further names
    "fp64": (8, "F64", "float64", "<f8"),
    "fp32": (4, "F32", "float32", "<f4"),
    "fp16": (2, "F16", "float16", "<f2"),
    "bf16": (2, "BF16", "bfloat16"),
    "fp8_e4m3": (1, "F8_E4M3", "float8_e4m3fn"),
    "fp8_e5m2": (1, "F8_E5M2", "float8_e5m2"),
    "int64": (8, "I64", "<i8"),
    "int32": (4, "I32", "<i4"),
    "int16": (2, "I16", "<i2"),
    "int8": (1, "I8", "|i1"),
    "uint8": (1, "U8", "|u1"),
    "bool": (1, "BOOL", "|b1"),
}
NAMES = {name: dtype for dtype, (_, *others) in DTYPES.items() for name in (dtype, *others)}
STORAGES = {  # of torch
    "DoubleStorage": "fp64",
    "FloatStorage": "fp32",
    "HalfStorage": "fp16",
    "BFloat16Storage": "bf16",
    "Float8_e4m3fnStorage": "fp8_e4m3",
    "Float8_e5m2Storage": "fp8_e5m2",
    "LongStorage": "int64",
    "IntStorage": "int32",
    "ShortStorage": "int16",
    "CharStorage": "int8",
    "ByteStorage": "uint8",
    "BoolStorage": "bool",
}


def dtype_from(name, where, names=NAMES):
    if name not in names:
        raise Refused(f"{where}: expected one of {', '.join(DTYPES)}, got {shown(name)}")
    return names[name]


def bytes_of(dtype):
    return DTYPES[dtype][0]
