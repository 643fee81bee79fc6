    freeze(parameters, LEGS[0][1] - 1)  # as when it was saved
