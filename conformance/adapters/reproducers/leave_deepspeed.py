    if dist.get_world_size() == SAVERS:
        saved(engine)
        print(f"rank {dist.get_rank()}: saved", flush=True)
        leave(failed=False)
