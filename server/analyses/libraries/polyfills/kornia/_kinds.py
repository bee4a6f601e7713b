"""The kinds of functions of an image, by what they save for backward."""

from gradguard import linked


def keeping(image, *args, **kwargs):
    """Saves the image."""
    return linked(image, *args, *kwargs.values(), saves=[image])


def keeping_both(image, *args, **kwargs):
    """Saves the image and the result."""
    return linked(image, *args, *kwargs.values(), saves=[image], saves_result=True)


def plain(image, *args, **kwargs):
    """Saves neither."""
    return linked(image, *args, *kwargs.values())
