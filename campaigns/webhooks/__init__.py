"""Telling programs what happened: where an address may lead, how a message is signed, and how it is sent.

Pure network and bytes: the rows and what is in a message are `actions.webhooks`.
"""
