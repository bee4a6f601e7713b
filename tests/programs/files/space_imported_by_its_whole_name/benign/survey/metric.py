def norm(points):
    return points.sum(dim=1)
