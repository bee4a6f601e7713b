"""timm 1.x as models see it from outside: its layers, and models by their names."""

from timm.models import create_model
