//! Tests of memrefs as layouts.

use super::*;
use crate::{border::ffi, data::reading};
use layout_algebra::{Term, Tuple};
use mlir_sys::{
    mlirAffineConstantExprGetValue, mlirAffineExprCompose, mlirAffineExprIsAConstant,
    mlirAffineMapGetNumResults, mlirAffineMapGetNumSymbols, mlirAffineMapGetResult,
    mlirAffineMapIsIdentity, mlirAffineMapReplace,
};

fn layout(text: &str) -> MemrefLayout {
    let held = reading::read(ffi::TEXT_TERM, text).expect("a term");
    layout_of(&held).expect("a layout with a map")
}

/// The results of a map at a point: all its dimensions replaced by constants.
fn at(context: &Context, map: MlirAffineMap, point: &[i64]) -> Vec<i64> {
    let facts = Facts::new();
    let builder = Builder { context: context.to_raw(), facts: &facts, symbols: Vec::new() };
    let mut constants: Vec<_> = point.iter().map(|&value| builder.number(value)).collect();
    // SAFETY: the map has a dimension for each coordinate, and all are of one context.
    unsafe {
        let length = constants.len() as isize;
        let point = mlirAffineMapGet(builder.context, 0, 0, length, constants.as_mut_ptr());
        (0..mlirAffineMapGetNumResults(map))
            .map(|i| {
                let value = mlirAffineExprCompose(mlirAffineMapGetResult(map, i), point);
                assert!(mlirAffineExprIsAConstant(value));
                mlirAffineConstantExprGetValue(value)
            })
            .collect()
    }
}

#[test]
fn maps_are_the_layouts_that_they_are_made_from() {
    let context = Context::new();
    for text in [
        "12:1",
        "12:-3",
        "(12):(5)",
        "(1,8):(100,3)",
        "(4,8):(8,1)",
        "(4,8):(1,4)",
        "((2,2),8):((8,16),1)",
        "((2,4),8):((1,16),2)",
        "((2,(3,2)),(2,2),3):((7,(1,50)),(0,2),4)",
        "((1,4),(2,1)):((9,2),(1,9))",
        "(6,4):(0,0)",
        "composition((4,8):(8,1), ((2,4),2):((4,8),1))",
        "S<0,4,3> o 7 o (4,8):(8,1)",
        "(4,(3,5)):(1,(100,10)) o 5 o (2,6):(1,3)",
        "16:3 o 1 o ((2,2),2):((1,8),2)",
    ] {
        let map = affine_map(&context, &layout(text)).expect("a map");
        let layout = Term::parse(text).and_then(|term| term.eval_layout()).expect("a layout");
        // SAFETY: the map is valid.
        let identity = unsafe { mlirAffineMapIsIdentity(map) };
        let modes = layout.inner().modes();
        let extents = Tuple::Node(modes.iter().map(|mode| Tuple::Leaf(mode.size())).collect());
        let strides = extents.compact_row_major().expect("small").leaves();
        for index in 0..layout.size() {
            let point = extents.idx2crd(index).expect("in range").leaves();
            let coordinate = match point[..] {
                [index] if layout.inner().is_leaf() => Tuple::Leaf(index),
                _ => Tuple::Node(point.iter().map(|&c| Tuple::Leaf(c)).collect()),
            };
            let expected = layout.crd2idx(&coordinate).expect("in range");
            let found = match at(&context, map, &point)[..] {
                [offset] if !identity => offset,
                // MLIR lays the identity's dimensions out in order.
                _ => point.iter().zip(&strides).map(|(c, s)| c * s).sum(),
            };
            assert_eq!(found, expected, "{text} at {coordinate}");
        }
    }
}

#[test]
fn what_is_compact_with_the_last_mode_fastest_is_the_identity() {
    let context = Context::new();
    for (text, expected) in [
        ("12:1", true),
        ("12:2", false),
        ("(4,8):(8,1)", true),
        ("((2,2),(2,4)):((8,16),(1,2))", true),
        ("(1,8):(77,1)", true),
        ("(4,8):(1,4)", false),
        ("(4,8):(16,1)", false),
        ("((2,2),8):((16,8),1)", false),
    ] {
        let map = affine_map(&context, &layout(text)).expect("a map");
        // SAFETY: the map is valid.
        assert_eq!(unsafe { mlirAffineMapIsIdentity(map) }, expected, "{text}");
    }
}

/// A layout with integers known at run time, at values of those: the map at its symbols' values is the layout there.
#[test]
fn maps_of_partly_static_layouts_are_those_of_their_instances() {
    let context = Context::new();
    for (open, values, instance) in [
        ("(?,64):(64,1)", &[][..], "(3,64):(64,1)"),
        ("(?,?1):(?1,1)", &[], "(3,5):(5,1)"),
        ("(?,?1):(1,?0)", &[3], "(3,5):(1,3)"),
        ("(?,8):(?{div=8},1)", &[24], "(3,8):(24,1)"),
        ("((2,?),8):((1,?),2)", &[16], "((2,3),8):((1,16),2)"),
        ("((?,2),8):((1,?0),4*?0)", &[3], "((3,2),8):((1,3),12)"),
        ("((?,2),8):((1,?),?)", &[3, 7, 50], "((3,2),8):((1,7),50)"),
    ] {
        let map = affine_map(&context, &layout(open)).expect("a map");
        // SAFETY: the map is valid.
        let (identity, symbols) =
            unsafe { (mlirAffineMapIsIdentity(map), mlirAffineMapGetNumSymbols(map)) };
        assert_eq!(symbols as usize, values.len(), "{open}");
        let instance: Layout = instance.parse().expect("a layout");
        let modes = instance.modes();
        let extents = Tuple::Node(modes.iter().map(|mode| Tuple::Leaf(mode.size())).collect());
        let strides = extents.compact_row_major().expect("small").leaves();
        for index in 0..instance.size() {
            let point = extents.idx2crd(index).expect("in range").leaves();
            let coordinate = Tuple::Node(point.iter().map(|&c| Tuple::Leaf(c)).collect());
            let expected = instance.crd2idx(&coordinate).expect("in range");
            let found = match identity {
                true => point.iter().zip(&strides).map(|(c, s)| c * s).sum(),
                false => at_symbols(&context, map, &point, values),
            };
            assert_eq!(found, expected, "{open} at {coordinate}");
        }
    }
}

/// The result of a map at a point and values of its symbols.
fn at_symbols(context: &Context, mut map: MlirAffineMap, point: &[i64], values: &[i64]) -> i64 {
    for (i, &value) in values.iter().enumerate() {
        // SAFETY: the map and both expressions are of the context.
        map = unsafe {
            let symbol = mlirAffineSymbolExprGet(context.to_raw(), i as isize);
            let number = mlirAffineConstantExprGet(context.to_raw(), value);
            let (rank, symbols) = (point.len() as isize, values.len() as isize);
            mlirAffineMapReplace(map, symbol, number, rank, symbols)
        };
    }
    at(context, map, point)[0]
}
