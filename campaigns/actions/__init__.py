"""Every write to the archive: keyword-only functions, atomic, with `by=` and an audit row inside."""
