"""Durable record types: their shape on disk and on the wire, and no behaviour."""
