def freeze(parameters, step):
    for p, parameter in enumerate(parameters):
        parameter.requires_grad_(p not in FROZEN[step])
