"""What the five documents are, and what they hold: names, signatures and their lines; no sentences.

`DOCUMENT.yaml` lists the entries of a document, `texts.yaml` says which text it is.
"""
