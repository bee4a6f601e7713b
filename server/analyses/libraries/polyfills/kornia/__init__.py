"""kornia 0.9: functions of images, by what they save for backward."""

from kornia import color, enhance, filters, geometry, losses
