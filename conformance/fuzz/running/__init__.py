"""The runs of composed programs on targets: campaigns, and earlier failures again."""
