"""Bytes that tensors really hold."""


def storage_bytes(tensors):
    """The bytes of the tensors' storages, each counted once, padding included."""
    storages = {}
    for tensor in tensors:
        if tensor is not None:
            storage = tensor.untyped_storage()
            storages[storage.data_ptr()] = storage.nbytes()
    return sum(storages.values())


def state_tensors(optimizer):
    """All tensors that a torch optimizer keeps, step counts included."""
    return [
        value for state in optimizer.state.values() for value in state.values() if hasattr(value, "untyped_storage")
    ]
