//! Tests of kernels that take sizes, and of families of them.

use serde_json::json;

use super::*;
use crate::epilogue::{Epilogue, Step as Sum};
use crate::manifest::*;

/// A matmul of any m and k, with all that a kernel can have.
fn entry() -> Value {
    json!({
        "name": "gemm", "chip": "sm_90a",
        "sizes": [{"name": "m", "most": 65536, "divisor": 8}, {"name": "k", "least": 64, "most": 8192}],
        "grid": ["ceil_div(m,128)*32", 1, 1], "grid_limit": "multiprocessors", "cluster": 2,
        "block": [384, 1, 1], "shared_bytes": 200704,
        "args": [
            {"name": "a", "element": "bf16", "shape": "(m,k)", "stride": "(k,1)", "access": "read",
             "sizes": [{"value": "m", "bits": 32}, {"value": "k*2", "bits": 64}]},
            {"name": "b", "element": "bf16", "shape": "((64,64),k)", "stride": "((k,k*64),1)", "access": "read",
             "alignment": 8},
            {"name": "c", "element": "f32", "shape": "( m , 4096 )", "stride": "(max(4096, m)*1,1)",
             "access": "write"}],
        "workspaces": [{"name": "a_copy", "element": "bf16", "shape": "((m+0)*2,k)", "stride": "(k,1)",
             "access": "write", "sizes": [{"value": "2*m", "bits": 32}]}],
        "before": [{"name": "copy", "grid": ["m", 1, 1], "block": [256, 1, 1]}],
        "after": [{"name": "sum", "grid": [1, "ceil_div(m,8)", 1], "block": [256, 1, 1]}],
        "dependent_launch": true,
        "tensor_maps": [{"arg": 0, "element": "bf16", "extents": ["k", "m"], "strides": [2, "2*k"],
             "box": [64, 128], "swizzle": 128}],
        "problem": {"kind": "matmul", "m": "m", "n": 4096, "k": "k"}
    })
}

fn template(entry: Value) -> std::result::Result<Template, String> {
    serde_json::from_value(entry).map_err(|error| error.to_string())
}

#[test]
fn a_kernel_of_sizes_has_their_integers() {
    let template = template(entry()).unwrap();
    assert_eq!(template.name(), "gemm");
    assert_eq!(template.smallest(), &template.at(&[8, 64]).unwrap());
    let kernel = template.at(&[264, 100]).unwrap();
    assert_eq!((kernel.grid, kernel.cluster), ([96, 1, 1], 2));
    assert_eq!(kernel.grid_limit, Some(GridLimit::Multiprocessors));
    let layouts: Vec<_> = kernel
        .args
        .iter()
        .map(|argument| (argument.shape.as_str(), argument.stride.as_str()))
        .collect();
    let expected =
        [("(264,100)", "(100,1)"), ("((64,64),100)", "((100,6400),1)"), ("(264,4096)", "(4096,1)")];
    assert_eq!(layouts, expected);
    assert_eq!(kernel.workspaces[0].shape, "(528,100)");
    assert_eq!((kernel.before[0].grid, kernel.after[0].grid), ([264, 1, 1], [1, 33, 1]));
    assert_eq!(kernel.tensor_maps[0].extents, [100, 264]);
    assert_eq!(kernel.tensor_maps[0].strides, [2, 200]);
    // All else is checked as of any kernel.
    let gemm = kernel.matmul().unwrap();
    assert_eq!((gemm.m, gemm.n, gemm.k), (264, 4096, 100));
    assert_eq!(
        kernel.check_tensor_maps(&[0; 4]).unwrap_err().to_string(),
        "manifest: kernel gemm, tensor map 0 of a: expected a stride of a multiple of 16 bytes below 2^40 along \
         dimension 1, found 200"
    );
}

#[test]
fn integers_follow_their_pointers() {
    let kernel = template(entry()).unwrap().at(&[264, 100]).unwrap();
    let words = kernel.parameters(&[0x10, 0x20, 0x30, 0x40]).unwrap();
    assert_eq!(words, [0x10, 264, 200, 0x20, 0x30, 0x40, 528]);
    // The first bytes are those that a kernel reads of 32 bits.
    let negative = Integer { value: -2, bits: 32 }.word().unwrap().to_ne_bytes();
    assert_eq!(negative[..4], (-2_i32).to_ne_bytes());
    assert_eq!(Integer { value: -2, bits: 64 }.word(), Some((-2_i64).cast_unsigned()));
}

#[test]
fn integers_that_do_not_fit_their_bits_are_refused() {
    let mut entry = entry();
    entry["args"][0]["sizes"][0] = json!({"value": "m*k*8", "bits": 32});
    let template = template(entry.clone()).unwrap();
    assert_eq!(
        template.at(&[65536, 8192]).unwrap_err().to_string(),
        "manifest: kernel gemm, argument a: expected sizes that fit signed integers of 32 or 64 bits, found \
         4294967296 in 32 bits"
    );
    entry["args"][0]["sizes"][0] = json!({"value": 7, "bits": 16});
    assert_eq!(
        super::Template::try_from(entry.as_object().unwrap().clone()).unwrap_err().to_string(),
        "manifest: kernel gemm, argument a: expected sizes that fit signed integers of 32 or 64 bits, found 16 bits"
    );
    let plain = r#"{"version": 1, "kernels": [{"name": "gemm", "chip": "sm_80", "grid": [1, 1, 1], "block": [32, 1, 1],
        "shared_bytes": 0, "args": [{"name": "a", "element": "f32", "shape": "(1,1)", "stride": "(1,1)",
        "access": "read", "sizes": [{"value": 4294967296, "bits": 32}]}]}]}"#;
    assert_eq!(
        Manifest::parse(plain).unwrap_err().to_string(),
        "manifest: kernel gemm, argument a: expected sizes that fit signed integers of 32 or 64 bits, found \
         4294967296 in 32 bits"
    );
}

#[test]
fn sizes_that_a_kernel_does_not_take_are_named() {
    let template = template(entry()).unwrap();
    let error = |sizes: &[i64]| template.at(sizes).unwrap_err().to_string();
    assert_eq!(error(&[8]), "launch: kernel gemm: expected 2 sizes (m, k), found 1");
    for (sizes, message) in [
        ([0, 64], "size m: expected 1 to 65536, a multiple of 8, found 0"),
        ([12, 64], "size m: expected 1 to 65536, a multiple of 8, found 12"),
        ([65544, 64], "size m: expected 1 to 65536, a multiple of 8, found 65544"),
        ([8, 63], "size k: expected 64 to 8192, found 63"),
        ([8, i64::MIN], "size k: expected 64 to 8192, found -9223372036854775808"),
    ] {
        assert_eq!(error(&sizes), format!("launch: kernel gemm, {message}"));
    }
}

#[test]
fn what_contradicts_itself_is_refused() {
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut entry = entry();
        change(&mut entry);
        template(entry).unwrap_err()
    };
    for (change, message) in [
        (
            (&|entry: &mut Value| entry["grid"][0] = json!("ceil_div(x,128)"))
                as &dyn Fn(&mut Value),
            r#": grid: expected one of the sizes m, k in "ceil_div(x,128)", found x"#,
        ),
        (
            &|entry| entry["args"][0]["shape"] = json!("(m,k"),
            r#": shape: expected +, -, * or ) in "(m,k", found ,"#,
        ),
        (
            &|entry| entry["args"][0]["shape"] = json!("(m,(4,))"),
            r#": shape: expected an integer, a size, a function or ( in "", found its end"#,
        ),
        (
            &|entry| entry["args"][0]["shape"] = json!("(".repeat(70) + "m" + &")".repeat(70)),
            ": shape: expected at most 64 tuples within each other, found more",
        ),
        (
            &|entry| entry["args"][0]["stride"] = json!("1".repeat(8193)),
            ": stride: expected at most 8192 bytes, found 8193",
        ),
        (
            &|entry| entry["grid"][0] = json!("m-9"),
            r#" at m=8, k=64: expected grid from 0 to 4294967295, found -1 of "m-9""#,
        ),
        (
            &|entry| entry["shared_bytes"] = json!("m*4294967296"),
            r#" at m=8, k=64: expected shared_bytes from 0 to 4294967295, found 34359738368 of "m*4294967296""#,
        ),
        (
            &|entry| entry["problem"]["m"] = json!("m*9223372036854775807"),
            r#" at m=8, k=64: m: expected "m*9223372036854775807" to stay within 64 bits, found an overflow"#,
        ),
        (
            &|entry| _ = entry.as_object_mut().unwrap().remove("grid"),
            " at m=8, k=64: missing field `grid`",
        ),
        (&|entry| entry["sizes"] = json!([]), ": expected 1 to 64 sizes, found 0"),
        (
            &|entry| entry["sizes"] = json!(7),
            ": sizes: invalid type: integer `7`, expected a sequence",
        ),
        (
            &|entry| entry["sizes"][0]["name"] = json!("min"),
            r#": expected a size's name of letters, digits and _, which is no function's, found "min""#,
        ),
        (
            &|entry| entry["sizes"][0]["name"] = json!("k"),
            ": expected sizes of different names, found two k",
        ),
        (
            &|entry| entry["sizes"][0]["divisor"] = json!(0),
            ", size m: expected a divisor of at least 1, found 0",
        ),
        (
            &|entry| entry["sizes"][0]["least"] = json!(-1),
            ", size m: expected values of at least 0, found -1",
        ),
        (
            &|entry| entry["sizes"][0]["most"] = json!(7),
            ", size m: expected a multiple of 8 from 1 to 7, found none",
        ),
    ] {
        assert_eq!(refused(change), format!("manifest: kernel gemm{message}"));
    }
}

/// Each integer of a kernel with all that it can have may be an expression, and no text is taken for one.
#[test]
fn all_integers_may_be_expressions() {
    let mut all = template(entry()).unwrap().at(&[8, 64]).unwrap();
    let sum = Sum { op: "arith.addf".into(), inputs: vec![0, 1], detail: Some("m".into()) };
    let epilogue = Some(Epilogue { operands: vec![2], steps: vec![sum], result: 2, dual: None });
    let problem = GemmProblem {
        m: 8,
        n: 4096,
        k: 64,
        batch: Some(1),
        args: [0, 1, 2],
        epilogue: epilogue.clone(),
        window: None,
    };
    let precision = Some(Precision::Tf32);
    for problem in [
        Problem::Matmul { m: 8, n: 4096, k: 64, batch: Some(1), precision, epilogue, window: None },
        Problem::Grouped { problems: vec![problem], precision },
    ] {
        all.problem = Some(problem);
        let mut value = serde_json::to_value(&all).unwrap();
        let mut count = 0;
        as_expressions(&mut value, &mut count);
        assert!(count > 40, "{count}");
        value["sizes"] = json!([{"name": "zero", "least": 0}]);
        assert_eq!(template(value).unwrap().at(&[0]).unwrap(), all);
    }
}

/// Writes each integer as one plus a size that is 0, but for `bits`.
fn as_expressions(value: &mut Value, count: &mut usize) {
    match value {
        Value::Number(number) => {
            *value = json!(format!("{number}+zero"));
            *count += 1;
        }
        Value::Array(values) => values.iter_mut().for_each(|value| as_expressions(value, count)),
        Value::Object(fields) => {
            fields.values_mut().for_each(|value| as_expressions(value, count));
        }
        _ => {}
    }
}

#[test]
fn a_manifest_holds_both_kinds() {
    let mut plain = serde_json::to_value(template(entry()).unwrap().smallest()).unwrap();
    plain["name"] = json!("gemm_8");
    let text = json!({"version": 1, "kernels": [entry(), plain]}).to_string();
    let manifest = Manifest::parse(&text).unwrap();
    assert_eq!((manifest.kernels.len(), manifest.templates.len()), (1, 1));
    let written = serde_json::to_string(&manifest).unwrap();
    assert_eq!(Manifest::parse(&written).unwrap(), manifest);
    let value: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(value["kernels"][1], entry());
    let twice = json!({"version": 1, "kernels": [entry(), entry()]}).to_string();
    assert_eq!(
        Manifest::parse(&twice).unwrap_err().to_string(),
        "manifest: expected kernels and families of different names, found two gemm"
    );
    let error = |entry: Value| {
        let text = json!({"version": 1, "kernels": [entry]}).to_string();
        let error = Manifest::parse(&text).unwrap_err().to_string();
        error.split(" at line").next().unwrap_or_default().to_owned()
    };
    assert_eq!(error(json!({"name": "a"})), "manifest: kernel a: missing field `chip`");
    let mut wrong = entry();
    wrong["sizes"] = json!({});
    assert_eq!(
        error(wrong),
        "manifest: kernel gemm: sizes: invalid type: map, expected a sequence"
    );
}

#[test]
fn template_reports_its_chip() {
    let mut template = template(entry()).unwrap();
    template.set_chip("sm_100a");
    assert_eq!(template.at(&[8, 64]).unwrap().chip, "sm_100a");
    let written = serde_json::to_value(&template).unwrap();
    assert_eq!((&written["chip"], &template.smallest().chip[..]), (&json!("sm_100a"), "sm_100a"));
    assert_eq!(template.args()[1].stride, "((k,k*64),1)");
}

/// Three kernels, and the family of them.
fn family() -> Value {
    let variants: Vec<Value> = (0..3)
        .map(|number| {
            let mut variant = entry();
            variant["name"] = json!(format!("gemm_{number}"));
            variant
        })
        .collect();
    json!({"version": 1, "kernels": variants, "families": [{
        "name": "gemm", "sizes": entry()["sizes"], "variants": [
            {"most": {"m": 64}, "kernel": "gemm_0"},
            {"most": {"k": 512, "m": 1024}, "kernel": "gemm_2"},
            {"kernel": "gemm_1"}]}]})
}

#[test]
fn a_family_takes_the_first_variant_that_fits() {
    let manifest = Manifest::parse(&family().to_string()).unwrap();
    assert_eq!(Manifest::parse(&serde_json::to_string(&manifest).unwrap()).unwrap(), manifest);
    assert_eq!(manifest.templates_alone().count(), 0);
    let family = &manifest.families[0];
    for (sizes, number) in [
        ([8, 64], 0),
        ([64, 8192], 0),
        ([72, 512], 1),
        ([72, 513], 2),
        ([1024, 64], 1),
        ([65536, 64], 2),
    ] {
        assert_eq!(family.variant(&sizes).unwrap(), number, "{sizes:?}");
    }
    let error = |sizes: &[i64]| family.variant(sizes).unwrap_err().to_string();
    assert_eq!(error(&[]), "launch: family gemm: expected 2 sizes (m, k), found 0");
    assert_eq!(
        error(&[4, 64]),
        "launch: family gemm, size m: expected 1 to 65536, a multiple of 8, found 4"
    );
}

/// A kernel may cover several ranges: each bound is a variant, and the kernels are counted.
#[test]
fn a_kernel_of_a_family_has_several_ranges() {
    let mut value = family();
    let variant =
        |m: i64, number: i64| json!({"most": {"m": m}, "kernel": format!("gemm_{number}")});
    let mut variants: Vec<Value> =
        (1..=9).map(|number| variant(100 * number, number % 2)).collect();
    variants.push(json!({"kernel": "gemm_2"}));
    value["families"][0]["variants"] = json!(variants);
    let manifest = Manifest::parse(&value.to_string()).unwrap();
    let family = &manifest.families[0];
    let kernels = family.kernels(&manifest.templates).unwrap();
    let kernel = |m: i64| kernels[family.variant(&[m, 64]).unwrap()].name();
    let expected =
        [(8, "gemm_1"), (104, "gemm_0"), (200, "gemm_0"), (296, "gemm_1"), (904, "gemm_2")];
    for (m, name) in expected {
        assert_eq!(kernel(m), name, "{m}");
    }
}

#[test]
fn a_family_is_made_of_its_kernels() {
    let mut value = family();
    value["kernels"][1]["sizes"][0] =
        json!({"name": "m", "least": 65, "most": 1024, "divisor": 12});
    value["kernels"][2]["sizes"][0] = json!({"name": "m", "most": 64});
    value.as_object_mut().unwrap().remove("families");
    let manifest = Manifest::parse(&value.to_string()).unwrap();
    let [all, large, small] = &manifest.templates[..] else { panic!("three kernels") };
    let most = |m: i64| [("m".to_owned(), m)].into();
    let family = Family::of(
        "gemm",
        vec![(most(64), small), (most(1024), large), (most(0).into_iter().take(0).collect(), all)],
    );
    let family = family.unwrap();
    assert_eq!(family.sizes[0].values(), "1 to 65536, a multiple of 24");
    assert_eq!(family.variant(&[72, 64]).unwrap(), 1);
    let error = Family::of("gemm", vec![(most(80), small), ([].into(), all)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "manifest: family gemm: expected gemm_2 to take each m that reaches it (1 to 80, a multiple of 8), found 1 to 64"
    );
}

#[test]
fn families_that_no_launch_can_use_are_refused() {
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut family = family();
        change(&mut family);
        Manifest::parse(&family.to_string()).unwrap_err().to_string()
    };
    let variants = "/families/0/variants";
    for (change, message) in [
        (
            (&|all: &mut Value| all["families"][0]["name"] = json!("gemm_1"))
                as &dyn Fn(&mut Value),
            "expected kernels and families of different names, found two gemm_1",
        ),
        (
            &|all| *all.pointer_mut(variants).unwrap() = json!([]),
            "family gemm: expected 1 to 6 kernels, found 0",
        ),
        (
            &|all| all["families"][0]["variants"][0]["kernel"] = json!("gemm_7"),
            "family gemm: expected a kernel that takes sizes for each variant, found none of the name gemm_7",
        ),
        (
            &|all| all["families"][0]["variants"][0]["most"] = json!({}),
            "family gemm: expected bounds of each variant but the last, found none of gemm_0",
        ),
        (
            &|all| all["families"][0]["variants"][2]["most"] = json!({"m": 7}),
            "family gemm: expected no bounds of the last variant, found one of gemm_1",
        ),
        (
            &|all| all["families"][0]["variants"][0]["most"] = json!({"n": 7}),
            "family gemm: expected bounds of the sizes m, k, found one of n",
        ),
        (
            &|all| all["families"][0]["sizes"] = json!([{"name": "m"}]),
            "family gemm: expected kernels of the sizes (m), found gemm_0 of (m, k)",
        ),
        (
            &|all| all["kernels"][2]["args"][2]["element"] = json!("bf16"),
            "family gemm: expected kernels of the arguments (read bf16 a, read bf16 b, write f32 c), found gemm_2 of \
             (read bf16 a, read bf16 b, write bf16 c)",
        ),
        (
            &|all| all["kernels"][1]["sizes"][0]["most"] = json!(1024),
            "family gemm: expected gemm_1 to take each m that reaches it (65 to 65536, a multiple of 8), found 1 to 1024, \
             a multiple of 8",
        ),
    ] {
        assert_eq!(refused(change), format!("manifest: {message}"));
    }
}
