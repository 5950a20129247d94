//! A matmul with a ReLU and a schedule that the compiler chooses, built in code with melior and lowered to a kernel:
//! `cargo run -p layout-opt --example matmul`.

use layout_dialect::{ScheduleAttribute, ops, tools};
use layout_lowering::commands;
use melior::{
    Context,
    dialect::{arith, func},
    ir::{
        Block, BlockLike, Location, Module, Region, RegionLike, Type, Value,
        attribute::{FloatAttribute, StringAttribute, TypeAttribute},
        r#type::FunctionType,
    },
};
use std::error::Error;

/// `C = max(A·B, 0)` on memrefs of a type, in bf16 with accumulators in f32. B is (N,K), as CuTe has it.
fn build<'c>(context: &'c Context, memref: &str) -> Result<Module<'c>, Box<dyn Error>> {
    let (here, wide) = (Location::unknown(context), Type::float32(context));
    let memref = Type::parse(context, memref).ok_or("expected a type")?;
    let body = Block::new(&[(memref, here); 3]);
    let mut views: Vec<Value<'_, '_>> = Vec::new();
    for number in 0..3 {
        let memref = body.argument(number)?.into();
        views.push(ops::new("make_view", here).operands(&[memref]).value(&body)?);
    }
    let auto = ScheduleAttribute::parse(context, "auto, chip = \"sm_90a\"")?;
    ops::new("matmul", here)
        .groups(&[&views[..1], &views[1..2], &views[2..], &[], &[]])
        .attribute("schedule", auto)
        .block(&[wide], |epilogue| {
            let zero =
                arith::constant(context, FloatAttribute::new(context, wide, 0.0).into(), here);
            let zero = epilogue.append_operation(zero).result(0)?.into();
            let relu = arith::maxnumf(epilogue.argument(0)?.into(), zero, here);
            let relu = epilogue.append_operation(relu).result(0)?.into();
            ops::new("yield", here).operands(&[relu]).append(epilogue).map(|_| ())
        })?
        .append(&body)?;
    body.append_operation(func::r#return(&[], here));
    let region = Region::new();
    region.append_block(body);
    let signature = TypeAttribute::new(FunctionType::new(context, &[memref; 3], &[]).into());
    let module = Module::new(here);
    let name = StringAttribute::new(context, "dense");
    module.body().append_operation(func::func(context, name, signature, region, &[], here));
    Ok(module)
}

/// The kernel; an error has the text of the diagnostics.
fn main() -> Result<(), Box<dyn Error>> {
    // All dialects and passes, MLIR's and ours.
    let context = commands::context(layout_passes::register_all);
    let mut module = build(&context, "memref<512x512xbf16, 1>")?;
    tools::run_passes(&context, &mut module, "builtin.module(layout-to-nvvm)")?;
    println!("{}", module.as_operation());
    Ok(())
}
