//! Calls that charge the loops of functions in LLVM's dialect.
//!
//! Before the branch that enters a counted loop, [`ENTER`] is called with its first value, its end and its step; before the branch that goes
//! back in any other loop, [`TICK`]. A loop is counted if its header compares its integer with an end (`slt`), one branch enters it, one goes back
//! after it adds a step, and only the header leaves it; end and step are defined outside. `convert-scf-to-cf` makes such a loop of each `scf.for`.

use layout_dialect::{
    build::{Builder, Val, context_of, first_result, operand},
    tree,
};
use melior::ir::{
    Attribute, BlockLike, BlockRef, OperationRef, Region, Type, ValueLike,
    attribute::{FlatSymbolRefAttribute, IntegerAttribute, StringAttribute, TypeAttribute},
    operation::OperationLike,
};
use std::collections::{HashMap, HashSet};

/// The function that charges an iteration, by name.
pub(crate) const TICK: &str = "layout_tick";

/// The function that charges all iterations of a loop.
pub(crate) const ENTER: &str = "layout_enter_loop";

/// Both, and their types.
pub(crate) const DECLARED: [(&str, &str); 2] =
    [(TICK, "!llvm.func<void (i32)>"), (ENTER, "!llvm.func<void (i64, i64, i64, i32, i32)>")];

/// The predicate of `llvm.icmp slt`.
const SIGNED_LESS: i64 = 2;

/// Declares functions of this process that a module calls.
pub(crate) fn declare(b: &Builder<'_>, functions: &[(&str, &str)]) -> Result<(), melior::Error> {
    for &(name, r#type) in functions {
        let function = Type::parse(b.context(), r#type)
            .ok_or_else(|| melior::Error::TypeExpected("function", r#type.to_owned()))?;
        let attributes = [
            ("sym_name", StringAttribute::new(b.context(), name).into()),
            ("function_type", TypeAttribute::new(function).into()),
        ];
        b.operation("llvm.func", &[], &[], &attributes, vec![Region::new()])?;
    }
    Ok(())
}

/// A call of a function that is declared.
pub(crate) fn call<'c>(
    b: &Builder<'c>,
    name: &str,
    operands: &[Val<'c>],
    result: Option<Type<'c>>,
) -> Result<Option<Val<'c>>, melior::Error> {
    let parse = |text: String| {
        Attribute::parse(b.context(), &text).ok_or(melior::Error::AttributeParse(text))
    };
    let attributes = [
        ("callee", FlatSymbolRefAttribute::new(b.context(), name).into()),
        ("op_bundle_sizes", parse("array<i32>".to_owned())?),
        ("operandSegmentSizes", parse(format!("array<i32: {}, 0>", operands.len()))?),
    ];
    let results: Vec<Type<'c>> = result.into_iter().collect();
    let call = b.operation("llvm.call", operands, &results, &attributes, vec![])?;
    Ok((!results.is_empty()).then(|| first_result(call)))
}

/// A constant of LLVM's dialect.
pub(crate) fn constant<'c>(
    b: &Builder<'c>,
    bits: u32,
    value: i64,
) -> Result<Val<'c>, melior::Error> {
    let r#type = b.integer(bits);
    let value = IntegerAttribute::new(r#type, value).into();
    b.value("llvm.mlir.constant", &[], r#type, &[("value", value)])
}

/// Charges the loops of a module; the places of loops by their numbers.
pub(crate) fn watch(module: OperationRef<'_, '_>) -> Result<Vec<String>, melior::Error> {
    let mut places = Vec::new();
    charge(module, &mut |operation| {
        places.push(operation.location().to_string());
        i64::try_from(places.len() - 1).unwrap_or(0)
    })?;
    if let Some(body) = tree::entry(module) {
        declare(&Builder::at_start(context_of(module), module.location(), body), &DECLARED)?;
    }
    Ok(places)
}

/// Charges the loops of a module that declares [`DECLARED`]; `site` numbers the places of loops.
pub(crate) fn charge<'c>(
    module: OperationRef<'c, '_>,
    site: &mut impl FnMut(OperationRef<'c, 'c>) -> i64,
) -> Result<(), melior::Error> {
    for function in tree::inside(module, "llvm.func") {
        let graph = Graph::of(function);
        for (latch, header) in graph.back_edges() {
            let number = site(graph.terminators[latch]);
            match graph.counted(latch, header) {
                Some(Counted { enters, first, end, step }) => {
                    let b = Builder::before(enters);
                    let bits = if first.r#type() == b.integer(32) { 32 } else { 64 };
                    let wide = |value: Val<'c>| match bits {
                        64 => Ok(value),
                        _ => b.value("llvm.sext", &[value], b.integer(64), &[]),
                    };
                    let operands = [
                        wide(first)?,
                        wide(end)?,
                        wide(step)?,
                        constant(&b, 32, bits)?,
                        constant(&b, 32, number)?,
                    ];
                    call(&b, ENTER, &operands, None)?;
                }
                None => {
                    let b = Builder::before(graph.terminators[latch]);
                    call(&b, TICK, &[constant(&b, 32, number)?], None)?;
                }
            }
        }
    }
    Ok(())
}

/// The blocks of a function, by their numbers.
struct Graph<'c> {
    blocks: Vec<BlockRef<'c, 'c>>,
    terminators: Vec<OperationRef<'c, 'c>>,
    successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
    numbers: HashMap<usize, usize>,
}

/// A loop whose iterations are known where it starts.
struct Counted<'c> {
    /// The branch that enters it.
    enters: OperationRef<'c, 'c>,
    first: Val<'c>,
    end: Val<'c>,
    step: Val<'c>,
}

impl<'c> Graph<'c> {
    fn of(function: OperationRef<'c, 'c>) -> Self {
        let mut own = Self {
            blocks: Vec::new(),
            terminators: Vec::new(),
            successors: Vec::new(),
            predecessors: Vec::new(),
            numbers: HashMap::new(),
        };
        let mut next = tree::entry(function);
        while let Some(block) = next {
            let Some(&terminator) = tree::operations(block).last() else { break };
            own.numbers.insert(block.to_raw().ptr as usize, own.blocks.len());
            own.blocks.push(block);
            own.terminators.push(terminator);
            // SAFETY: blocks of one region live as long as the function does.
            next = block.next_in_region().map(|next| unsafe { BlockRef::from_raw(next.to_raw()) });
        }
        own.predecessors = vec![Vec::new(); own.blocks.len()];
        for (number, terminator) in own.terminators.iter().enumerate() {
            // SAFETY: the operation is valid, and the index is below its number of successors.
            let all: Vec<usize> = unsafe {
                let count = mlir_sys::mlirOperationGetNumSuccessors(terminator.to_raw());
                let block =
                    |i| mlir_sys::mlirOperationGetSuccessor(terminator.to_raw(), i).ptr as usize;
                (0..count).filter_map(|i| own.numbers.get(&block(i)).copied()).collect()
            };
            for &successor in &all {
                own.predecessors[successor].push(number);
            }
            own.successors.push(all);
        }
        own
    }

    /// Branches to their own block or to one before it: each iteration of a loop has one.
    fn back_edges(&self) -> Vec<(usize, usize)> {
        let mut edges = Vec::new();
        for (block, successors) in self.successors.iter().enumerate() {
            let header = successors.iter().copied().filter(|&next| next <= block).min();
            edges.extend(header.map(|header| (block, header)));
        }
        edges
    }

    fn counted(&self, latch: usize, header: usize) -> Option<Counted<'c>> {
        let inside = self.blocks_of(latch, header);
        let leaves = |&block: &usize| {
            block != header && self.successors[block].iter().any(|next| !inside.contains(next))
        };
        if inside.iter().any(leaves) {
            return None;
        }
        let (mut entering, mut back) = (Vec::new(), Vec::new());
        for &block in &self.predecessors[header] {
            let edges = if inside.contains(&block) { &mut back } else { &mut entering };
            edges.push(block);
        }
        let (&[entering], &[back]) = (entering.as_slice(), back.as_slice()) else { return None };
        let [enters, back] = [entering, back].map(|block| self.terminators[block]);
        let branch = self.terminators[header];
        let is_jump = |own: OperationRef<'c, 'c>| tree::name(own) == "llvm.br";
        if !is_jump(enters) || !is_jump(back) || tree::name(branch) != "llvm.cond_br" {
            return None;
        }
        let &[then, otherwise] = self.successors[header].as_slice() else { return None };
        if !inside.contains(&then) || inside.contains(&otherwise) {
            return None;
        }
        let compared = tree::definition(operand(branch, 0))?;
        let predicate =
            compared.attribute("predicate").and_then(IntegerAttribute::try_from).ok()?;
        if tree::name(compared) != "llvm.icmp" || predicate.value() != SIGNED_LESS {
            return None;
        }
        let block = self.blocks[header];
        let [integer, end] = [operand(compared, 0), operand(compared, 1)];
        let is_integer = |value: Val<'c>| tree::key(value) == tree::key(integer);
        let place = (0..block.argument_count()).find(|&i| is_integer(tree::argument(block, i)))?;
        let next = tree::definition(operand(back, place))?;
        if tree::name(next) != "llvm.add" {
            return None;
        }
        let step = match [operand(next, 0), operand(next, 1)] {
            [own, step] if is_integer(own) => step,
            [step, own] if is_integer(own) => step,
            _ => return None,
        };
        let own = integer.r#type().to_string();
        let is_outside = |value: Val<'c>| {
            let block = match tree::definition(value) {
                Some(made) => made.block().map(|block| block.to_raw().ptr as usize),
                None => tree::owner(value).map(|block| block.to_raw().ptr as usize),
            };
            let number = block.and_then(|block| self.numbers.get(&block));
            number.is_some_and(|number| !inside.contains(number))
        };
        let is_known = matches!(own.as_str(), "i32" | "i64") && is_outside(end) && is_outside(step);
        is_known.then(|| Counted { enters, first: operand(enters, place), end, step })
    }

    /// The blocks of a loop: those from which its last one is reached without its header, and that.
    fn blocks_of(&self, latch: usize, header: usize) -> HashSet<usize> {
        let (mut inside, mut next) = (HashSet::from([header]), vec![latch]);
        while let Some(block) = next.pop() {
            if inside.insert(block) {
                next.extend(&self.predecessors[block]);
            }
        }
        inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{budget, jit::Engine};
    use melior::{ir::Module, pass::PassManager, utility};

    /// The calls that are added to a function of `scf` and `cf`, and the steps that it has for an argument, up to a thousand.
    fn charged(body: &str, argument: u64) -> (Vec<String>, Option<u64>) {
        let registry = melior::dialect::DialectRegistry::new();
        utility::register_all_dialects(&registry);
        utility::register_all_passes();
        let context = melior::Context::new();
        context.append_dialect_registry(&registry);
        context.load_all_available_dialects();
        utility::register_all_llvm_translations(&context);
        let text = format!(
            "func.func @f(%n: i64) {{
               %c0 = arith.constant 0 : i64 %c1 = arith.constant 1 : i64 %c3 = arith.constant 3 : i64
               {body}
             }}"
        );
        let mut module = Module::parse(&context, &text).expect("a module");
        let manager = PassManager::new(&context);
        let passes = "builtin.module(convert-scf-to-cf,convert-arith-to-llvm,convert-cf-to-llvm,convert-func-to-llvm)";
        utility::parse_pass_pipeline(manager.as_operation_pass_manager(), passes).expect("passes");
        manager.run(&mut module).expect("LLVM's dialect");
        watch(module.as_operation()).expect("calls");
        let calls = tree::inside(module.as_operation(), "llvm.call").into_iter();
        let callee =
            |call: OperationRef<'_, '_>| call.attribute("callee").expect("a name").to_string();
        let calls = calls.map(callee).collect();
        let engine = Engine::new(&module, &budget::functions()).expect("code");
        let function = engine.packed("f").expect("a function");
        // SAFETY: the function takes an integer.
        let ends = |steps| unsafe { function.call_within(&[argument], steps) }.is_ok();
        (calls, (0..1000).find(|&steps| ends(steps)))
    }

    fn names(all: &[&str]) -> Vec<String> {
        all.iter().map(|name| format!("@{name}")).collect()
    }

    #[test]
    fn loops_with_a_count_are_charged_before_them() {
        let nest = "scf.for %i = %c0 to %n step %c3 : i64 {
              scf.for %j = %c0 to %c3 step %c1 : i64 { scf.yield }
            }
            return";
        assert_eq!(charged(nest, 10), (names(&[ENTER, ENTER]), Some(4 + 4 * 3)));
        assert_eq!(charged(nest, 0), (names(&[ENTER, ENTER]), Some(0)));
        assert_eq!(charged(nest, i64::MAX as u64).1, None);
    }

    #[test]
    fn other_loops_are_charged_where_they_go_back() {
        let until = "%r = scf.while (%i = %c0) : (i64) -> i64 {
              %on = arith.cmpi slt, %i, %n : i64
              scf.condition(%on) %i : i64
            } do {
            ^bb0(%i: i64):
              %next = arith.addi %i, %i : i64
              %more = arith.addi %next, %c1 : i64
              scf.yield %more : i64
            }
            return";
        assert_eq!(charged(until, 100), (names(&[TICK]), Some(7)));
        // It has a count, and another way out.
        let left = "cf.br ^head(%c0 : i64)
            ^head(%i: i64):
              %on = arith.cmpi slt, %i, %n : i64
              cf.cond_br %on, ^body, ^end
            ^body:
              %ends = arith.cmpi eq, %i, %c3 : i64
              cf.cond_br %ends, ^end, ^next
            ^next:
              %more = arith.addi %i, %c1 : i64
              cf.br ^head(%more : i64)
            ^end:
              return";
        assert_eq!(charged(left, i64::MAX as u64), (names(&[TICK]), Some(3)));
        // The end changes.
        let moving = "cf.br ^head(%c0, %n : i64, i64)
            ^head(%i: i64, %end: i64):
              %on = arith.cmpi slt, %i, %end : i64
              cf.cond_br %on, ^body, ^end
            ^body:
              %more = arith.addi %i, %c1 : i64
              %less = arith.subi %end, %c1 : i64
              cf.br ^head(%more, %less : i64, i64)
            ^end:
              return";
        assert_eq!(charged(moving, 10), (names(&[TICK]), Some(5)));
    }
}
