def resumed(model, optimizer, parameters):
    """Saved, and loaded into a model and an optimizer made anew, with other values."""
    folder, frozen = saved(model, optimizer), [not parameter.requires_grad for parameter in parameters]
    model, optimizer, parameters = build(first_values(fresh=True))
    for parameter, is_frozen in zip(parameters, frozen):
        parameter.requires_grad_(not is_frozen)

    def load():
        state = state_of(model, optimizer)
        checkpoint.load(state, checkpoint_id=folder)
        state_dict.set_state_dict(model, optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])

# {loading}
    return model, optimizer, parameters
