"""Ignite: engines and their events (`ignite/engine`)."""
