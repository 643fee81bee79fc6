def damage(folder):
    """One file of a checkpoint; scripts that lie beside it are not of it."""
    dist.barrier()
    if dist.get_rank() == 0:
        files = sorted(path for path in Path(folder).rglob("*") if path.is_file() and path.stat().st_size and path.suffix != ".py")
        file = files[DAMAGED % len(files)]
        if IS_MISSING:
            file.unlink()
        else:
            with file.open("r+b") as opened:
                opened.truncate(file.stat().st_size // 2)
        print(f"{file.name} is {'missing' if IS_MISSING else 'cut'}", flush=True)
    dist.barrier()


def expect_refusal(load, folder):
    """Calls load(), which must raise on every rank. Ends the program."""
    rank, refused, said = dist.get_rank(), False, dist.FileStore(f"{folder}/said", dist.get_world_size())
    try:
        load()
        print(f"rank {rank}: loaded what is not whole", flush=True)
    except BaseException as error:  # as CheckpointException is
        refused = True
        print(f"rank {rank}: refused, as expected: {type(error).__name__}: {error}", flush=True)
    said.set(str(rank), "")
    said.wait([str(other) for other in range(dist.get_world_size())], datetime.timedelta(seconds=60))  # who ends first would disturb the others
    os._exit(not refused)
