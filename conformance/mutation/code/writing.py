"""Reports on code mutants as files: JSON, which a later start goes on from, and Markdown."""

from __future__ import annotations

from pathlib import Path

import msgspec

from conformance.files import write_atomically
from conformance.mutation.code.beside import other_tests_file, read_other_tests
from conformance.mutation.code.classified import Classified, classes
from conformance.mutation.code.page import code_page
from conformance.mutation.code.records import SCHEMA, CodeMutationReport
from conformance.reporting.json_results import schema_of
from conformance.results.encoding import plain_data

SCHEMA_ID = "urn:keras-backend-conformance:schema:code-mutation-1"


class ReportError(Exception):
    """A report cannot be read; the message says why."""


def report_file(folder: Path, target: str) -> Path:
    """Where the JSON report on a target is in a folder."""
    return folder / f"{target}.code-mutation.json"


def write_report(report: CodeMutationReport, folder: Path, known: list[Classified]) -> None:
    """Write TARGET.code-mutation.json and .md; OSError if that cannot be done."""
    file = report_file(folder, report.target)
    write_atomically(file, encode(report))
    other = read_other_tests(other_tests_file(folder, report.target))
    page = code_page(report, classes(known, report.target), other)
    write_atomically(file.with_suffix(".md"), page.encode())


def encode(report: CodeMutationReport) -> bytes:
    """The bytes of the report as JSON."""
    return msgspec.json.format(msgspec.json.encode(plain_data(report)), indent=1) + b"\n"


def read_report(file: Path) -> CodeMutationReport:
    """The report in a file. Raises `ReportError`."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=CodeMutationReport)
    except (OSError, msgspec.MsgspecError) as error:
        raise ReportError(f"{file}: {getattr(error, 'strerror', None) or error}") from error


def encode_schema() -> bytes:
    """The bytes of the published `code-mutation-1.schema.json`."""
    schema = schema_of(CodeMutationReport, SCHEMA_ID, f"Code mutants of a backend ({SCHEMA})")
    return msgspec.json.format(msgspec.json.encode(schema), indent=1) + b"\n"
