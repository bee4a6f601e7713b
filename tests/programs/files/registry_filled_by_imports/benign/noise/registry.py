MODELS = {}


def model(name):
    def register(function):
        MODELS[name] = function
        return function

    return register
