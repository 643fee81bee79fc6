def loaded(folder):
    """A model and an optimizer made anew, with other values, into which the checkpoint is loaded."""
    model, optimizer, parameters = build(first_values(fresh=True))
# {freeze_loaded}

    def load():
        state = state_of(model, optimizer)
        checkpoint.load(state, checkpoint_id=folder)
        state_dict.set_state_dict(model, optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])

# {loading}
    return model, optimizer, parameters
