//===- Spellings.h - Texts that were read before --------------------*- C++ -*-===//
//
// A file names the same types again and again. What a text is in canonical spelling follows from the
// text alone, so that a context keeps the answers.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_SPELLINGS_H
#define LAYOUT_SPELLINGS_H

#include "Hooks.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/RWMutex.h"

#include <optional>

namespace layout {

/// A table of canonical spellings. May be used from several threads.
class Spellings {
public:
  /// The canonical spelling that was kept for a text; it lives as long as the table.
  std::optional<llvm::StringRef> find(LayoutTextKind kind, llvm::StringRef text) {
    llvm::sys::SmartScopedReader<true> lock(mutex);
    uint32_t hash = llvm::StringMapImpl::hash(text);
    if (isOfLayouts(kind))
      if (auto found = plain.find(text, hash); found != plain.end())
        return found->second;
    auto found = spellings[kind].find(text, hash);
    if (found == spellings[kind].end())
      return std::nullopt;
    return found->second;
  }

  /// Keeps a spelling, and hands it back as the table has it. That of a plain layout is the same for
  /// all kinds of layouts.
  llvm::StringRef keep(LayoutTextKind kind, llvm::StringRef text, llvm::StringRef canonical,
                       bool isPlain) {
    llvm::sys::SmartScopedWriter<true> lock(mutex);
    Table &table = isPlain && isOfLayouts(kind) ? plain : spellings[kind];
    auto [entry, added] = table.try_emplace(text, llvm::StringRef());
    // Most texts are canonical already, and are kept once.
    if (added)
      entry->second = canonical == text ? entry->first() : canonical.copy(others);
    return entry->second;
  }

private:
  using Table = llvm::StringMap<llvm::StringRef, llvm::BumpPtrAllocator>;

  static bool isOfLayouts(LayoutTextKind kind) {
    return kind == LAYOUT_TEXT_TERM || kind == LAYOUT_TEXT_LAYOUT || kind == LAYOUT_TEXT_VALUE;
  }

  Table plain;
  Table spellings[LAYOUT_TEXT_KINDS];
  llvm::BumpPtrAllocator others;
  llvm::sys::SmartRWMutex<true> mutex;
};

} // namespace layout

#endif // LAYOUT_SPELLINGS_H
