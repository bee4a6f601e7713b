"""The run-time companion: watches PyTorch while a program runs, and names the lines when a backward fails.

import gradguard.runtime

with gradguard.runtime.watch() as seen:
    train()
"""
