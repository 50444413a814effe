"""The website that a group opens between its sessions: all it shows comes from `campaigns.library`."""
