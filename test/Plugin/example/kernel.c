/* kernel.c - A compiler in C: from a matmul on views to PTX, with the manifest that the runtime library loads beside it. */

#include "layout-c/Layout.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Dialect/GPU.h"
#include "mlir-c/RegisterEverything.h"

#include <stdio.h>

static const char *const MATMUL =
    "!a = !layout.view<bf16, global, (512,256):(256,1)>\n"
    "!b = !layout.view<bf16, global, (128,256):(256,1)>\n"
    "!c = !layout.view<bf16, global, (512,128):(128,1)>\n"
    "func.func @gemm(%a: !a, %b: !b, %c: !c) {\n"
    "  layout.matmul %a, %b, %c schedule(#layout.schedule<auto, chip = \"sm_90a\">) : !a, !b, !c\n"
    "  return\n"
    "}\n";

/* Prints a text, after its label. */
static void show(MlirStringRef text, void *label) {
  printf("%s%.*s\n", (const char *)label, (int)text.length, text.data);
}

/* Runs passes; whether they succeed. */
static bool run(MlirModule module, const char *passes) {
  MlirPassManager manager = mlirPassManagerCreate(mlirModuleGetContext(module));
  MlirStringRef text = mlirStringRefCreateFromCString(passes);
  bool done = mlirLogicalResultIsSuccess(
      mlirParsePassPipeline(mlirPassManagerGetAsOpPassManager(manager), text, show, "error: "));
  done = done && mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module)));
  mlirPassManagerDestroy(manager);
  return done;
}

int main(void) {
  mlirRegisterAllPasses();
  layoutRegisterPasses();
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  layoutRegisterDialect(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, true);
  mlirRegisterAllLLVMTranslations(context);

  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(MATMUL));
  if (mlirModuleIsNull(module) || !run(module, "builtin.module(layout-to-nvvm)") ||
      !layoutGetManifest(mlirModuleGetOperation(module), show, show, "") ||
      !run(module, "builtin.module(nvvm-attach-target{chip=sm_90a features=+ptx84 O=3},gpu-module-to-binary{format=isa})"))
    return 1;
  MlirOperation found = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  for (; !mlirOperationIsNull(found); found = mlirOperationGetNextInBlock(found)) {
    MlirAttribute objects = mlirOperationGetAttributeByName(found, mlirStringRefCreateFromCString("objects"));
    if (!mlirAttributeIsNull(objects))
      show(mlirGPUObjectAttrGetObject(mlirArrayAttrGetElement(objects, 0)), "");
  }
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);
  return 0;
}
