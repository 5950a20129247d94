//! Layout arithmetic, built in code with melior: `cargo run -p layout-opt --example offset` prints the function that gives the
//! offset of an element of a tiled matrix, as layout operations and as the arithmetic that they become.

use layout_algebra::Term;
use layout_dialect::{SliceCoord, ops, tools};
use layout_lowering::commands;
use melior::{
    Context,
    dialect::func,
    ir::{
        Block, BlockLike, Location, Module, Region, RegionLike, Type,
        attribute::{StringAttribute, TypeAttribute},
        r#type::FunctionType,
    },
};
use std::error::Error;

/// `func @offset(%tile: index, %element: index) -> index`: where an element of a tile of 32×8 lies in
/// a row-major matrix of 128×64.
fn build(context: &Context) -> Result<Module<'_>, Box<dyn Error>> {
    let here = Location::unknown(context);
    let index = Type::index(context);
    let block = Block::new(&[(index, here), (index, here)]);
    let [tile, element] = [block.argument(0)?, block.argument(1)?].map(|one| one.into());
    let tiled = Term::parse("zipped_divide((128,64):(64,1), (32,8))")?;
    let layout = ops::new("constant", here).term("term", &tiled).value(&block)?;
    let offset = ops::new("crd2idx", here)
        .operands(&[layout])
        .coordinate(&[SliceCoord::Value(element), SliceCoord::Value(tile)])
        .value(&block)?;
    block.append_operation(func::r#return(&[offset], here));

    let region = Region::new();
    region.append_block(block);
    let signature = FunctionType::new(context, &[index, index], &[index]);
    let module = Module::new(here);
    module.body().append_operation(func::func(
        context,
        StringAttribute::new(context, "offset"),
        TypeAttribute::new(signature.into()),
        region,
        &[],
        here,
    ));
    Ok(module)
}

fn main() -> Result<(), Box<dyn Error>> {
    let context = commands::context(layout_passes::register_all);
    let mut module = build(&context)?;
    println!("{}", module.as_operation());
    let passes = "builtin.module(layout-simplify,layout-fold,layout-lower,canonicalize,cse)";
    tools::run_passes(&context, &mut module, passes)?;
    println!("{}", module.as_operation());
    Ok(())
}
