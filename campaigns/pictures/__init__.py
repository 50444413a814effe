"""Pictures for people who would rather look than read: plain data in, SVG out. Nothing here knows Django or a database.

Each picture is drawn the same way every time, has a title, a description and a table that says the same, and carries
its colours twice: as attributes, which a downloaded file shows, and as classes, by which the site's stylesheet dresses
it for a light or a dark page.
"""
