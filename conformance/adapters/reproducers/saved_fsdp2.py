def state_of(model, optimizer):
    of_model, of_optimizer = state_dict.get_state_dict(model, optimizer)
    return {"model": of_model, "optimizer": of_optimizer}


def saved(model, optimizer):
    """The folder."""
    folder = common_folder()
    checkpoint.save(state_of(model, optimizer), checkpoint_id=folder)
    return folder
