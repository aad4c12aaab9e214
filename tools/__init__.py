"""Commands that make the data and the pages that ship with the suite."""
