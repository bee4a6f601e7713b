"""Context variables, in the one context that the replay knows."""


class Token:
    MISSING = object()

    def __init__(self, var, old_value):
        self.var = var
        self.old_value = old_value


class ContextVar:
    def __init__(self, name, *, default=Token.MISSING):
        self.name = name
        self.default = default
        self.value = Token.MISSING

    def get(self, default=Token.MISSING):
        for one in (self.value, default, self.default):
            if one is not Token.MISSING:
                return one
        raise LookupError(self)

    def set(self, value):
        token = Token(self, self.value)
        self.value = value
        return token

    def reset(self, token):
        self.value = token.old_value
