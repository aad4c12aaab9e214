"""Mutation testing of the suite: the share of planted errors that it detects.

A *mutant* is a correct backend with one error in one function. The suite *kills* it if a verdict
on that function gets worse. A mutant that survives shows a gap of the suite, or is *equivalent*:
nothing that the documents promise is different. The score is the share of the killed mutants among
the killed and the surviving ones.

There are two populations. `operators` wraps a backend's functions in errors that people make, such
as an ignored argument or a gradient a thousandth too large. `code` changes the source of a released
backend in small ways that nobody chose, and asks whether a gate notices.

* `model` owns the concepts: mutant, operator, survivor.
* `operators` is the table of operators, with the functions that each is for.
* `population` has all mutants of an edition, samples of them, and the equivalent ones with reasons.
* `backend` is a target whose worker makes the mutant (`worker/conformance_mutant`).
* `score` runs each mutant and stops at the first verdict that is worse than without the error.
* `records` is the report, as JSON and as a page.
* `code` has mutants of source code.
"""
