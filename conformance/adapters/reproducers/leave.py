    if dist.get_world_size() == SAVERS:
        saved(model, optimizer)
        print(f"rank {dist.get_rank()}: saved", flush=True)
        leave(failed=False)
