"""The folder that a target's interpreter runs; the host imports only its frame codec."""
