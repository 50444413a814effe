"""Notarius as tools for an assistant: the library's answers over the Model Context Protocol, read-only.

`server` is the only file that imports the SDK; `reading` makes the answers, `answers` is their shape.
"""
