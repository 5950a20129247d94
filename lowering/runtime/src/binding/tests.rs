use super::*;
use crate::manifest::Manifest;
use serde_json::{Value, json};

fn argument(name: &str, element: &str, shape: &str, stride: &str, access: &str) -> Value {
    json!({"name": name, "element": element, "shape": shape, "stride": stride, "access": access})
}

fn kernel(sizes: &[&str], args: Vec<Value>) -> Instances {
    let sizes: Vec<Value> = sizes.iter().map(|name| json!({"name": name})).collect();
    let mut kernel = json!({"name": "k", "chip": "sm_80", "grid": [1, 1, 1], "block": [32, 1, 1], "shared_bytes": 0, "args": args});
    if !sizes.is_empty() {
        kernel["sizes"] = json!(sizes);
    }
    let text = json!({"version": 1, "kernels": [kernel]}).to_string();
    let manifest = Manifest::parse(&text).unwrap();
    match manifest.templates.first() {
        Some(template) => Instances::of_template(template.clone()),
        None => Instances::of_kernel(manifest.kernels[0].clone()).unwrap(),
    }
}

fn tensor<'t>(element: &'t str, shape: &'t [i64], strides: &'t [i64]) -> Option<Tensor<'t>> {
    let strides = (!strides.is_empty()).then_some(strides);
    Some(Tensor { element, shape, strides })
}

fn bind(
    instances: &Instances,
    tensors: &[Option<Tensor<'_>>],
) -> std::result::Result<Vec<i64>, String> {
    let signature = Signature::of_instances(instances).unwrap();
    let found = instance_of(instances, &signature, tensors, &[]);
    found.map(|(sizes, _)| sizes).map_err(|mismatch| mismatch.to_string())
}

/// Heads of rotary embedding: three modes, of which the first is one run of memory.
fn rotary() -> Instances {
    let (shape, stride) = ("((8,8,2),32,tokens)", "((1,8,64),128,4096)");
    kernel(
        &["tokens"],
        vec![
            argument("in", "bf16", shape, stride, "read"),
            argument("out", "bf16", shape, stride, "write"),
        ],
    )
}

#[test]
fn a_tensor_has_the_modes_the_leaves_or_the_memory_of_a_layout() {
    let rotary = rotary();
    let ok =
        |shape: &[i64], strides: &[i64]| bind(&rotary, &[tensor("bf16", shape, strides), None]);
    assert_eq!(ok(&[128, 32, 7], &[1, 128, 4096]), Ok(vec![7]));
    assert_eq!(ok(&[8, 8, 2, 32, 7], &[1, 8, 64, 128, 4096]), Ok(vec![7]));
    assert_eq!(ok(&[7 * 4096], &[]), Ok(vec![7]));
    // The stride of one token is not examined.
    assert_eq!(ok(&[128, 32, 1], &[1, 128, 5]), Ok(vec![1]));
}

#[test]
fn invalid_operands_report_operand_expected_and_found() {
    let rotary = rotary();
    let no = |element: &str, shape: &[i64], strides: &[i64]| {
        bind(&rotary, &[tensor(element, shape, strides), None]).unwrap_err()
    };
    assert_eq!(
        no("f32", &[128, 32, 7], &[1, 128, 4096]),
        "kernel k, operand 0 (in): expected elements of bf16, found f32"
    );
    // Tokens first is another function of the same memory.
    assert_eq!(
        no("bf16", &[7, 32, 128], &[]),
        "kernel k, operand 0 (in): expected shape (128,32,tokens) at tokens=128, found (7,32,128)"
    );
    assert_eq!(
        no("bf16", &[128, 32, 128], &[]),
        "kernel k, operand 0 (in): expected strides (1,128,4096), found (4096,128,1)"
    );
    assert_eq!(
        no("bf16", &[7, 4096], &[]),
        "kernel k, operand 0 (in): expected shape (128,32,tokens), found (7,4096)"
    );
    assert_eq!(
        no("bf16", &[4097], &[]),
        "kernel k, operand 0 (in): expected shape (128,32,tokens), found (4097)"
    );
    assert_eq!(
        no("bf16", &[8192], &[2]),
        "kernel k, operand 0 (in): expected strides (1), found (2)"
    );
    assert_eq!(
        no("bf16", &[128, 32, 0], &[]),
        "kernel k: expected tokens of 1 to 2147483647, found 0"
    );
    assert_eq!(bind(&rotary, &[]).unwrap_err(), "kernel k: expected 2 tensors (in, out), found 0");
    let both = [tensor("bf16", &[128, 32, 7], &[1, 128, 4096]), tensor("bf16", &[6 * 4096], &[])];
    assert_eq!(
        bind(&rotary, &both).unwrap_err(),
        "kernel k, operand 1 (out): expected shape (128,32,tokens) at tokens=7, found (24576)"
    );
}

#[test]
fn a_mode_of_several_strides_has_no_dimension() {
    let weights = kernel(
        &["blocks"],
        vec![argument("w", "i8", "((16,4),(8,blocks))", "((1,128),(16,512))", "read")],
    );
    let ok = |element: &str, shape: &[i64], strides: &[i64]| {
        bind(&weights, &[tensor(element, shape, strides)])
    };
    assert_eq!(ok("i8", &[16, 4, 8, 3], &[1, 128, 16, 512]), Ok(vec![3]));
    assert_eq!(ok("ui8", &[1536], &[]), Ok(vec![3]));
    assert_eq!(
        ok("i8", &[64, 24], &[24, 1]).unwrap_err(),
        "kernel k, operand 0 (w): expected shape (16,4,8,blocks), a dimension for each leaf at blocks=3, found (64,24)"
    );
    // Memory with gaps is no tensor of one dimension.
    let gaps = kernel(&[], vec![argument("a", "f32", "(4,4)", "(8,1)", "read")]);
    assert!(bind(&gaps, &[tensor("f32", &[16], &[])]).is_err());
    assert_eq!(bind(&gaps, &[tensor("f32", &[4, 4], &[8, 1])]), Ok(vec![]));
}

#[test]
fn sizes_come_from_products_strides_and_by_name() {
    let leading = kernel(
        &["m", "n", "ld"],
        vec![
            argument("a", "f32", "(m,(4,n))", "(ld,(1,4))", "read"),
            argument("c", "f32", "ceil_div(m,8)", "1", "write"),
        ],
    );
    assert_eq!(bind(&leading, &[tensor("f32", &[5, 12], &[16, 1]), None]), Ok(vec![5, 3, 16]));
    assert_eq!(
        bind(&leading, &[tensor("f32", &[5, 12], &[16, 1]), tensor("f32", &[2], &[])]).unwrap_err(),
        "kernel k, operand 1 (c): expected shape (ceil_div(m,8)) at m=5, n=3, ld=16, found (2)"
    );
}

#[test]
fn a_size_of_no_shape_is_passed_by_name() {
    let hidden = kernel(&["m"], vec![argument("a", "f32", "ceil_div(m,8)", "1", "read")]);
    let signature = Signature::of_instances(&hidden).unwrap();
    let tensors = [tensor("f32", &[2], &[])];
    assert_eq!(signature.bind(&tensors, &[("m", 9)]), Ok(vec![9]));
    let error = |given: &[(&str, i64)]| signature.bind(&tensors, given).unwrap_err().to_string();
    assert_eq!(
        error(&[]),
        "kernel k: expected a value of m (1 to 2147483647), found no tensor whose shape determines it"
    );
    assert_eq!(error(&[("rows", 1)]), "kernel k: expected values of m, found rows");
}

#[test]
fn results_match_their_layout() {
    let rotary = Signature::of_instances(&rotary()).unwrap();
    assert_eq!(rotary.result(1, &[7]).unwrap(), (vec![128, 32, 7], vec![1, 128, 4096]));
    assert_eq!(rotary.sources(), [Some((0, 2, 1))]);
    let texts = rotary.operands()[1].texts();
    let texts: Vec<(&str, Option<&str>)> =
        texts.iter().map(|(extent, stride)| (extent.as_str(), stride.as_deref())).collect();
    assert_eq!(texts, [("128", Some("1")), ("32", Some("128")), ("tokens", Some("4096"))]);
}

#[test]
fn arrays_without_strides_have_those_of_the_layouts() {
    let rotary = Signature::of_instances(&rotary()).unwrap();
    let places = |shape: &[i64]| {
        let found = rotary.places(&[tensor("bf16", shape, &[]), None]);
        found.map_err(|error| error.to_string())
    };
    let all = (vec![128, 32, 7], vec![1, 128, 4096]);
    assert_eq!(places(&[128, 32, 7]), Ok((vec![7], vec![all.clone(), all.clone()])));
    assert_eq!(places(&[7 * 4096]), Ok((vec![7], vec![(vec![7 * 4096], vec![1]), all])));
    assert_eq!(
        places(&[7, 32, 128]).unwrap_err(),
        "kernel k, operand 0 (in): expected shape (128,32,tokens) at tokens=128, found (7,32,128)"
    );
}

#[test]
fn programs_take_row_major_tensors() {
    let text = json!({"version": 1, "kernels": [], "programs": [{"name": "main",
        "arguments": [{"element": "bf16", "shape": ["seq", 64]}, {"element": "i32", "shape": []}],
        "results": [{"element": "f32", "shape": ["seq+1", "seq"]}], "steps": []}]});
    let manifest = Manifest::parse(&text.to_string()).unwrap();
    let signature = Signature::of_program(&manifest.programs[0]).unwrap();
    let position = tensor("i32", &[], &[]);
    let bind = |x: Option<Tensor<'_>>| {
        signature.bind(&[x, position, None], &[]).map_err(|error| error.to_string())
    };
    assert_eq!(bind(tensor("bf16", &[3, 64], &[64, 1])), Ok(vec![3]));
    assert_eq!(signature.result(2, &[3]).unwrap(), (vec![4, 3], vec![3, 1]));
    assert_eq!(
        bind(tensor("bf16", &[3, 64], &[1, 3])).unwrap_err(),
        "program main, operand 0 (argument 0): expected strides (64,1), found (1,3)"
    );
    assert_eq!(
        bind(tensor("bf16", &[192], &[])).unwrap_err(),
        "program main, operand 0 (argument 0): expected shape (seq,64), found (192)"
    );
}

/// A strided window: the extents of the matrix are twice those of the result, and one more.
#[test]
fn an_extent_that_is_linear_in_a_size_determines_it() {
    let pool = kernel(
        &["oh", "ow"],
        vec![
            argument("x", "f32", "(2*oh+1,2*ow+1)", "(2*ow+1,1)", "read"),
            argument("y", "f32", "(oh,ow)", "(ow,1)", "write"),
        ],
    );
    let ok = |shape: &[i64]| bind(&pool, &[tensor("f32", shape, &[]), None]);
    assert_eq!(ok(&[7, 11]), Ok(vec![3, 5]));
    let found = ok(&[8, 11]).expect_err("an even extent");
    assert_eq!(
        found,
        "kernel k: expected a value of oh (1 to 2147483647), found no tensor whose shape determines it"
    );
    let rounded = kernel(
        &["h"],
        vec![
            argument("x", "f32", "h", "1", "read"),
            argument("y", "f32", "ceil_div(h,2)", "1", "write"),
        ],
    );
    let both = |h: i64, half: i64| {
        bind(&rounded, &[tensor("f32", &[h], &[]), tensor("f32", &[half], &[])])
    };
    assert_eq!(both(7, 4), Ok(vec![7]));
    assert!(
        both(7, 3)
            .is_err_and(|why| why.contains("expected shape (ceil_div(h,2)) at h=7, found (3)"))
    );
}
