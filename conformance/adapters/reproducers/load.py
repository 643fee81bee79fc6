        if (begin == 0) != (dist.get_world_size() == SAVERS):
            continue  # the other ranks train there
        if begin > 0:
            model, optimizer, parameters = loaded(common_folder())
