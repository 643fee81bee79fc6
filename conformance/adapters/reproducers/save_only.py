        if begin > 0:
            saved(model, optimizer)
