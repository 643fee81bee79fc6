def common_folder():
    """One for all ranks."""
    names = [tempfile.mkdtemp() if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(names, src=0)
    return names[0]
