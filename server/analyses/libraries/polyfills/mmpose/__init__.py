"""A member of the OpenMMLab family."""
