        if begin > 0:
            folder = saved(engine)
            engine.destroy()
            engine, kept, parameters = loaded(folder)
