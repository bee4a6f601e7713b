AUGMENT = "erase"
