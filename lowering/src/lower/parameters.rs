//! States facts about lowered kernels to LLVM: tensor maps are passed by value, in constant memory; dynamic integers of a
//! layout lie in the ranges of its type; one resident block per multiprocessor is enough; loops are unrolled as `scf`
//! states; and MMAs of a warp are convergent ([`convergent`]). All facts are in the IR, so that any translation of it
//! makes the same kernel.

use super::{
    Failure, convergent,
    function::{KERNEL, LOOSE_MAPS, STATED, TENSOR_MAPS},
};
use layout_dialect::{build::context_of, targets, tree};
use melior::ir::{
    Attribute, AttributeLike, BlockLike, Identifier, OperationRef, ValueLike,
    attribute::{DictionaryAttribute, IntegerAttribute},
    operation::OperationLike,
    r#type::IntegerType,
};
use mlir_sys::{
    mlirAttributeIsADenseI64Array, mlirDenseArrayGetNumElements, mlirDenseI64ArrayGetElement,
};

/// As CUDA's `__grid_constant__`.
const MAP: &str = "{llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}";

/// Marks the parameters of lowered kernels.
pub(crate) fn mark_parameters(root: OperationRef<'_, '_>) -> Result<(), ()> {
    let all = tree::all(root);
    let own = all.iter().copied().filter(|&operation| !targets::is_foreign(operation));
    for function in own.clone().filter(|&f| tree::name(f) == "llvm.func") {
        keep_registers(function);
        if let Err(failure) = mark(function) {
            layout_dialect::diagnostics::error(function, &failure.to_string());
            return Err(());
        }
    }
    for operation in own {
        name_loop_annotation(operation);
        if let Err(failure) = convergent::mark(operation) {
            layout_dialect::diagnostics::error(operation, &failure.to_string());
            return Err(());
        }
    }
    check_launches(root)
}

/// Limits a kernel to one block at a time on a multiprocessor, for kernels that do not say how many. When only
/// the size of a block is known, ptxas aims at many blocks and spills registers to get them, though
/// shared memory limits the blocks further.
fn keep_registers(function: OperationRef<'_, '_>) {
    const BLOCKS: &str = "nvvm.minctasm";
    let says = |name: &str| function.attribute(name).is_ok();
    let is_sized = says("nvvm.maxntid") || says("nvvm.reqntid");
    if is_sized && !says(BLOCKS) {
        let context = context_of(function);
        let one = IntegerAttribute::new(IntegerType::new(context, 32).into(), 1);
        tree::set_attribute(function, BLOCKS, one.into());
    }
}

/// Gives a branch the loop annotation that it carries under the name that loops of `scf` have it
/// by, which the conversions keep and MLIR's translation does not read.
fn name_loop_annotation(branch: OperationRef<'_, '_>) {
    if matches!(tree::name(branch).as_str(), "llvm.br" | "llvm.cond_br")
        && let Ok(annotation) = branch.attribute("llvm.loop_annotation")
    {
        tree::set_attribute(branch, "loop_annotation", annotation);
    }
}

/// A launch passes on tensor maps as what they are, 128 bytes by value: where it has another type in place of one,
/// CUDA would read 128 bytes of what is fewer.
fn check_launches(root: OperationRef<'_, '_>) -> Result<(), ()> {
    let mut outcome = Ok(());
    for launch in tree::inside(root, "gpu.launch_func") {
        let Some(kernel) = super::launch::kernel_of(root, launch) else { continue };
        let (Ok(maps), Some(entry)) = (tensor_maps(kernel), tree::entry(kernel)) else { continue };
        let own = entry.argument_count().saturating_sub(maps);
        let places = super::launch::segment(launch, super::launch::KERNEL_OPERANDS);
        places.into_iter().skip(own).for_each(|place| super::prepared::by_value(launch, place));
        let operands = super::launch::kernel_operands(launch);
        let wrong = operands.iter().enumerate().skip(own).find(|(_, operand)| {
            let found = operand.r#type().to_string();
            ![super::prepared::MAP, "!llvm.array<128 x i8>"].contains(&found.as_str())
        });
        if maps > 0
            && let Some((place, operand)) = wrong
        {
            layout_dialect::diagnostics::error(
                launch,
                &super::launch::tensor_map_error(
                    maps,
                    &format!("{} as operand {place}", operand.r#type()),
                ),
            );
            outcome = Err(());
        }
    }
    outcome
}

fn mark(function: OperationRef<'_, '_>) -> Result<(), Failure> {
    let maps = tensor_maps(function)?;
    let stated = stated(function);
    if maps == 0 && stated.is_empty() {
        return Ok(());
    }
    let entry =
        tree::entry(function).ok_or_else(|| Failure::refused("expected a kernel with a body"))?;
    let own = entry.argument_count().saturating_sub(maps);
    let attributes = tree::argument_attributes(function).unwrap_or_default();
    let context = context_of(function);
    let parsed =
        |text: String| Attribute::parse(context, &text).ok_or(melior::Error::AttributeParse(text));
    let mut all = Vec::with_capacity(own + maps);
    for place in 0..own + maps {
        let mut entries = entries(attributes.get(place).copied())?;
        let more = if place < own {
            let text = tree::argument(entry, place).r#type().to_string();
            stated.get(place).and_then(|&[low, high]| range(&text, low, high))
        } else {
            Some(MAP.to_owned())
        };
        if let Some(more) = more {
            let more = self::entries(Some(parsed(more)?))?;
            // An attribute that was stated before, by this pass too, is stated once.
            entries.retain(|(name, _)| more.iter().all(|(other, _)| other != name));
            entries.extend(more);
        }
        all.push(DictionaryAttribute::new(context, &entries).into());
    }
    tree::set_argument_attributes(function, &all);
    Ok(())
}

/// The entries of a dictionary.
fn entries<'c>(
    dictionary: Option<Attribute<'c>>,
) -> Result<Vec<(Identifier<'c>, Attribute<'c>)>, Failure> {
    let Some(dictionary) = dictionary else { return Ok(Vec::new()) };
    let dictionary = DictionaryAttribute::try_from(dictionary)?;
    Ok((0..dictionary.len()).map(|i| dictionary.element(i)).collect::<Result<_, _>>()?)
}

/// How many tensor maps a kernel takes, as its last parameters.
pub(super) fn tensor_maps(function: OperationRef<'_, '_>) -> Result<usize, Failure> {
    let maps = match function.attribute(KERNEL) {
        Ok(facts) => DictionaryAttribute::try_from(facts)?.element_by_name(TENSOR_MAPS),
        Err(_) => function.attribute(LOOSE_MAPS).ok(),
    };
    let Some(maps) = maps else { return Ok(0) };
    match tree::elements(maps) {
        Some(maps) => Ok(maps.len()),
        None => Err(melior::Error::AttributeExpected("array", maps.to_string()).into()),
    }
}

/// The ranges that are stated of the first parameters, in [`STATED`].
fn stated(function: OperationRef<'_, '_>) -> Vec<[i64; 2]> {
    let Ok(attribute) = function.attribute(STATED) else { return Vec::new() };
    let raw = attribute.to_raw();
    // SAFETY: the attribute's kind is checked first, and the places are below its length.
    unsafe {
        if !mlirAttributeIsADenseI64Array(raw) {
            return Vec::new();
        }
        let places = 0..mlirDenseArrayGetNumElements(raw) / 2;
        let at = |place| mlirDenseI64ArrayGetElement(raw, place);
        places.map(|place| [0, 1].map(|i| at(2 * place + i))).collect()
    }
}

/// The range of a parameter of a type, where it says more than the type does.
fn range(word: &str, low: i64, high: i64) -> Option<String> {
    let (least, greatest) = match word {
        "i32" => (i64::from(i32::MIN), i64::from(i32::MAX)),
        "i64" => (i64::MIN, i64::MAX),
        _ => return None,
    };
    // The end is not in the range, and must be a word too.
    let (low, end) = (low.max(least), high.min(greatest - 1) + 1);
    let says = high < greatest && low < end;
    says.then(|| format!("{{llvm.range = #llvm.constant_range<{word}, {low}, {end}>}}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_reported_where_they_say_more_than_the_type() {
        let reported = |low, high| range("i32", low, high);
        assert_eq!(
            reported(32, 4096).as_deref(),
            Some("{llvm.range = #llvm.constant_range<i32, 32, 4097>}")
        );
        assert_eq!(reported(0, i64::from(i32::MAX)), None);
        assert_eq!(reported(i64::MIN, i64::MAX), None);
        assert_eq!(reported(5, 4), None);
        assert_eq!(range("!llvm.ptr<1>", 0, 7), None);
        assert_eq!(
            range("i64", i64::MIN, 7).as_deref(),
            Some("{llvm.range = #llvm.constant_range<i64, -9223372036854775808, 8>}")
        );
    }
}
