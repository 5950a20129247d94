//! A matmul with a ReLU and a schedule that the compiler chooses, built in code with melior and lowered to a kernel:
//! `cargo run -p layout-opt --example matmul`.

use layout_dialect::ops;
use layout_lowering::commands;
use melior::{
    Context,
    dialect::{arith, func},
    ir::{
        Attribute, Block, BlockLike, Location, Module, Region, RegionLike, Type, Value,
        attribute::{StringAttribute, TypeAttribute},
        r#type::FunctionType,
    },
};
use std::error::Error;

/// `C = max(A·B, 0)` on memrefs of these types, in bf16 with accumulators in f32. B is (N,K), as CuTe has it.
fn build<'c>(context: &'c Context, memrefs: [&str; 3]) -> Result<Module<'c>, Box<dyn Error>> {
    let here = Location::unknown(context);
    let parse =
        |text: &str| Type::parse(context, text).ok_or(format!("expected a type, found {text}"));
    let types = memrefs.into_iter().map(parse).collect::<Result<Vec<_>, _>>()?;
    let body = Block::new(&types.iter().map(|&one| (one, here)).collect::<Vec<_>>());
    let mut views: Vec<Value<'_, '_>> = Vec::new();
    for number in 0..types.len() {
        let view =
            ops::new("make_view", here).operands(&[body.argument(number)?.into()]).build()?;
        views.push(body.append_operation(view).result(0)?.into());
    }
    let wide = Type::float32(context);
    let epilogue = Block::new(&[(wide, here)]);
    let zero = Attribute::parse(context, "0.0 : f32").ok_or("expected an attribute")?;
    let zero = epilogue.append_operation(arith::constant(context, zero, here)).result(0)?.into();
    let relu = arith::maxnumf(epilogue.argument(0)?.into(), zero, here);
    let relu = epilogue.append_operation(relu).result(0)?.into();
    epilogue.append_operation(ops::new("yield", here).operands(&[relu]).results(&[]).build()?);
    let region = Region::new();
    region.append_block(epilogue);
    let auto = "#layout.schedule<auto, chip = \"sm_90a\">";
    let auto = Attribute::parse(context, auto).ok_or("expected a schedule")?;
    let (key, segments) = ops::matmul_segments(context, 0, false);
    let matmul = ops::new("matmul", here).operands(&views).attribute("schedule", auto);
    let matmul = matmul.attribute(key, segments);
    body.append_operation(matmul.results(&[]).region(region).build()?);
    body.append_operation(func::r#return(&[], here));
    let region = Region::new();
    region.append_block(body);
    let (name, signature) =
        (StringAttribute::new(context, "dense"), FunctionType::new(context, &types, &[]));
    let module = Module::new(here);
    module.body().append_operation(func::func(
        context,
        name,
        TypeAttribute::new(signature.into()),
        region,
        &[],
        here,
    ));
    Ok(module)
}

fn kernel(memrefs: [&str; 3]) -> Result<String, Box<dyn Error>> {
    // All dialects and passes, MLIR's and ours.
    let context = commands::context(layout_passes::register_all);
    let mut module = build(&context, memrefs)?;
    commands::passes(&context, &mut module, "builtin.module(layout-to-nvvm)")?;
    Ok(module.as_operation().to_string())
}

fn main() -> Result<(), Box<dyn Error>> {
    let memref = "memref<512x512xbf16, 1>";
    println!("{}", kernel([memref; 3])?);
    Ok(())
}

#[test]
fn a_matmul_becomes_a_kernel() {
    let memref = "memref<512x512xbf16, 1>";
    let text = kernel([memref; 3]).expect("a legal module");
    assert!(text.contains("llvm.func @dense("), "{text}");
    assert!(text.contains("nvvm.wgmma"), "{text}");
}

#[test]
fn an_error_reports_expected_and_found() {
    let error = kernel(["i32"; 3]).expect_err("no memory").to_string();
    let text = "'layout.make_view' op [operand] expected a layout, which only a memref has of its own, found none";
    assert!(error.ends_with(text), "{error}");
}
