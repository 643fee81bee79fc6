def saved(model, optimizer):
    """The folder."""
    folder = common_folder()
    optimizer.consolidate_state_dict(0)
    if dist.get_rank() == 0:
        torch.save({"model": model.module.state_dict(), "optimizer": optimizer.state_dict()}, f"{folder}/checkpoint.pt")
    dist.barrier()
    return folder
