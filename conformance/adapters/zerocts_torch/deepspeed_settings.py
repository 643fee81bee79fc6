"""Options ds.PATH=VALUE: keys of DeepSpeed's configuration, as ds.zero_optimization.overlap_comm=true."""

import difflib
import functools
import inspect
import json
import re
import typing

import deepspeed.runtime.config
from deepspeed.runtime.zero.config import ZERO_OPTIMIZATION, DeepSpeedZeroConfig

PREFIX = "ds."
READS_AT_THE_TOP = r"\(\s*param_dict,\s*(?:comm_type=)?([A-Z0-9_]+)"  # in the functions of deepspeed.runtime.config
OF_THE_CASE = {  # and which clauses or options are about it
    "train_batch_size": "every clause has several",
    "train_micro_batch_size_per_gpu": "every clause has several",
    "gradient_accumulation_steps": "the family accumulation judges it",
    "gradient_clipping": "the family norm judges it",
    "optimizer": "--optimizer chooses",
    "scheduler": "C-ZERO-052 judges changes of hyper-parameters",
    "bf16": "--precision chooses",
    "fp16": "--precision chooses",
    f"{ZERO_OPTIMIZATION}.stage": "the subject's name says it",
    f"{ZERO_OPTIMIZATION}.reduce_bucket_size": "many clauses vary it",
}


def refusal(path):
    """Why there is no option for the key; "" where there is. DeepSpeed itself takes unknown keys in silence."""
    if about := OF_THE_CASE.get(path) or OF_THE_CASE.get(path.split(".")[0]):
        return f"expected a key of DeepSpeed's configuration that no case sets, got {path}; {about}"
    known = paths()
    if path in known:
        return ""
    close = difflib.get_close_matches(path, known, n=3, cutoff=0.5)
    return f"expected a key of DeepSpeed's configuration, got {path}; near it are {', '.join(close) or 'none'}"


@functools.cache  # asked at each open
def paths():
    """All keys that DeepSpeed knows: at the top level those that its code asks for."""
    source = inspect.getsource(deepspeed.runtime.config)
    top = {getattr(deepspeed.runtime.config, name) for name in re.findall(READS_AT_THE_TOP, source)}
    return sorted(top | {f"{ZERO_OPTIMIZATION}.{path}" for path in paths_in(DeepSpeedZeroConfig)})


def paths_in(model):
    """The fields of a pydantic model and, behind a dot, of the models in it."""
    for name, field in fields_of(model).items():
        inner = [kind for kind in (field.annotation, *typing.get_args(field.annotation)) if fields_of(kind)]
        yield from (f"{name}.{path}" for kind in inner for path in paths_in(kind))
        if not inner:
            yield field.alias or name


def fields_of(kind):
    return getattr(kind, "model_fields", None) or {}


def applied(config, options):
    """The configuration with what the options say."""
    for name, value in options.items():
        if name.startswith(PREFIX):
            *folders, key = name.removeprefix(PREFIX).split(".")
            section = config
            for folder in folders:
                section = section.setdefault(folder, {})
            section[key] = value_of(value)
    return config


def value_of(text):
    """true, 4 and "cpu" as JSON has them; a bare word is text."""
    try:
        return json.loads(text)
    except ValueError:
        return text
