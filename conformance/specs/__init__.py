"""What the documents say of each function, as data that a program can check."""

from conformance.editions import DOCUMENTS, EDITIONS, Document, Edition
from conformance.specs.conventions import Convention, load_conventions
from conformance.specs.load import Specs, load
from conformance.specs.model import Spec, SpecFile
from conformance.specs.signature import Parameter, Signature
from conformance.specs.source import SpecError

__all__ = [
    "DOCUMENTS",
    "EDITIONS",
    "Convention",
    "Document",
    "Edition",
    "Parameter",
    "Signature",
    "Spec",
    "SpecError",
    "SpecFile",
    "Specs",
    "load",
    "load_conventions",
]
