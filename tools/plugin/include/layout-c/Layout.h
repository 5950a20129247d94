/*===- layout-c/Layout.h - The layout dialect for C -------------------*- C -*-===*\
|*                                                                              *|
|* The functions of liblayout_plugin.so. They take and return objects of MLIR's *|
|* own C API (mlir-c/), and never end the process: a failure returns null or    *|
|* false, and passes a message of one line to a callback. A callback may be     *|
|* null; its text is valid during the call.                                     *|
|*                                                                              *|
|* Texts are the notation of `layout-calc`: a layout is `(4,8):(8,1)`, an       *|
|* operation a call such as `composition((6,2):(8,2), (4,3):(3,1))`.            *|
|*                                                                              *|
\*===----------------------------------------------------------------------===*/

#ifndef LAYOUT_C_LAYOUT_H
#define LAYOUT_C_LAYOUT_H

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include "mlir-c/Support.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*===----------------------------------------------------------------------===*\
|* Registration                                                                 *|
\*===----------------------------------------------------------------------===*/

/* The dialect's handle, for mlirDialectHandleLoadDialect and similar functions. */
MlirDialectHandle layoutGetDialectHandle(void);

/* Adds the dialect to a registry. */
void layoutRegisterDialect(MlirDialectRegistry registry);

/* Registers every pass and pipeline (`layout-simplify`, `layout-to-nvvm`, ...) with MLIR's global
 * registry, for textual pipelines. Further calls do nothing. Our pipelines name passes of MLIR's own,
 * which the program registers. */
void layoutRegisterPasses(void);

/*===----------------------------------------------------------------------===*\
|* Passes                                                                       *|
\*===----------------------------------------------------------------------===*/

/* A new pass by its name, such as `layout-simplify`, with options as a textual pipeline has them in
 * braces, such as `evaluate=false`. The caller owns it, until a pass manager takes it over
 * (mlirPassManagerAddOwnedPass). Null for a name that is none of our passes, and for options that the
 * pass does not have. */
MlirPass layoutPassCreate(MlirStringRef name, MlirStringRef options, MlirStringCallback onError,
                          void *userData);

/*===----------------------------------------------------------------------===*\
|* Manifests                                                                    *|
\*===----------------------------------------------------------------------===*/

/* The manifest of the kernels and programs below an operation, after `layout-to-nvvm` and before
 * `gpu-module-to-binary`: the JSON that the runtime library loads together with the code
 * (layout_runtime.h). Passes it to `onValue` and returns true, or passes a message to `onError` and
 * returns false. The code itself is in the `gpu.binary` that MLIR's own passes make. */
bool layoutGetManifest(MlirOperation operation, MlirStringCallback onValue,
                       MlirStringCallback onError, void *userData);

/*===----------------------------------------------------------------------===*\
|* Terms of the algebra                                                         *|
\*===----------------------------------------------------------------------===*/

/* Evaluates an expression, without a context: passes its value to `onValue` and returns true, or passes
 * a message to `onError` and returns false. */
bool layoutEvaluate(MlirStringRef expression, MlirStringCallback onValue,
                    MlirStringCallback onError, void *userData);

/* `#layout<text>`. Loads the dialect into the context. Null for a text that is no term. */
MlirAttribute layoutAttrGet(MlirContext context, MlirStringRef text, MlirStringCallback onError,
                            void *userData);

/* Whether an attribute is `#layout<...>`. */
bool layoutAttrIsATerm(MlirAttribute attribute);

/* The text between the brackets of an attribute of the dialect, in canonical form; the context keeps it. Empty for an
 * attribute of another dialect. */
MlirStringRef layoutAttrGetText(MlirAttribute attribute);

/* The term's value, again as `#layout<...>`. Null for a term that has none. */
MlirAttribute layoutAttrEvaluate(MlirAttribute attribute, MlirStringCallback onError,
                                 void *userData);

/* Writes the integer value of a term such as `size(...)` or `crd2idx(...)`, and returns true; returns
 * false for a term with another value or none. */
bool layoutAttrGetInteger(MlirAttribute attribute, int64_t *value, MlirStringCallback onError,
                          void *userData);

/*===----------------------------------------------------------------------===*\
|* Atoms, schedules, tiled copies and MMAs, relations                           *|
\*===----------------------------------------------------------------------===*/

/* Each takes the text between the brackets, and loads the dialect into the context. Null if the text does not parse. */

/* `#layout.atom<text>`, such as `cp_async_16`. */
MlirAttribute layoutAtomGet(MlirContext context, MlirStringRef text, MlirStringCallback onError,
                            void *userData);
bool layoutAttrIsAnAtom(MlirAttribute attribute);

/* `#layout.schedule<text>`, such as `auto, chip = "sm_90a"`. */
MlirAttribute layoutScheduleGet(MlirContext context, MlirStringRef text,
                                MlirStringCallback onError, void *userData);
bool layoutAttrIsASchedule(MlirAttribute attribute);

/* `#layout.tiled_copy<text>`, such as `cp_async_16, (16,8):(8,1), (1,8)`. */
MlirAttribute layoutTiledCopyGet(MlirContext context, MlirStringRef text,
                                 MlirStringCallback onError, void *userData);
bool layoutAttrIsATiledCopy(MlirAttribute attribute);

/* `#layout.tiled_mma<text>`, such as `mma_m16n8k16_f32_f16, (2,2,1)`. */
MlirAttribute layoutTiledMmaGet(MlirContext context, MlirStringRef text,
                                MlirStringCallback onError, void *userData);
bool layoutAttrIsATiledMma(MlirAttribute attribute);

/* `#layout.relation<text>`, such as `"{ [i] -> [(-3i) mod 16] }"`, with the quotes. */
MlirAttribute layoutRelationGet(MlirContext context, MlirStringRef text,
                                MlirStringCallback onError, void *userData);
bool layoutAttrIsARelation(MlirAttribute attribute);

/*===----------------------------------------------------------------------===*\
|* Types                                                                        *|
\*===----------------------------------------------------------------------===*/

/* `!layout<L>`, with the layout that `text` evaluates to, static or partly static. Loads the dialect into the context. */
MlirType layoutTypeGet(MlirContext context, MlirStringRef text, MlirStringCallback onError,
                       void *userData);

/* Whether a type is `!layout<...>`. */
bool layoutTypeIsALayout(MlirType type);

/* `!layout.tuple<text>`: a shape, a stride, a coordinate or a tuple of tilers, static or partly static. Loads the dialect
 * into the context. */
MlirType layoutTupleGet(MlirContext context, MlirStringRef text, MlirStringCallback onError,
                        void *userData);

/* Whether a type is `!layout.tuple<...>`. */
bool layoutTypeIsATuple(MlirType type);

/* The layout of `!layout<...>` or of `!layout.view<...>`, or the tuple of `!layout.tuple<...>`; the context keeps it.
 * Empty for a type of another kind. */
MlirStringRef layoutTypeGetText(MlirType type);

/* `!layout.view<element, space, L>`, with the layout that `text` evaluates to, static or partly static:
 * `(?,8):(?{div=8},1)`. The space is one of
 * `global`, `shared`, `register`, `host` and `coordinate`. */
MlirType layoutViewGet(MlirType element, MlirStringRef space, MlirStringRef text,
                       MlirStringCallback onError, void *userData);

/* Whether a type is `!layout.view<...>`. */
bool layoutTypeIsAView(MlirType type);

/* The type of a view's elements. Null for a type of another kind. */
MlirType layoutViewGetElementType(MlirType type);

/* The name of a view's space; the context keeps it. Empty for a type of another kind. */
MlirStringRef layoutViewGetSpace(MlirType type);

#ifdef __cplusplus
}
#endif

#endif /* LAYOUT_C_LAYOUT_H */
