        if begin > 0:
            model, optimizer, parameters = loaded(saved(model, optimizer))
