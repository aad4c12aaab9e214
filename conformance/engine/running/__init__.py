"""Run portions with workers: start, examine, stop, resume, repeat one case."""
