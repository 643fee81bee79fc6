        if begin > 0:
            model, optimizer, parameters = resumed(model, optimizer, parameters)
