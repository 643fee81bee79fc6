        if begin > 0:
            saved(engine)
