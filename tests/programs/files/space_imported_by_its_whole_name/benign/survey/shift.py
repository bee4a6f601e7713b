OFFSET = 0.5


def forward(distance):
    distance += OFFSET
