//===- Hooks.h - The border between C++ and Rust -------------------*- C++ -*-===//
//
// Everything that Rust installs into the shim and calls from it. The shim calls no Rust function
// by name; it has the table of hooks below. `src/ffi.rs` mirrors this file: change both, and the
// version, together.
//
// Hooks do not unwind: each is wrapped in `catch_unwind` on the Rust side.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_HOOKS_H
#define LAYOUT_HOOKS_H

#include "mlir-c/AffineMap.h"
#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include "mlir-c/Rewrite.h"
#include "mlir-c/Support.h"

#include <cstddef>
#include <cstdint>

extern "C" {

enum : uint32_t { LAYOUT_HOOKS_VERSION = 14 };

/// The expected kind of a text.
enum LayoutTextKind : int32_t {
  LAYOUT_TEXT_TERM = 0,
  LAYOUT_TEXT_LAYOUT = 1,
  LAYOUT_TEXT_ATOM = 2,
  LAYOUT_TEXT_SCHEDULE = 3,
  /// Any layout, also with symbols; `LAYOUT_TEXT_LAYOUT` is one that a view may have.
  LAYOUT_TEXT_VALUE = 4,
  LAYOUT_TEXT_TUPLE = 5,
  LAYOUT_TEXT_RELATION = 6,
  LAYOUT_TEXT_TILED_COPY = 7,
  LAYOUT_TEXT_TILED_MMA = 8,
  /// The thread-value layout of a tiled copy or MMA, whose value is a term.
  LAYOUT_TEXT_THREAD_VALUES = 9,
  /// How many kinds there are.
  LAYOUT_TEXT_KINDS,
};

/// The parts of a view's type beside its layout.
enum LayoutViewPart : int32_t { LAYOUT_VIEW_ELEMENT = 0, LAYOUT_VIEW_SPACE = 1 };

/// Receives a text, such as a message.
typedef void (*LayoutTextSink)(MlirStringRef text, void *user);
/// The value of an attribute or a type. Rust makes values and counts references to them; they never
/// change, and may be used and released from any thread.
struct LayoutValue;
/// Receives a value that is lent for the length of the call.
typedef void (*LayoutValueSink)(const LayoutValue *value, void *user);
/// Receives an error and the notes to it; `offset` is a byte of the text that was read, if one was.
typedef void (*LayoutReportSink)(size_t offset, MlirStringRef message, intptr_t noteCount,
                                 const MlirStringRef *notes, void *user);
typedef void (*LayoutTypeSink)(MlirType type, void *user);
typedef void (*LayoutAttributeSink)(MlirAttribute attribute, void *user);
/// Receives the number of an operand.
typedef void (*LayoutPlaceSink)(intptr_t operand, void *user);
/// Receives the least and the greatest value of a result.
typedef void (*LayoutRangeSink)(int64_t least, int64_t greatest, void *user);

struct LayoutHooks {
  /// Reads a text and passes its value to `accept`, or errors to `reject`.
  bool (*read)(int32_t kind, MlirStringRef text, LayoutValueSink accept, LayoutReportSink reject,
               void *user);
  /// The canonical text of a value, which lives as long as the value.
  MlirStringRef (*valueText)(const LayoutValue *value);
  /// Equal values have equal hashes.
  size_t (*valueHash)(const LayoutValue *value);
  bool (*valueEqual)(const LayoutValue *a, const LayoutValue *b);
  /// Counts one more reference to a value.
  void (*valueRetain)(const LayoutValue *value);
  /// Counts one reference less; the last one's end is the value's.
  void (*valueRelease)(const LayoutValue *value);
  /// Checks the element type and space of a view. A rejection comes with the part of the
  /// type that it is about, a `LayoutViewPart`, in place of an offset.
  bool (*checkView)(MlirType element, MlirStringRef space, LayoutReportSink reject, void *user);
  /// Checks an operation of the dialect; passes each violation to `reject`.
  bool (*verify)(MlirOperation operation, LayoutReportSink reject, void *user);
  /// Infers the result types of an operation of the dialect, from its operands' types and its
  /// attributes alone. The attributes are a dictionary, or the term of a constant.
  bool (*infer)(MlirStringRef operation, MlirContext context, intptr_t count,
                const MlirValue *operands, MlirAttribute attributes, LayoutTypeSink add,
                LayoutReportSink reject, void *user);
  /// Passes a constant to `add` or an operand to `take` for each result and returns true, or returns
  /// false. `constants` has a null attribute for each operand that is not constant.
  bool (*fold)(MlirOperation operation, intptr_t count, const MlirAttribute *constants,
               LayoutAttributeSink add, LayoutPlaceSink take, void *user);
  /// Passes the range of each result to `add`, or returns false. `bounds` has two for each operand.
  bool (*ranges)(MlirOperation operation, intptr_t count, const int64_t *bounds,
                 LayoutRangeSink add, void *user);
  /// Puts what an operation is short for in its place; false where it stays.
  bool (*expand)(MlirOperation operation, MlirRewriterBase rewriter);
  /// The affine map of a term as the layout of a memref; false after a reason why there is none.
  bool (*memrefMap)(MlirAttribute term, MlirAffineMap *map, LayoutReportSink reject, void *user);
  /// Checks that a term is the layout of memrefs of a shape, whose dynamic extents are negative.
  bool (*memrefShape)(MlirAttribute term, intptr_t rank, const int64_t *shape,
                      LayoutReportSink reject, void *user);
  /// The name among some that is most like another, or an empty one.
  MlirStringRef (*nearest)(MlirStringRef name, intptr_t count, const MlirStringRef *names);
};

/// Installs the hooks; false when the version is not this shim's. Call before anything else.
bool layoutInstallHooks(uint32_t version, const LayoutHooks *hooks);

MlirDialectHandle mlirGetDialectHandle__layout__(void);

// Attributes and types. Constructors count a reference of their own to the value.

enum LayoutAttributeKind : int32_t {
  LAYOUT_ATTRIBUTE_NONE = -1,
  LAYOUT_ATTRIBUTE_TERM = LAYOUT_TEXT_TERM,
  LAYOUT_ATTRIBUTE_ATOM = LAYOUT_TEXT_ATOM,
  LAYOUT_ATTRIBUTE_SCHEDULE = LAYOUT_TEXT_SCHEDULE,
  LAYOUT_ATTRIBUTE_RELATION = LAYOUT_TEXT_RELATION,
  LAYOUT_ATTRIBUTE_TILED_COPY = LAYOUT_TEXT_TILED_COPY,
  LAYOUT_ATTRIBUTE_TILED_MMA = LAYOUT_TEXT_TILED_MMA,
};

int32_t layoutAttributeKind(MlirAttribute attribute);
MlirStringRef layoutAttributeText(MlirAttribute attribute);
/// The value of an attribute of the dialect, lent by the context; null for others.
const LayoutValue *layoutAttributeValue(MlirAttribute attribute);
MlirAttribute layoutAttributeGet(MlirContext context, int32_t kind, const LayoutValue *value);

bool layoutTypeIsLayout(MlirType type);
MlirType layoutLayoutTypeGet(MlirContext context, const LayoutValue *value);
bool layoutTypeIsTuple(MlirType type);
MlirType layoutTupleTypeGet(MlirContext context, const LayoutValue *value);
bool layoutTypeIsView(MlirType type);
MlirType layoutViewTypeGet(MlirType element, MlirStringRef space, const LayoutValue *value);
/// The text of a layout or tuple type, or of a view's layout.
MlirStringRef layoutTypeText(MlirType type);
/// The value of a type of the dialect, lent by the context; null for others.
const LayoutValue *layoutTypeValue(MlirType type);
MlirType layoutViewTypeElement(MlirType type);
MlirStringRef layoutViewTypeSpace(MlirType type);

// Diagnostics.

enum LayoutSeverity : int32_t { LAYOUT_ERROR = 0, LAYOUT_WARNING = 1, LAYOUT_REMARK = 2 };

/// Emits `'name' op message` at the operation, with a note at another one unless that is null.
void layoutEmit(MlirOperation operation, int32_t severity, MlirStringRef message,
                MlirOperation noted, MlirStringRef note);

/// Emits a message at a location, without the operation.
void layoutEmitAt(MlirLocation location, int32_t severity, MlirStringRef message);

enum LayoutRemarkKind : int32_t {
  LAYOUT_REMARK_PASSED = 0,
  LAYOUT_REMARK_MISSED = 1,
};

/// Whether anything listens for remarks of a category: MLIR's option `--remarks-filter`.
bool layoutRemarksEnabled(MlirOperation operation);
/// Emits an optimisation remark at an operation, for the options `--remarks-filter…`. `category` is
/// the pass, `name` the kind of remark; both live as long as the process. An empty `suggestion` is
/// none.
void layoutRemark(MlirOperation operation, int32_t kind, MlirStringRef category,
                  MlirStringRef name, MlirStringRef reason, MlirStringRef suggestion);

// Passes.

struct LayoutPassRun;

struct LayoutPassOption {
  MlirStringRef name;
  MlirStringRef description;
  MlirStringRef initial;
};

struct LayoutPassStatistic {
  MlirStringRef name;
  MlirStringRef description;
};

struct LayoutPassDescriptor {
  MlirStringRef name;
  MlirStringRef description;
  /// The operation that the pass runs on; empty for any.
  MlirStringRef root;
  intptr_t optionCount;
  const LayoutPassOption *options;
  intptr_t statisticCount;
  const LayoutPassStatistic *statistics;
  intptr_t dependentCount;
  const MlirDialectHandle *dependents;
  /// Runs the pass; false for failure. May be called from several threads at once.
  bool (*run)(MlirOperation operation, LayoutPassRun *run, void *user);
  void *user;
};

/// The bytes of elements that a resource holds; null of another attribute, or where the resource has no contents.
MlirStringRef layoutResourceBytes(MlirAttribute attribute);

/// Registers a pass with MLIR's global registry. Everything in the descriptor is copied but
/// `user`, which must live as long as the process.
void layoutRegisterPass(const LayoutPassDescriptor *descriptor);
/// A new pass of a registered name, with options as in a pipeline's braces; the caller owns it. Null
/// when there is no such pass, or after handing what is wrong with the options to `reject`.
MlirPass layoutCreatePass(MlirStringRef name, MlirStringRef options, LayoutTextSink reject,
                          void *user);
MlirStringRef layoutPassOption(const LayoutPassRun *run, intptr_t index);
void layoutPassCount(LayoutPassRun *run, intptr_t statistic, uint64_t amount);
/// Runs a textual pipeline on an operation at or below the pass's own.
bool layoutPassRunPipeline(LayoutPassRun *run, MlirStringRef pipeline, MlirOperation operation);

/// Registers a named pipeline. `build` receives the options' values and passes the pipeline's text
/// to `accept`, or a message to `reject`.
void layoutRegisterPipeline(MlirStringRef name, MlirStringRef description, intptr_t optionCount,
                            const LayoutPassOption *options,
                            bool (*build)(intptr_t count, const MlirStringRef *values,
                                          LayoutTextSink accept, LayoutTextSink reject,
                                          void *callback, void *user),
                            void *user);

// Conversion.

/// Passes what a value of a type of the dialect is at run time to `add`; false where it has no such
/// form.
typedef bool (*LayoutParts)(MlirType type, LayoutTypeSink add, void *sink, void *user);

/// Converts values of the dialect's types wherever a function passes them on without examining them:
/// its signature, calls, returns, `scf`, `cf` and `arith.select`. Casts are between them and the
/// operations that do; false after a diagnostic.
bool layoutConvertStructure(MlirOperation function, LayoutParts parts, void *user);

// Bufferisation.

/// Options of upstream's one-shot bufferisation.
typedef struct {
  /// The layouts of a function's buffers: a value of `bufferization::LayoutMapOption`.
  int32_t boundary;
  uint32_t alignment;
  bool allowReturnAllocsFromLoops;
  bool allowUnknownOps;
} LayoutBufferizeOptions;

/// Inserts the copies of tensors without which buffers could not be shared; false after a diagnostic.
bool layoutInsertTensorCopies(MlirOperation module, LayoutBufferizeOptions options);
/// Replaces tensors by buffers, one that is encoded by a term by a buffer of that layout; false after a diagnostic. Copies have
/// been inserted.
bool layoutBufferizeModule(MlirOperation module, LayoutBufferizeOptions options);

// Tools.

/// Adds every upstream dialect, extension and LLVM IR translation to a registry.
void layoutRegisterUpstream(MlirDialectRegistry registry);
/// Adds the dialects of front ends to a registry (`ods/extensions`), but those that it has.
void layoutRegisterExtensions(MlirDialectRegistry registry);
/// Registers every upstream pass with MLIR's global registry.
void layoutRegisterUpstreamPasses(void);
/// `mlir-opt`'s main function over a registry; returns the exit status.
int layoutOptMain(int argc, char **argv, MlirStringRef tool, MlirDialectRegistry registry);
/// `mlir-lsp-server`'s main function over a registry; returns the exit status.
int layoutLspServerMain(int argc, char **argv, MlirDialectRegistry registry);

} // extern "C"

#endif // LAYOUT_HOOKS_H
