        freeze(parameters, step)
