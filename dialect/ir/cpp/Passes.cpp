//===- Passes.cpp - Passes written in Rust, for MLIR's registry -----------===//
//
// MLIR's C API makes external passes without options or statistics. The class below has both, as
// its descriptor lists them, so that `mlir-opt` treats our passes like any other.
//
//===----------------------------------------------------------------------===//

#include "Hooks.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

using namespace mlir;

namespace {

struct OptionInfo {
  std::string name, description, initial;
};

struct StatisticInfo {
  std::string name, description;
  /// The counts of all runs of the pass together.
  std::atomic<uint64_t> total = 0;
};

/// A descriptor, owned; one for each registered pass, kept until the process ends.
struct RegisteredPass {
  explicit RegisteredPass(const LayoutPassDescriptor &descriptor)
      : name(unwrap(descriptor.name)), description(unwrap(descriptor.description)),
        root(unwrap(descriptor.root)), run(descriptor.run), user(descriptor.user) {
    for (intptr_t i = 0; i < descriptor.optionCount; ++i) {
      const LayoutPassOption &option = descriptor.options[i];
      options.push_back({unwrap(option.name).str(), unwrap(option.description).str(),
                         unwrap(option.initial).str()});
    }
    for (intptr_t i = 0; i < descriptor.statisticCount; ++i) {
      const LayoutPassStatistic &statistic = descriptor.statistics[i];
      StatisticInfo &info = statistics.emplace_back();
      info.name = unwrap(statistic.name).str();
      info.description = unwrap(statistic.description).str();
    }
    dependents.assign(descriptor.dependents, descriptor.dependents + descriptor.dependentCount);
  }

  TypeID id() const { return TypeID::getFromOpaquePointer(this); }

  std::string name, description, root;
  std::vector<OptionInfo> options;
  std::deque<StatisticInfo> statistics;
  std::vector<MlirDialectHandle> dependents;
  bool (*run)(MlirOperation, LayoutPassRun *, void *);
  void *user;
};

/// The report of `--mlir-pass-statistics` where MLIR itself has nothing to print: in builds of LLVM
/// without statistics, as distributions make them, MLIR's counters and its report are compiled out.
/// The passes that ran are reported when the process ends, in MLIR's form, each with its sums.
class StatisticsReport {
public:
  static void ran(const RegisteredPass &pass) {
#if !LLVM_ENABLE_STATS
    static const bool is_requested = isRequested();
    if (!is_requested || pass.statistics.empty())
      return;
    // Never freed: it is printed when the process ends.
    static auto *report = new StatisticsReport;
    std::lock_guard<std::mutex> lock(report->mutex);
    if (report->passes.empty()) {
      // Streams that exist before the handler is registered outlive it.
      (void)llvm::errs();
      std::atexit([] { report->print(llvm::errs()); });
    }
    if (std::find(report->passes.begin(), report->passes.end(), &pass) == report->passes.end())
      report->passes.push_back(&pass);
#else
    (void)pass;
#endif
  }

private:
  static bool isRequested() {
    auto &options = llvm::cl::getRegisteredOptions();
    auto found = options.find("mlir-pass-statistics");
    return found != options.end() && found->second->getNumOccurrences() > 0;
  }

  void print(llvm::raw_ostream &stream) {
    std::string line = "===" + std::string(73, '-') + "===\n";
    stream << line << std::string(21, ' ') << "... Layout pass statistics report ...\n" << line;
    for (const RegisteredPass *pass : passes) {
      stream << pass->name << "\n";
      for (const StatisticInfo &statistic : pass->statistics) {
        // One of many: `rule: NAME`.
        if (statistic.total.load() == 0 && llvm::StringRef(statistic.name).contains(": "))
          continue;
        stream << "  (S) " << llvm::format("%8llu", statistic.total.load()) << " "
               << statistic.name << " - " << statistic.description << "\n";
      }
    }
  }

  std::mutex mutex;
  /// In the order in which they first ran.
  std::vector<const RegisteredPass *> passes;
};

class RustPass : public Pass {
public:
  explicit RustPass(RegisteredPass &info)
      : Pass(info.id(), info.root.empty() ? std::nullopt
                                          : std::optional<llvm::StringRef>(info.root)),
        info(info) {
    for (const OptionInfo &option : info.options)
      options.push_back(std::make_unique<Option<std::string>>(
          *this, option.name, llvm::cl::desc(option.description), llvm::cl::init(option.initial)));
    for (const StatisticInfo &statistic : info.statistics)
      statistics.push_back(std::make_unique<Statistic>(this, statistic.name.c_str(),
                                                       statistic.description.c_str()));
  }

  llvm::StringRef getName() const override { return info.name; }
  llvm::StringRef getArgument() const override { return info.name; }
  llvm::StringRef getDescription() const override { return info.description; }

  void getDependentDialects(DialectRegistry &registry) const override {
    for (MlirDialectHandle handle : info.dependents)
      mlirDialectHandleInsertDialect(handle, wrap(&registry));
  }

  bool canScheduleOn(RegisteredOperationName name) const override {
    return info.root.empty() || name.getStringRef() == info.root;
  }

  void runOnOperation() override;

  std::unique_ptr<Pass> clonePass() const override { return std::make_unique<RustPass>(info); }

  using Pass::runPipeline;

  RegisteredPass &info;
  std::vector<std::unique_ptr<Option<std::string>>> options;
  std::vector<std::unique_ptr<Statistic>> statistics;
};

/// The options of a pipeline.
struct PipelineOptions : detail::PassOptions {
  explicit PipelineOptions(const std::vector<OptionInfo> &infos) {
    for (const OptionInfo &info : infos)
      values.push_back(std::make_unique<Option<std::string>>(
          *this, info.name, llvm::cl::desc(info.description), llvm::cl::init(info.initial)));
  }
  std::vector<std::unique_ptr<Option<std::string>>> values;
};

} // namespace

struct LayoutPassRun {
  RustPass &pass;
  /// Owns the texts that `layoutPassOption` lends.
  std::vector<std::string> options;
};

void RustPass::runOnOperation() {
  LayoutPassRun run{*this, {}};
  for (const auto &option : options)
    run.options.push_back(option->getValue());
  StatisticsReport::ran(info);
  if (!info.run(wrap(getOperation()), &run, info.user))
    signalPassFailure();
}

namespace {
/// The registered passes by name. MLIR's registry knows them too, but only adds them to managers.
struct PassTable {
  std::mutex mutex;
  std::map<std::string, RegisteredPass *> passes;
};
} // namespace

static PassTable &passTable() {
  // Never freed, as what it points to.
  static auto *table = new PassTable;
  return *table;
}

void layoutRegisterPass(const LayoutPassDescriptor *descriptor) {
  // Never freed: MLIR's registry keeps the factory until the process ends.
  auto *info = new RegisteredPass(*descriptor);
  registerPass([info] { return std::make_unique<RustPass>(*info); });
  PassTable &table = passTable();
  std::lock_guard<std::mutex> lock(table.mutex);
  table.passes[info->name] = info;
}

static RegisteredPass *findPass(llvm::StringRef name) {
  PassTable &table = passTable();
  std::lock_guard<std::mutex> lock(table.mutex);
  auto found = table.passes.find(name.str());
  return found == table.passes.end() ? nullptr : found->second;
}

MlirPass layoutCreatePass(MlirStringRef name, MlirStringRef options, LayoutTextSink reject,
                          void *user) {
  RegisteredPass *info = findPass(unwrap(name));
  if (!info)
    return MlirPass{nullptr};
  auto pass = std::make_unique<RustPass>(*info);
  auto error = [&](const llvm::Twine &message) -> LogicalResult {
    std::string text = message.str();
    reject(wrap(llvm::StringRef(text)), user);
    return failure();
  };
  if (failed(pass->initializeOptions(unwrap(options), error)))
    return MlirPass{nullptr};
  return wrap(pass.release());
}

bool layoutRemarksEnabled(MlirOperation operation) {
  return unwrap(operation)->getContext()->getRemarkEngine() != nullptr;
}

void layoutRemark(MlirOperation operation, int32_t kind, MlirStringRef category,
                  MlirStringRef name, MlirStringRef reason, MlirStringRef suggestion) {
  Operation *op = unwrap(operation);
  auto options = remark::RemarkOpts::name(unwrap(name)).category(unwrap(category));
  if (Operation *function = op->getParentWithTrait<OpTrait::IsIsolatedFromAbove>())
    if (auto symbol = function->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
      options = options.function(symbol.getValue());
  auto emitted = kind == LAYOUT_REMARK_PASSED ? remark::passed(op->getLoc(), options)
                                              : remark::missed(op->getLoc(), options);
  emitted << remark::reason("{0}", unwrap(reason));
  if (!unwrap(suggestion).empty())
    emitted << remark::suggest("{0}", unwrap(suggestion));
}

MlirStringRef layoutPassOption(const LayoutPassRun *run, intptr_t index) {
  size_t i = static_cast<size_t>(index);
  return wrap(i < run->options.size() ? llvm::StringRef(run->options[i]) : llvm::StringRef());
}

void layoutPassCount(LayoutPassRun *run, intptr_t statistic, uint64_t amount) {
  size_t i = static_cast<size_t>(statistic);
  if (i < run->pass.statistics.size())
    *run->pass.statistics[i] += amount;
  if (i < run->pass.info.statistics.size())
    run->pass.info.statistics[i].total += amount;
}

bool layoutPassRunPipeline(LayoutPassRun *run, MlirStringRef pipeline, MlirOperation operation) {
  Operation *op = unwrap(operation);
  OpPassManager manager(op->getName());
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (failed(parsePassPipeline(unwrap(pipeline), manager, stream))) {
    op->emitError() << "cannot parse the pipeline '" << unwrap(pipeline) << "': " << message;
    return false;
  }
  return succeeded(run->pass.runPipeline(manager, op));
}

void layoutRegisterPipeline(MlirStringRef name, MlirStringRef description, intptr_t optionCount,
                            const LayoutPassOption *options,
                            bool (*build)(intptr_t, const MlirStringRef *, LayoutTextSink,
                                          LayoutTextSink, void *, void *),
                            void *user) {
  std::vector<OptionInfo> infos;
  for (intptr_t i = 0; i < optionCount; ++i)
    infos.push_back({unwrap(options[i].name).str(), unwrap(options[i].description).str(),
                     unwrap(options[i].initial).str()});
  registerPassPipeline(
      unwrap(name), unwrap(description),
      [=](OpPassManager &manager, llvm::StringRef text,
          llvm::function_ref<LogicalResult(const llvm::Twine &)> error) -> LogicalResult {
        PipelineOptions parsed(infos);
        if (failed(parsed.parseFromString(text)))
          return failure();
        std::vector<std::string> owned;
        for (const auto &value : parsed.values)
          owned.push_back(value->getValue());
        std::vector<MlirStringRef> values;
        for (const std::string &value : owned)
          values.push_back(wrap(llvm::StringRef(value)));
        std::string pipeline;
        auto keep = [](MlirStringRef answer, void *callback) {
          *static_cast<std::string *>(callback) = unwrap(answer).str();
        };
        if (!build(static_cast<intptr_t>(values.size()), values.data(), keep, keep, &pipeline,
                   user))
          return error(pipeline);
        return parsePassPipeline(pipeline, manager);
      },
      [infos](llvm::function_ref<void(const detail::PassOptions &)> handler) {
        handler(PipelineOptions(infos));
      });
}
