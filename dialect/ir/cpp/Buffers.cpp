//===- Buffers.cpp - Deallocation of memory that views use ------------------===//
//
// Upstream's ownership-based deallocation tracks values of memref types only: it frees a buffer at the end of the block
// after which no memref of it is live. A view is no memref, so `layout.make_view` must detect buffers that stay live as
// views.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace layout;

/// The root memref of a chain of views.
static Value viewedBuffer(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>()) {
    Value source = view.getViewSource();
    if (!llvm::isa<BaseMemRefType>(source.getType()))
      break;
    memref = source;
  }
  return memref;
}

/// A use of a view, or of what may be that view, which is not over when `block` ends; null if there is none.
static Operation *useAfter(Block *block, Value view) {
  llvm::SmallSetVector<Value, 8> views;
  auto add = [&](ValueRange values) {
    for (Value value : values)
      if (llvm::isa<ViewType>(value.getType()))
        views.insert(value);
  };
  views.insert(view);
  for (size_t i = 0; i < views.size(); ++i) {
    for (Operation *user : views[i].getUsers()) {
      Operation *inBlock = block->findAncestorOpInBlock(*user);
      if (!inBlock || user == block->getTerminator())
        return user;
      // Uses that may alias the view.
      add(user->getResults());
      for (Region &region : user->getRegions())
        for (Block &inner : region)
          add(inner.getArguments());
      if (user->hasTrait<OpTrait::IsTerminator>()) {
        add(user->getParentOp()->getResults());
        for (Region &region : user->getParentOp()->getRegions())
          for (Block &inner : region)
            add(inner.getArguments());
      }
    }
  }
  return nullptr;
}

FailureOr<Operation *> MakeViewOp::process(bufferization::DeallocationState &,
                                           const bufferization::DeallocationOptions &) {
  Value base = getBase();
  if (!llvm::isa<BaseMemRefType>(base.getType()))
    return getOperation();
  Value buffer = viewedBuffer(base);
  // The caller frees function arguments.
  if (auto argument = llvm::dyn_cast<BlockArgument>(buffer);
      argument && llvm::isa<FunctionOpInterface>(argument.getOwner()->getParentOp()) &&
      argument.getOwner()->isEntryBlock())
    return getOperation();
  if (Operation *user = useAfter(buffer.getParentBlock(), getResult())) {
    InFlightDiagnostic diagnostic =
        emitOpError("expected uses of the view in the block that owns its memref, found one after "
                    "its end, where upstream's deallocation has freed it; pass on the memref, and "
                    "make the view there");
    diagnostic.attachNote(user->getLoc()) << "'" << user->getName() << "' uses it there";
    return failure();
  }
  return getOperation();
}
