"""How a user's sharded optimizer is made, by its signature: (params, lr, ..) as torch.optim.Optimizer's, or (params,
optimizer_class, ..) as ZeroRedundancyOptimizer's. And what synchronises gradients beside it.
"""

import ast
import inspect
import re
from pathlib import Path

from . import device, optimizers
from .hyper_parameters import CLASS_NAMES
from .user_file import Problem, line_of, load

DDP, INSIDE = "torch", "none"  # who averages gradients: DistributedDataParallel, or the optimizer itself
FORMS = f"ddp={DDP}, ddp={INSIDE} or ddp=FILE:CLASS, inner={' or '.join(CLASS_NAMES.values())}"
OURS = ("ddp", "inner", *device.options("cuda"))
NEEDED = {
    "sgd": ("lr", "weight_decay", "momentum"),
    "adamw": ("lr", "weight_decay", "betas", "eps"),
    "adam": ("lr", "weight_decay", "betas", "eps"),
    "muon": ("lr", "weight_decay", "momentum"),
}
SGD_VARIANTS = ("dampening", "nesterov")
SET_BY_CASES = {name for names in NEEDED.values() for name in names} | set(SGD_VARIANTS)
CLASS_ARGUMENT = re.compile(r"^(optim|optimizer|inner|base_optimizer)$|(cls|class)$")
BUCKET_ARGUMENTS = ("bucket_cap_mb", "bucket_size_mb")


def literal(text):
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


class Arguments:
    """What may be given by name behind the first argument."""

    def __init__(self, callable_):
        self.line = line_of(callable_)
        parameters = list(inspect.signature(callable_).parameters.values())[1:]
        self.takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters)
        named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        self.names = [p.name for p in named]
        self.required = [p.name for p in named if p.default is p.empty]

    def take(self, name):
        return self.takes_any or name in self.names

    def require_nothing_but(self, given, who, cure):
        missing = [name for name in self.required if name not in given]
        if missing:
            raise Problem(f"{self.line}: {who} wants {', '.join(missing)}, which it does not get; {cure}")


class UserOptimizer:
    def __init__(self, target, options):
        self.target, self.options = target, options
        self.name = target.rpartition(":")[2]
        self.make_it = load(target)
        if not callable(self.make_it) or inspect.isclass(self.make_it) and not hasattr(self.make_it, "step"):
            raise Problem(
                f"{line_of(self.make_it)}: expected an optimizer, with step and param_groups, got {self.name}"
            )
        self.arguments = Arguments(self.make_it)
        self.class_argument = next(filter(CLASS_ARGUMENT.search, self.arguments.names), None)
        self.given = {key: literal(value) for key, value in options.items() if key not in OURS}
        self.ddp = options.get("ddp", DDP)
        self._read_wrapper()
        self.kinds = self._kinds()

    @property
    def averages_inside(self):
        return self.ddp == INSIDE

    def _read_wrapper(self):
        if self.ddp in (DDP, INSIDE):
            return
        self.wrapper = load(self.ddp)
        arguments = Arguments(self.wrapper)
        self.bucket_argument = next((name for name in BUCKET_ARGUMENTS if name in arguments.names), None)
        arguments.require_nothing_but([self.bucket_argument], self.ddp, "a DDP gets the module alone: add a default")

    def _kinds(self):
        """Which of torch's optimizers it may be."""
        asked = self._asked_kinds()
        for key in self.given:
            if key in SET_BY_CASES:
                raise Problem(f"--option {key}: expected what cases do not set, got {key}, which they do; leave it out")
            if not any(self._takes_option(kind, key) for kind in asked):
                inner = f", or of torch.optim.{' or '.join(map(CLASS_NAMES.get, asked))}" if self.class_argument else ""
                raise Problem(
                    f"--option {key}: expected {FORMS}, or an argument of {self.name} "
                    f"({', '.join(self.arguments.names)}; {self.arguments.line}){inner}, got {key}"
                )
        self.arguments.require_nothing_but(
            {*SET_BY_CASES, *self.given, self.class_argument}, self.name, "add --option NAME=VALUE, or a default"
        )
        kinds = [
            kind
            for kind in asked
            if all(map(self.arguments.take, NEEDED[kind])) and all(self._takes_option(kind, key) for key in self.given)
        ]
        if not kinds:
            shown = asked if "inner" in self.options else ["sgd", "adamw"]
            forms = [f"{', '.join(NEEDED[kind])} as torch.optim.{CLASS_NAMES[kind]}" for kind in shown]
            raise Problem(
                f"{self.arguments.line}: expected a constructor with {' or '.join(forms)}, got "
                f"{', '.join(self.arguments.names) or 'none'}"
            )
        return kinds

    def _asked_kinds(self):
        inner = self.options.get("inner")
        if inner is None:
            return ["sgd", "adamw"] if self.class_argument else list(optimizers.CLASSES)
        names = {kind: CLASS_NAMES[kind] for kind in optimizers.CLASSES}
        kinds = [kind for kind, name in names.items() if inner in (name, f"torch.optim.{name}")]
        if not kinds:
            raise Problem(f"--option inner: expected torch.optim.{', torch.optim.'.join(names.values())}, got {inner}")
        return kinds

    def passed_on(self):
        """What is given to the inner optimizer."""
        return {key: value for key, value in self.given.items() if key not in self.arguments.names}

    def _takes_option(self, kind, key):
        inner_takes = not self.class_argument or Arguments(optimizers.CLASSES[kind]).take(key)
        return key in self.arguments.names or self.arguments.takes_any and inner_takes

    def taken(self, values):
        """Those of a group's values that the constructor takes."""
        return {key: value for key, value in values.items() if key == "params" or self.arguments.take(key)}

    def make(self, kind, params, values):
        """`params`: as torch.optim.Optimizer takes them."""
        by_class = {self.class_argument: optimizers.CLASSES[kind]} if self.class_argument else {}
        return self.make_it(params, **by_class, **self.taken(values), **self.given)

    def wrap(self, module, bucket_cap_bytes):
        """By the user's own synchronisation of gradients."""
        bucket = bucket_cap_bytes / 2**20 if bucket_cap_bytes else 25
        return self.wrapper(module, **({self.bucket_argument: bucket} if self.bucket_argument else {}))

    def resolved(self):
        """What a rank, which may run elsewhere, makes the same from."""
        options = {**self.options, **({"ddp": absolute(self.ddp)} if self.ddp not in (DDP, INSIDE) else {})}
        return {"target": absolute(self.target), "options": options, "typed": self.options}


def absolute(target):
    path, _, name = target.rpartition(":")
    return f"{Path(path).resolve()}:{name}" if Path(path).is_file() else target
