"""timm 1.x as programs see it from outside: its layers, and its models by name."""

from timm.models import create_model
