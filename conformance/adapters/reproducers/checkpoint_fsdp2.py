# {common_folder}


# {damage}


def state_of(model, optimizer):
    of_model, of_optimizer = get_state_dict(model, optimizer)
    return {"model": of_model, "optimizer": of_optimizer}


def resumed(model, optimizer, parameters):
    """Saved, and loaded into a model and an optimizer made anew, with other values."""
    folder, frozen = common_folder(), [not parameter.requires_grad for parameter in parameters]
    checkpoint.save(state_of(model, optimizer), checkpoint_id=folder)
    model, optimizer, parameters = build(first_values(fresh=True))
    for parameter, is_frozen in zip(parameters, frozen):
        parameter.requires_grad_(not is_frozen)

    def load():
        state = state_of(model, optimizer)
        checkpoint.load(state, checkpoint_id=folder)
        set_state_dict(model, optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])

# {loading}
    return model, optimizer, parameters
