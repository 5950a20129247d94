//! A compiler in Rust that uses the layout dialect: it builds a module in code with melior, and runs
//! our passes on it between MLIR's own, in a pass manager of its own.
//!
//! `cargo run -p layout-opt --example embed` prints the function that gives the offset of an element
//! of a tiled matrix, as layout operations and as the arithmetic that they become.

use layout_algebra::Term;
use layout_dialect::{SliceCoord, ops};
use melior::{
    Context,
    dialect::{DialectRegistry, func},
    ir::{
        Block, BlockLike, Location, Module, Region, RegionLike, Type, Value,
        attribute::{StringAttribute, TypeAttribute},
        r#type::FunctionType,
    },
    pass::PassManager,
    utility::parse_pass_pipeline,
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let (before, after) = compile()?;
    print!("{before}\n{after}");
    Ok(())
}

/// The module as it was built, and as the passes leave it.
fn compile() -> Result<(String, String), Box<dyn Error>> {
    // As `layout-opt` does; each may be called again.
    layout_passes::register_all();
    layout_lowering::register_all();
    let registry = DialectRegistry::new();
    layout_dialect::tools::register_upstream(&registry);
    layout_dialect::register(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();

    let mut module = build(&context)?;
    let before = module.as_operation().to_string();
    // MLIR's own passes come from the same global registry.
    melior::utility::register_all_passes();
    let manager = PassManager::new(&context);
    parse_pass_pipeline(
        manager.as_operation_pass_manager(),
        "builtin.module(layout-simplify,layout-fold,layout-lower,canonicalize,cse)",
    )?;
    manager.run(&mut module)?;
    Ok((before, module.as_operation().to_string()))
}

/// `func @offset(%tile: index, %element: index) -> index`: where an element of a tile of 32×8 lies in
/// a row-major matrix of 128×64.
fn build(context: &Context) -> Result<Module<'_>, Box<dyn Error>> {
    let location = Location::unknown(context);
    let index = Type::index(context);
    let block = Block::new(&[(index, location), (index, location)]);
    let tile: Value<'_, '_> = block.argument(0)?.into();
    let element: Value<'_, '_> = block.argument(1)?.into();
    let tiled = Term::parse("zipped_divide((128,64):(64,1), (32,8))")?;
    let layout =
        block.append_operation(ops::new("constant", location).term("term", &tiled).build()?);
    let coordinate = [SliceCoord::Value(element), SliceCoord::Value(tile)];
    let offset = block.append_operation(
        ops::new("crd2idx", location)
            .operands(&[layout.result(0)?.into()])
            .coordinate(&coordinate)
            .build()?,
    );
    block.append_operation(func::r#return(&[offset.result(0)?.into()], location));

    let region = Region::new();
    region.append_block(block);
    let signature = FunctionType::new(context, &[index, index], &[index]);
    let module = Module::new(location);
    module.body().append_operation(func::func(
        context,
        StringAttribute::new(context, "offset"),
        TypeAttribute::new(signature.into()),
        region,
        &[],
        location,
    ));
    Ok(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_become_arithmetic() {
        let (before, after) = compile().expect("the module is legal");
        assert!(
            before.contains("layout.constant #layout<zipped_divide((128,64):(64,1), (32,8))>"),
            "{before}"
        );
        assert!(
            after.contains("func.func @offset(%arg0: index, %arg1: index) -> index"),
            "{after}"
        );
        assert!(after.contains("arith."), "{after}");
        assert!(!after.contains("layout"), "{after}");
    }
}
