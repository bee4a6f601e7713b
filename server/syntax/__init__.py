"""From the text of a file to its lowered statements, chunk by chunk, with positions."""
