"""The settings of Sphinx, which makes the site from what tools/docs_site has put together."""

from __future__ import annotations

import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# Beside this file, or beside the copy of it in build/docs/source.
ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())

project = "PyGPU"
version = release = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
copyright = "the PyGPU developers"

extensions = ["myst_parser"]
myst_enable_extensions = ["attrs_inline", "colon_fence"]
myst_heading_anchors = 4
nitpicky = True

html_theme = "furo"
html_title = f"PyGPU {release}"
html_static_path = ["_static", "pictures"]
html_css_files = ["site.css"]
html_favicon = "pictures/logo-light.svg"
html_theme_options = {"light_logo": "logo-light.svg", "dark_logo": "logo-dark.svg"}
html_copy_source = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
