# {common_folder}


# {damage}


def resumed(model, optimizer, parameters):
    """Saved, and loaded into a model and an optimizer made anew, with other values."""
    folder = common_folder()
    file = f"{folder}/checkpoint.pt"
    optimizer.consolidate_state_dict(0)
    if dist.get_rank() == 0:
        torch.save({"model": model.module.state_dict(), "optimizer": optimizer.state_dict()}, file)
    dist.barrier()
    model, optimizer, parameters = build(first_values(fresh=True))

    def load():
        saved = torch.load(file)
        model.module.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])

# {loading}
    return model, optimizer, parameters
