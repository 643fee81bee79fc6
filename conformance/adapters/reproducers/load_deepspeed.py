        if (begin == 0) != (dist.get_world_size() == SAVERS):
            continue  # the other ranks train there
        if begin > 0:
            engine.destroy()
            engine, kept, parameters = loaded(common_folder())
