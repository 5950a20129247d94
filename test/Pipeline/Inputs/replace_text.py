"""Replaces a text, which must be there once or more often, in a file: replace_text.py OLD NEW FROM TO."""

import pathlib
import sys

old, new, source, target = sys.argv[1:]
text = pathlib.Path(source).read_text()
assert old in text, f"expected {old} in {source}, found none"
pathlib.Path(target).write_text(text.replace(old, new))
