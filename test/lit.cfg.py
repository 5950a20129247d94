"""lit configuration of all suites.

The tools under test come from LAYOUT_TOOLS_DIR (target/debug of this repository by default), LLVM's
from LAYOUT_LLVM_BIN (/usr/lib/llvm-22/bin by default). A tool that is missing is a failure, never a
skipped test. Tests that say `REQUIRES: gpu` run when LAYOUT_GPU=1.
"""

import os
import shutil
import sys

import lit.formats

config.name = "layout"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))

repository = os.path.dirname(config.test_source_root)
tools = os.path.abspath(
    os.environ.get("LAYOUT_TOOLS_DIR", os.path.join(repository, "target", "debug"))
)
llvm = os.environ.get("LAYOUT_LLVM_BIN", "/usr/lib/llvm-22/bin")

# What tests write goes beside the tools, out of the sources.
config.test_exec_root = os.path.join(tools, "lit")

required = {"layout-opt": tools, "layout-lsp-server": tools}
required.update({tool: llvm for tool in ["FileCheck", "not", "split-file", "mlir-opt"]})
for tool, directory in required.items():
    if shutil.which(tool, path=directory) is None:
        lit_config.fatal("expected the tool %s in %s, found none" % (tool, directory))

config.environment["PATH"] = os.pathsep.join([tools, llvm, os.environ.get("PATH", "")])
config.environment["LLVM_DISABLE_SYMBOLIZATION"] = "1"
for variable in ["LAYOUT_LOG", "LAYOUT_GPU", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH"]:
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]

config.substitutions.append(("%python", '"%s"' % sys.executable))

if os.environ.get("LAYOUT_GPU") == "1":
    config.available_features.add("gpu")
