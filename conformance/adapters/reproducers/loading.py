    load()
