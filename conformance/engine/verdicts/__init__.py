"""Turn findings into failures and verdicts: group them, make them smaller, describe them."""
