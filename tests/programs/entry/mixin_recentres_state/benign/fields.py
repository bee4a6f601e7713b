class Recentred:
    """Keeps `self.state` at mean zero."""

    state = None

    def offset(self):
        return self.state.mean().detach()

    def recentre(self):
        self.state -= self.offset()
