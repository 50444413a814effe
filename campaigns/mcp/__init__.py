"""Notarius as tools for an assistant: the library's answers over the Model Context Protocol, read-only.

`server` is the only file that imports the SDK; `gate` stands before it over HTTP, `reading` makes the answers,
`answers` is their shape, `refusing` words what does not fit.
"""
