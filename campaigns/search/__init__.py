"""Search: words folded and stemmed in Python, kept in an index of the database's own, found in one order everywhere."""
