def loaded(folder):
    """An engine made anew, of other values, into which the checkpoint is loaded."""
    engine, kept, parameters = build(first_values(fresh=True))

    def load():
        if engine.load_checkpoint(folder, tag="checkpoint")[0] is None:
            raise RuntimeError("load_checkpoint loaded nothing")

# {loading}
    return engine, kept, parameters
