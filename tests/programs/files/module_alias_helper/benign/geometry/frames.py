def to_centre(points):
    points -= points.detach().mean(dim=0)
    return points
