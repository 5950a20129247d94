use super::plan::{ALIGNMENT, Integer, LiveRange, Place, Plan, Planned, place};
use super::*;
use crate::instances::Instances;
use crate::manifest::Manifest;
use layout_random::checked;
use serde_json::{Value, json};

fn kernel() -> Value {
    json!({
        "name": "scale", "chip": "sm_80", "sizes": [{"name": "m"}], "grid": ["m", 1, 1], "block": [128, 1, 1],
        "shared_bytes": 0,
        "args": [{"name": "a", "element": "bf16", "shape": "(m,64)", "stride": "(64,1)", "access": "read",
                  "sizes": [{"value": "m", "bits": 32}]},
                 {"name": "c", "element": "bf16", "shape": "(m,64)", "stride": "(64,1)", "access": "write",
                  "sizes": [{"value": "m", "bits": 32}]}],
        "workspaces": [{"name": "sums", "element": "f32", "shape": "(m,64)", "stride": "(64,1)", "access": "write",
                  "sizes": [{"value": "m", "bits": 32}]}]
    })
}

fn step(from: Value, to: Value) -> Value {
    json!({"launch": {"kernel": "scale", "operands": [from, to], "sizes": {"m": "rows"}}})
}

/// Four steps in a row through three buffers, then a copy of a part.
fn program() -> Value {
    json!({
        "name": "main",
        "arguments": [{"element": "bf16", "shape": ["rows", 64]}, {"element": "f32", "shape": []}],
        "results": [{"element": "bf16", "shape": ["rows", 64]}, {"element": "bf16", "shape": ["rows-1", 64]}],
        "buffers": ["rows*128", "rows*128", "rows*128"],
        "constants": ["00ff"],
        "steps": [
            step(json!({"argument": 0}), json!({"buffer": 0})),
            step(json!({"buffer": 0}), json!({"buffer": 1})),
            step(json!({"buffer": 1}), json!({"buffer": 2})),
            step(json!({"buffer": 2}), json!({"result": 0})),
            {"copy": {"from": {"buffer": 2, "offset": 128}, "to": {"result": 1}, "bytes": "(rows-1)*128"}},
        ]
    })
}

fn parse(program: &Value) -> Result<Manifest> {
    let text = json!({"version": 1, "kernels": [kernel()], "programs": [program]});
    Manifest::parse(&text.to_string())
}

fn planned(rows: i64) -> Result<Plan> {
    let manifest = parse(&program())?;
    let instances = Instances::of_template(manifest.templates[0].clone());
    Plan::new(&manifest.programs[0], &[rows], |_| Ok(&instances))
}

#[test]
fn a_program_is_read_as_it_is_written() {
    let manifest = parse(&program()).unwrap();
    let text = serde_json::to_string(&manifest).unwrap();
    assert_eq!(Manifest::parse(&text).unwrap(), manifest);
    let program = &manifest.programs[0];
    assert_eq!(program.constants().unwrap(), [vec![0, 255]]);
    assert_eq!(program.result_shapes(&[&[5, 64], &[]]).unwrap(), [[5, 64], [4, 64]]);
}

#[test]
fn inconsistent_manifests_are_errors() {
    let error = |edit: &dyn Fn(&mut Value)| {
        let mut program = program();
        edit(&mut program);
        parse(&program).unwrap_err().to_string()
    };
    for (found, expected) in [
        (
            error(&|p| p["steps"][0]["launch"]["kernel"] = json!("other")),
            "manifest: program main: expected a kernel of the manifest, found \"other\"",
        ),
        (
            error(&|p| p["steps"][0]["launch"]["operands"][0] = json!({"argument": 2})),
            "manifest: program main: expected memory below 2 of its kind, found argument(2)",
        ),
        (
            error(&|p| p["buffers"][1] = json!("columns*2")),
            "manifest: program main: expected one of the sizes rows in \"columns*2\", found columns",
        ),
        (
            error(&|p| p["results"][0]["element"] = json!("bool")),
            "manifest: expected a type of elements, found \"bool\"",
        ),
        (
            error(&|p| p["arguments"][0]["shape"][1] = json!("2*rows")),
            "manifest: program main: expected an extent of at least 0 or a name in an argument's shape, found 2*rows",
        ),
        (
            error(&|p| p["constants"][0] = json!("0g")),
            "manifest: program main: expected pairs of hexadecimal digits as a constant, found \"0g\"",
        ),
    ] {
        assert_eq!(found, expected);
    }
}

#[test]
fn shapes_give_the_sizes() {
    let manifest = parse(&program()).unwrap();
    let program = &manifest.programs[0];
    assert_eq!(program.sizes_of(&[&[7, 64], &[]]).unwrap(), [7]);
    let error = |shapes: &[&[i64]]| program.sizes_of(shapes).unwrap_err().to_string();
    assert_eq!(error(&[&[7, 64]]), "launch: program main: expected 2 arguments, found 1");
    assert_eq!(
        error(&[&[7, 64, 1], &[]]),
        "launch: program main, argument 0: expected the shape (rows,64), found (7,64,1)"
    );
    assert_eq!(
        error(&[&[-7, 64], &[]]),
        "launch: program main, argument 0: expected the shape (rows,64), found (-7,64)"
    );
}

/// An expression names parts, each over those before it. A part without a value is an error where something names it.
#[test]
fn parts_are_values_of_a_call() {
    let mut program = program();
    program["parts"] = json!([
        {"name": "part0", "value": "rows*2"},
        {"name": "part1", "value": "part0*64"},
        {"name": "part2", "value": "floor_div(part1,rows-rows)"},
    ]);
    program["buffers"] = json!(["part1", "part1", "part1"]);
    program["results"][1]["shape"][0] = json!("part0-rows-1");
    let manifest = parse(&program).unwrap();
    let text = serde_json::to_string(&manifest).unwrap();
    assert_eq!(Manifest::parse(&text).unwrap(), manifest);
    let own = &manifest.programs[0];
    assert_eq!(own.result_shapes(&[&[5, 64], &[]]).unwrap(), [[5, 64], [4, 64]]);
    let instances = Instances::of_template(manifest.templates[0].clone());
    let workspace = |program: &Program| Plan::new(program, &[4], |_| Ok(&instances));
    let plan = workspace(own).unwrap();
    assert_eq!(plan.workspace, planned(4).unwrap().workspace);
    assert_eq!(own.size_names(), ["rows"]);
    let signature = crate::binding::Signature::of_program(own).unwrap();
    assert_eq!(signature.result(3, &[5]).unwrap(), (vec![4, 64], vec![64, 1]));
    let mut named = own.clone();
    named.buffers[0] = Amount::AtRunTime("part2+1".to_owned());
    assert_eq!(
        workspace(&named).unwrap_err().to_string(),
        "manifest: program main: expected a divisor of at least 1 in \"floor_div(part1,rows-rows)\", found 0"
    );
    for (edit, expected) in [
        (
            json!([{"name": "part0", "value": "part1"}, {"name": "part1", "value": "rows"}]),
            "expected one of the sizes rows in \"part1\", found part1",
        ),
        (
            json!([{"name": "rows", "value": 1}, {"name": "part1", "value": 1}, {"name": "part0", "value": 1}]),
            "expected unique names of parts, found \"rows\" twice",
        ),
    ] {
        program["parts"] = edit;
        let error = parse(&program).unwrap_err().to_string();
        assert_eq!(error, format!("manifest: program main: {expected}"));
    }
}

#[test]
fn failed_assertions_report_the_sizes() {
    let mut program = program();
    program["conditions"] = json!([{"value": "min(rows-1,1)", "message": "several rows"}]);
    let manifest = parse(&program).unwrap();
    let text = serde_json::to_string(&manifest).unwrap();
    assert_eq!(Manifest::parse(&text).unwrap(), manifest);
    let own = &manifest.programs[0];
    assert_eq!(own.result_shapes(&[&[5, 64], &[]]).unwrap(), [[5, 64], [4, 64]]);
    let message = "launch: program main: expected sizes at which its assertion \"several rows\" holds, found rows=1";
    assert_eq!(own.result_shapes(&[&[1, 64], &[]]).unwrap_err().to_string(), message);
    let instances = Instances::of_template(manifest.templates[0].clone());
    assert_eq!(Plan::new(own, &[1], |_| Ok(&instances)).unwrap_err().to_string(), message);
    program["conditions"][0]["value"] = json!("columns");
    assert_eq!(
        parse(&program).unwrap_err().to_string(),
        "manifest: program main: expected one of the sizes rows in \"columns\", found columns"
    );
}

#[test]
fn buffers_with_disjoint_live_ranges_share_memory() {
    let plan = planned(4).unwrap();
    // Three buffers of 512 bytes, and the workspace of each of four launches: 1,024.
    assert_eq!(plan.unshared, 3 * 512 + 4 * 1024);
    assert_eq!(plan.workspace, 1024 + 2 * 512);
    let Planned::Copy { from, to, bytes } = &plan.steps[4] else { panic!("a copy") };
    let Planned::Launch { places, .. } = &plan.steps[3] else { panic!("a launch") };
    let (Place::Workspace(buffer), Ok(Place::Workspace(part))) = (places[0], from.at(&[])) else {
        panic!("in the workspace")
    };
    assert_eq!((part - buffer, to.at(&[])), (128, Ok(Place::Result(1, 0))));
    assert_eq!(*bytes, Integer::Known(3 * 128));
    assert_eq!(places.len(), 3);
    assert_eq!(planned(4).unwrap().workspace, plan.workspace);
}

/// A launch of a family takes the kernel that is for its size, with the workspaces of that one.
#[test]
fn a_launch_of_a_family_takes_the_kernel_of_its_size() {
    let mut kernels = [kernel(), kernel()];
    for (kernel, (name, columns)) in kernels.iter_mut().zip([("few", 64), ("many", 128)]) {
        kernel["name"] = json!(name);
        kernel["workspaces"][0]["shape"] = json!(format!("(m,{columns})"));
        kernel["workspaces"][0]["stride"] = json!(format!("({columns},1)"));
    }
    let mut program = program();
    program["steps"][1]["launch"]["sizes"]["m"] = json!("rows*2");
    let text = json!({"version": 1, "kernels": kernels, "programs": [program], "families": [{
        "name": "scale", "sizes": [{"name": "m"}],
        "variants": [{"most": {"m": 16}, "kernel": "few"}, {"kernel": "many"}]}]});
    let manifest = Manifest::parse(&text.to_string()).unwrap();
    let written = serde_json::to_string(&manifest).unwrap();
    assert_eq!(Manifest::parse(&written).unwrap(), manifest);
    let instances =
        Instances::of_family(manifest.families[0].clone(), &manifest.templates).unwrap();
    let taken = |rows: i64| {
        let plan = Plan::new(&manifest.programs[0], &[rows], |_| Ok(&instances)).unwrap();
        let kernel = |step: &Planned| match step {
            Planned::Launch { instance, places, .. } => {
                assert_eq!((instance.workspaces().len(), places.len()), (1, 3));
                Some((instance.kernel().name.clone(), instance.workspaces()[0]))
            }
            _ => None,
        };
        plan.steps.iter().filter_map(kernel).collect::<Vec<_>>()
    };
    let few = |m: usize| ("few".to_owned(), m * 64 * 4);
    let many = |m: usize| ("many".to_owned(), m * 128 * 4);
    assert_eq!(taken(8), [few(8), few(16), few(8), few(8)]);
    assert_eq!(taken(16), [few(16), many(32), few(16), few(16)]);
    assert_eq!(taken(17), [many(17), many(34), many(17), many(17)]);
}

/// A loop around a launch, a copy at an offset that is counted up, and a branch on an integer that is read.
fn with_control() -> Value {
    let mut program = program();
    program["variables"] = json!(["i", "flag"]);
    program["steps"] = json!([
        {"set": [{"variable": "i", "value": 0, "bits": 32}]},
        {"loop": {
            "before": [{"read": {"from": {"argument": 1}, "element": "i32", "variable": "flag"}}],
            "condition": "max(min(rows-i,1),0)",
            "body": [
                step(json!({"argument": 0}), json!({"buffer": 0})),
                step(json!({"buffer": 0}), json!({"buffer": 1})),
                {"branch": {"condition": "flag", "then": [
                    {"launch": {"kernel": "scale", "operands": [{"argument": 0}, {"buffer": 2}], "sizes": {"m": "i+1"}}},
                    {"copy": {"from": {"buffer": 1, "offset": "i*128"}, "to": {"result": 0}, "bytes": 128}}]}},
                {"set": [{"variable": "i", "value": "i+1", "bits": 32}]}]}},
    ]);
    program
}

#[test]
fn what_a_loop_holds_is_needed_at_once() {
    let manifest = parse(&with_control()).unwrap();
    let text = serde_json::to_string(&manifest).unwrap();
    assert_eq!(Manifest::parse(&text).unwrap(), manifest);
    let mut kernel = kernel();
    kernel["workspaces"] = json!([]);
    let text = json!({"version": 1, "kernels": [kernel], "programs": [with_control()]}).to_string();
    let manifest = Manifest::parse(&text).unwrap();
    let instances = Instances::of_template(manifest.templates[0].clone());
    let plan = Plan::new(&manifest.programs[0], &[4], |_| Ok(&instances)).unwrap();
    // Three buffers of 512 bytes in one step.
    assert_eq!((plan.workspace, plan.values), (3 * 512, vec![4, 0, 0]));
    assert_eq!(plan.launches, ["scale", "scale", "scale"]);
    let [Planned::Set(first), Planned::Loop { lists: [before, body], .. }] = &plan.steps[..] else {
        panic!("an assignment and a loop")
    };
    assert_eq!(first[..], [(1, Integer::Known(0), 32)]);
    assert!(matches!(before[..], [Planned::Read { variable: 2, .. }]));
    let [_, Planned::Launch { number: 1, .. }, Planned::Branch { lists: [then, otherwise], .. }, _] =
        &body[..]
    else {
        panic!("two launches, a branch and an assignment")
    };
    assert!(otherwise.is_empty());
    let [Planned::OpenLaunch { number: 2, sizes, .. }, Planned::Copy { from, .. }] = &then[..]
    else {
        panic!("a launch of a variable's size and a copy")
    };
    assert_eq!(sizes[0].at(&[4, 2, 0]), Ok(3));
    let (Ok(Place::Workspace(first)), Ok(Place::Workspace(third))) =
        (from.at(&[4, 0, 0]), from.at(&[4, 2, 0]))
    else {
        panic!("in the workspace")
    };
    assert_eq!(third - first, 256);
    assert_eq!(from.at(&[4, 5, 0]), Err("expected an offset in 512 bytes, found 640".to_owned()));
    assert_eq!(from.at(&[4, -1, 0]), Err("expected at least 0, found -128".to_owned()));
}

#[test]
fn variables_are_declared() {
    let error = |edit: &dyn Fn(&mut Value)| {
        let mut program = with_control();
        edit(&mut program);
        parse(&program).unwrap_err().to_string()
    };
    for (found, expected) in [
        (
            error(&|p| p["variables"] = json!(["i"])),
            "manifest: program main: expected a variable of the program, found \"flag\"",
        ),
        (
            error(&|p| p["variables"] = json!(["i", "flag", "rows"])),
            "manifest: program main: expected unique names of variables, found \"rows\" twice",
        ),
        (
            error(&|p| p["steps"][1]["loop"]["condition"] = json!("j")),
            "manifest: program main: expected one of the sizes rows, i, flag in \"j\", found j",
        ),
        (
            error(&|p| p["buffers"][1] = json!("i*2")),
            "manifest: program main: expected one of the sizes rows in \"i*2\", found i",
        ),
        (
            error(&|p| p["steps"][1]["loop"]["body"][0]["launch"]["kernel"] = json!("other")),
            "manifest: program main: expected a kernel of the manifest, found \"other\"",
        ),
    ] {
        assert_eq!(found, expected);
    }
}

#[test]
fn integers_are_read_with_their_signs() {
    use control::Integer::{I1, I8, I16, I32, I64};
    let bytes = [0xFE, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0];
    assert_eq!([I1, I8, I16, I32, I64].map(|one| one.of(bytes)), [1, -2, -2, -2, 0xFFFF_FFFE]);
}

#[test]
fn a_kernel_reports_the_sizes_that_it_does_not_take() {
    assert_eq!(
        planned(0).unwrap_err().to_string(),
        "launch: kernel scale, size m: expected 1 to 2147483647, found 0"
    );
}

/// Any ranges: those that meet have memory of their own, and all of it is within what is requested.
#[test]
fn places_are_disjoint_while_they_live() {
    for seed in 0..2000 {
        checked(seed, |random| {
            let count = random.index(20);
            let ranges: Vec<LiveRange> = (0..count)
                .map(|_| {
                    let first = random.index(10);
                    LiveRange { bytes: random.index(5000), first, last: first + random.index(5) }
                })
                .collect();
            let (offsets, all) = place(&ranges).unwrap();
            for (i, a) in ranges.iter().enumerate() {
                assert!(offsets[i] % ALIGNMENT == 0 && offsets[i] + a.bytes <= all);
                for (j, b) in ranges.iter().enumerate().skip(i + 1) {
                    let meet = a.first <= b.last && b.first <= a.last;
                    let disjoint =
                        offsets[i] + a.bytes <= offsets[j] || offsets[j] + b.bytes <= offsets[i];
                    assert!(!meet || disjoint || a.bytes == 0 || b.bytes == 0);
                }
            }
        });
    }
}
