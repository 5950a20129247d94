"""lit configuration of all suites.

The tools under test come from LAYOUT_TOOLS_DIR (target/debug of this repository by default), LLVM's
from LAYOUT_LLVM_BIN (/usr/lib/llvm-22/bin by default). A tool that is missing is a failure, never a
skipped test. Tests that say `REQUIRES: gpu` run when LAYOUT_GPU=1.

The plugin comes from LAYOUT_PLUGIN (liblayout_plugin.so beside the tools by default). With
LAYOUT_THROUGH_PLUGIN=1 a stock mlir-opt that loads it replaces layout-opt, in any suite.
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

plugin = os.path.abspath(
    os.environ.get("LAYOUT_PLUGIN", os.path.join(tools, "liblayout_plugin.so"))
)
through_plugin = os.environ.get("LAYOUT_THROUGH_PLUGIN") == "1"

# Output of tests goes beside the tools, out of the sources.
config.test_exec_root = os.path.join(tools, "lit-plugin" if through_plugin else "lit")

# lit begins with the tests that took longest in the run before. The first run has none before it: these
# take longest, in this order, and would leave all cores but one idle at the end.
SLOWEST = [
    "Pipeline/linalg.test", "Pipeline/grouped.test", "Pipeline/verify.test", "Pipeline/combinations.test",
    "Pipeline/types.test", "Pipeline/deferred_stores.mlir", "Pipeline/batched.test",
    "Pipeline/threads_warpgroups.test", "Pipeline/epilogues.test", "Pipeline/book.test",
    "Pipeline/deferred.test", "Pipeline/compile.test", "Pipeline/problems.test", "Pipeline/references.test",
    "Pipeline/assemble.test", "Pipeline/blocked.test", "Dialect/mutants.test",
]
times = os.path.join(config.test_exec_root, ".lit_test_times.txt")
if not os.path.exists(times):
    os.makedirs(config.test_exec_root, exist_ok=True)
    with open(times, "w") as file:
        for place, test in enumerate(SLOWEST):
            file.write("%e %s\n" % (20.0 * (len(SLOWEST) - place), test))

required = {"layout-opt": tools, "layout-lsp-server": tools}
required.update({tool: llvm for tool in ["FileCheck", "not", "split-file", "mlir-opt"]})
for tool, directory in required.items():
    if shutil.which(tool, path=directory) is None:
        lit_config.fatal("expected the tool %s in %s, found none" % (tool, directory))

path = [tools, llvm, os.environ.get("PATH", "")]
if through_plugin:
    config.name = "layout through stock mlir-opt"
    if not os.path.exists(plugin):
        lit_config.fatal("expected the plugin at %s, found nothing" % plugin)
    path.insert(0, os.path.join(config.test_source_root, "Plugin", "Inputs", "bin"))
config.environment["PATH"] = os.pathsep.join(path)
config.environment["LAYOUT_PLUGIN"] = plugin
config.environment["LLVM_DISABLE_SYMBOLIZATION"] = "1"
for variable in ["LAYOUT_LOG", "LAYOUT_GPU", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH"]:
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]

config.substitutions.append(("%python", '"%s"' % sys.executable))
config.substitutions.append(("%tools", tools))
config.substitutions.append(("%runtime", os.path.join(repository, "lowering", "runtime")))
config.substitutions.append(("%plugin", '"%s"' % plugin))
config.substitutions.append(("%headers", os.path.join(os.path.dirname(plugin), "include")))
config.substitutions.append(("%llvm_prefix", '"%s"' % os.path.dirname(os.path.abspath(llvm))))

if os.environ.get("LAYOUT_GPU") == "1":
    config.available_features.add("gpu")
