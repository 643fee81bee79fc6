"""DeepSpeed's checkpoints, through its engine. What is frozen it leaves to the trainer, as client state."""

import pathlib

TAG = "checkpoint"
FROZEN = "frozen"


def save(engine, folder, frozen):
    engine.save_checkpoint(folder, tag=TAG, client_state={FROZEN: frozen}, save_latest=False)
    if engine.global_rank == 0:
        take_scripts_away(folder)


def take_scripts_away(folder):
    """It writes scripts for other tools beside the checkpoint, which no load reads: nothing is lost with them."""
    for script in pathlib.Path(folder).glob("*.py"):
        script.unlink()


def load(engine, folder):
    """Returns what was frozen."""
    path, client_state = engine.load_checkpoint(folder, tag=TAG)
    if path is None:
        raise RuntimeError("engine.load_checkpoint loaded nothing")
    return client_state[FROZEN]
