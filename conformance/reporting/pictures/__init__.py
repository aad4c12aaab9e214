"""Pictures in SVG, for pages and for a README. Text in them is escaped by the XML library."""
