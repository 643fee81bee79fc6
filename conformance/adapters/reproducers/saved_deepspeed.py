def saved(engine):
    """The folder."""
    folder = common_folder()
    engine.save_checkpoint(folder, tag="checkpoint", save_latest=False)
    return folder
