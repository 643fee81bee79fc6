def common_folder():
    """For the ranks that save and those that load, which are not there at the same time."""
    folder = Path(__file__).with_suffix(".checkpoint")
    folder.mkdir(exist_ok=True)
    return str(folder)
