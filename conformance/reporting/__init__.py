"""One small writer per format. Each is fed the engine's events and knows nothing else."""

from conformance.reporting.json_results import JsonWriter, ResultsError, read_results
from conformance.reporting.markdown import MarkdownWriter
from conformance.reporting.record import Recorder
from conformance.reporting.terminal import TerminalWriter
from conformance.reporting.writer import Writer

__all__ = [
    "JsonWriter",
    "MarkdownWriter",
    "Recorder",
    "ResultsError",
    "TerminalWriter",
    "Writer",
    "read_results",
]
