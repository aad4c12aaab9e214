"""From findings to failures and verdicts: grouped, made smaller, told."""
