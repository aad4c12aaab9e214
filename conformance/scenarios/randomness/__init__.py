"""Scenarios of random numbers and dropout, with the statistics by which they are judged."""
