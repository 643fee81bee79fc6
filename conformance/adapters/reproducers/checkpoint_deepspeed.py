# {common_folder}


# {damage}


def resumed(engine):
    """Saved, and loaded into an engine made anew, of other values."""
    folder = common_folder()
    engine.save_checkpoint(folder, tag="checkpoint", save_latest=False)
    engine.destroy()
    engine, kept, parameters = build(first_values(fresh=True))

    def load():
        if engine.load_checkpoint(folder, tag="checkpoint")[0] is None:
            raise RuntimeError("load_checkpoint loaded nothing")

# {loading}
    return engine, kept, parameters
