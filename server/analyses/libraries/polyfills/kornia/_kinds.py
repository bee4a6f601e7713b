"""What a function of an image may keep for backward."""

from gradguard import linked


def keeping(image, *args, **kwargs):
    """The image."""
    return linked(image, *args, *kwargs.values(), saves=[image])


def keeping_both(image, *args, **kwargs):
    """The image, and what it gives."""
    return linked(image, *args, *kwargs.values(), saves=[image], saves_result=True)


def plain(image, *args, **kwargs):
    """Neither."""
    return linked(image, *args, *kwargs.values())
