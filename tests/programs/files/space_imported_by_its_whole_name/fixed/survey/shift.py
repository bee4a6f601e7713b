OFFSET = 0.5


def forward(distance):
    return distance + OFFSET
