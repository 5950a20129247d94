/* queries.c - A program in C that evaluates layouts with liblayout_plugin.so. */

#include "layout-c/Layout.h"

#include <inttypes.h>
#include <stdio.h>

/* Prints what the library lends, after the label that came with it. */
static void show(MlirStringRef text, void *label) {
  printf("%s: %.*s\n", (const char *)label, (int)text.length, text.data);
}

/* Prints a piece of a longer text. */
static void piece(MlirStringRef text, void *unused) {
  (void)unused;
  printf("%.*s", (int)text.length, text.data);
}

static MlirStringRef text(const char *characters) {
  return mlirStringRefCreateFromCString(characters);
}

int main(void) {
  /* Without a context. */
  if (!layoutEvaluate(text("zipped_divide((128,64):(64,1), (32,8))"), show, NULL, "value") ||
      layoutEvaluate(text("rank()"), NULL, show, "error"))
    return 1;

  /* With one, into which the constructors load the dialect. */
  MlirContext context = mlirContextCreate();
  MlirAttribute offset = layoutAttrGet(context, text("crd2idx((1,2), (4,8):(16,1))"), show, "error");
  int64_t value = 0;
  if (!layoutAttrIsATerm(offset) || !layoutAttrGetInteger(offset, &value, show, "error"))
    return 1;
  printf("offset: %" PRId64 "\n", value);
  show(layoutAttrGetText(offset), "term");
  MlirType type = layoutTypeGet(context, text("(4,8):(16,1)"), show, "error");
  if (!layoutTypeIsALayout(type) || layoutTypeIsAView(type))
    return 1;
  show(layoutTypeGetText(type), "layout");

  /* What a text that is not UTF-8, and a null, are answered with. */
  if (!mlirAttributeIsNull(layoutAttrGet(context, text("4:\xff"), show, "error")) ||
      !mlirTypeIsNull(layoutViewGet((MlirType){NULL}, text("host"), text("4:1"), show, "error")) ||
      !mlirTypeIsNull(layoutTypeGet((MlirContext){NULL}, text("4:1"), show, "error")) ||
      layoutAttrIsATerm((MlirAttribute){NULL}) ||
      layoutGetManifest((MlirOperation){NULL}, show, show, "error"))
    return 1;

  MlirPass pass = layoutPassCreate(text("layout-simplify"), text("evaluate=false"), show, "error");
  MlirPassManager manager = mlirPassManagerCreate(context);
  mlirPassManagerAddOwnedPass(manager, pass);
  mlirPrintPassPipeline(mlirPassManagerGetAsOpPassManager(manager), piece, NULL);
  printf("\n");
  mlirPassManagerDestroy(manager);
  mlirContextDestroy(context);
  return 0;
}
