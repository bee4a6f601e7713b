AUGMENT = "flip"
