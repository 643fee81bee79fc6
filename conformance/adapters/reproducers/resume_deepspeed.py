        if begin > 0:
            engine, kept, parameters = resumed(engine)
