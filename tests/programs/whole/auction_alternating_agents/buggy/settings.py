ORDER = ("north", "south")
ROUNDS = 2
