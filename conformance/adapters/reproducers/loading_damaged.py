    damage(folder)
    expect_refusal(load, folder)
