def loaded(folder):
    """A model and an optimizer made anew, with other values, into which the checkpoint is loaded."""
    model, optimizer, parameters = build(first_values(fresh=True))

    def load():
        checkpoint = torch.load(f"{folder}/checkpoint.pt")
        model.module.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])

# {loading}
    return model, optimizer, parameters
