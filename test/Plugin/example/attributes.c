/* attributes.c - A matmul on views that a program in C builds: types, a schedule and the operation, without a text of IR. */

#include "layout-c/Layout.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/BuiltinAttributes.h"

#include <stdio.h>

static MlirStringRef text(const char *characters) {
  return mlirStringRefCreateFromCString(characters);
}

/* Prints a text after its label. */
static void show(MlirStringRef text, void *label) {
  printf("%s%.*s\n", (const char *)label, (int)text.length, text.data);
}

int main(void) {
  MlirContext context = mlirContextCreate();
  MlirLocation here = mlirLocationUnknownGet(context);
  MlirType view = layoutViewGet(mlirBF16TypeGet(context), text("global"), text("(512,512):(512,1)"), show, "error: ");
  MlirAttribute automatic = layoutScheduleGet(context, text("auto, chip = \"sm_90a\""), show, "error: ");
  if (!layoutTypeIsAView(view) || !layoutAttrIsASchedule(automatic) || layoutAttrIsAnAtom(automatic))
    return 1;
  show(layoutAttrGetText(automatic), "schedule: ");

  MlirType views[] = {view, view, view};
  MlirLocation places[] = {here, here, here};
  MlirBlock block = mlirBlockCreate(3, views, places);
  MlirValue operands[3];
  for (intptr_t i = 0; i < 3; ++i)
    operands[i] = mlirBlockGetArgument(block, i);
  const int32_t groups[] = {1, 1, 1, 0, 0};
  MlirNamedAttribute attributes[] = {
      {mlirIdentifierGet(context, text("schedule")), automatic},
      {mlirIdentifierGet(context, text("operandSegmentSizes")), mlirDenseI32ArrayGet(context, 5, groups)},
  };
  MlirRegion epilogue = mlirRegionCreate();
  MlirOperationState state = mlirOperationStateGet(text("layout.matmul"), here);
  mlirOperationStateAddOperands(&state, 3, operands);
  mlirOperationStateAddAttributes(&state, 2, attributes);
  mlirOperationStateAddOwnedRegions(&state, 1, &epilogue);
  MlirOperation matmul = mlirOperationCreate(&state);
  mlirBlockAppendOwnedOperation(block, matmul);
  if (!mlirOperationVerify(matmul))
    return 1;
  show(mlirIdentifierStr(mlirOperationGetName(matmul)), "verified: ");

  /* Errors say what was expected. */
  layoutTiledCopyGet(context, text("cp_async_16"), show, "error: ");
  layoutTiledMmaGet(context, text("ldmatrix_x4, (1,1,1)"), show, "error: ");
  layoutRelationGet(context, text("\"{ [i] -> [j] }\""), show, "error: ");
  layoutTupleGet(context, text("8:1"), show, "error: ");
  layoutAtomGet(context, text("simt_3"), show, "error: ");
  mlirBlockDestroy(block);
  mlirContextDestroy(context);
  return 0;
}
