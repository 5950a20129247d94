//! The manifest of a kernel: its launch information, from its function.
//!
//! Passes leave these facts in one attribute of the kernel, `layout.kernel`, which survives the
//! conversion to LLVM's dialect. The manifest is that attribute in the form that `layout-run`
//! reads: [`Manifest`]. Programs, which launch kernels, are in `layout.programs` of the module. Kernels whose facts have `sizes` take these at run time, and those whose facts have
//! `family = {name = "gemm", number = 2, most = {m = 64}}` are variants of a family, in the order of their numbers; one that covers
//! smaller sizes too has these in `before = [{number = 0, most = {m = 16}}]`.

use crate::{facts, programs::PROGRAMS};
use layout_dialect::tree;
use layout_runtime::manifest::{AnyKernel, Family, Manifest};
use melior::ir::{Attribute, OperationRef, operation::OperationLike};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The attribute of a kernel that holds the facts of its launch.
pub const ATTRIBUTE: &str = "layout.kernel";

/// Why a module has no manifest.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No kernel below the root.
    #[error("expected a kernel with the attribute {ATTRIBUTE}, found none")]
    NoKernel,
    /// An attribute of another kind than a manifest holds.
    #[error("expected integers, texts, arrays and dictionaries in {ATTRIBUTE}, found {0}")]
    Kind(String),
    /// A fact that is missing or of another form.
    #[error("expected the launch facts of @{kernel} in {ATTRIBUTE}, found {reason}")]
    Facts {
        /// The kernel.
        kernel: String,
        /// The reason why it does not fit.
        reason: String,
    },
    /// A program of another form than passes leave.
    #[error("expected programs of the runtime in {PROGRAMS}, found {0}")]
    Program(String),
    /// Kernels that contradict each other.
    #[error("expected kernels that a launch can distinguish, found {0}")]
    Together(String),
}

/// A kernel's membership in a family of variants: the last of the ranges that it covers, and those before.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Membership {
    name: String,
    number: u32,
    #[serde(default)]
    most: BTreeMap<String, i64>,
    /// Ranges before that one, which the kernel covers too.
    #[serde(default)]
    before: Vec<Range>,
}

/// A range of sizes, by its place among those of the family, and its bounds.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Range {
    number: u32,
    most: BTreeMap<String, i64>,
}

/// The variants of each family by their numbers: bounds, and the kernel's name.
type Families = BTreeMap<String, BTreeMap<u32, (BTreeMap<String, i64>, String)>>;

/// The manifest of every kernel below `root`, in order.
///
/// # Errors
///
/// No kernel and no program; facts of another form than passes leave.
pub fn of(root: OperationRef<'_, '_>) -> Result<Manifest, Error> {
    let mut manifest = Manifest::of(Vec::new());
    let mut families = Families::new();
    for operation in tree::all(root) {
        let Ok(facts) = operation.attribute(ATTRIBUTE) else { continue };
        let name = operation.attribute("sym_name").ok().and_then(tree::text).unwrap_or_default();
        let on_host =
            tree::name(operation) != "gpu.func" && operation.attribute("nvvm.kernel").is_err();
        manifest.push(kernel(&name, facts, on_host, &mut families)?);
    }
    for (name, variants) in families {
        let family = family(&manifest, &name, variants.into_values())?;
        manifest.families.push(family);
    }
    for program in root.attribute(PROGRAMS).ok().and_then(tree::elements).unwrap_or_default() {
        let program = serde_json::from_value(facts::json(program).map_err(Error::Kind)?);
        manifest.programs.push(program.map_err(|error| Error::Program(error.to_string()))?);
    }
    // A program may copy alone.
    if manifest.kernels.is_empty() && manifest.templates.is_empty() && manifest.programs.is_empty()
    {
        return Err(Error::NoKernel);
    }
    manifest.check().map_err(together)?;
    Ok(manifest)
}

fn together(error: layout_runtime::Error) -> Error {
    Error::Together(match error {
        layout_runtime::Error::Manifest(reason) => reason,
        error => error.to_string(),
    })
}

fn family(
    manifest: &Manifest,
    name: &str,
    variants: impl Iterator<Item = (BTreeMap<String, i64>, String)>,
) -> Result<Family, Error> {
    let variants = variants.map(|(most, kernel)| {
        let found = manifest.templates.iter().find(|template| template.name() == kernel);
        let reason = || format!("no sizes of the family {name} that it is of");
        let template =
            found.ok_or_else(|| Error::Facts { kernel: kernel.clone(), reason: reason() })?;
        Ok((most, template))
    });
    Family::of(name, variants.collect::<Result<_, _>>()?).map_err(together)
}

fn kernel(
    name: &str,
    facts: Attribute<'_>,
    on_host: bool,
    families: &mut Families,
) -> Result<AnyKernel, Error> {
    let wrong = |reason: String| Error::Facts { kernel: name.to_owned(), reason };
    let Value::Object(mut object) = facts::json(facts).map_err(Error::Kind)? else {
        return Err(wrong(facts.to_string()));
    };
    if let Some(member) = object.remove("family") {
        let Membership { name: of, number, most, before } = serde_json::from_value(member)
            .map_err(|error| wrong(format!("a family with {error}")))?;
        let variants = families.entry(of.clone()).or_default();
        for Range { number, most } in before.into_iter().chain([Range { number, most }]) {
            if let Some((_, other)) = variants.insert(number, (most, name.to_owned())) {
                return Err(wrong(format!("number {number} of {of}, which @{other} has too")));
            }
        }
    }
    object.insert("name".to_owned(), json!(name));
    if on_host {
        // All of a host function's buffers are on its stack.
        object.entry("shared_bytes").or_insert(json!(0));
    }
    serde_json::from_value(Value::Object(object)).map_err(|error| {
        // The name is stated already.
        let (reason, of) = (error.to_string(), format!("kernel {name}"));
        let reason = reason.strip_prefix(&of).map_or(reason.as_str(), |rest| {
            rest.strip_prefix([':', ',']).unwrap_or(rest).trim_start()
        });
        wrong(reason.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use melior::{Context, ir::Module};

    fn read(attribute: &str) -> Result<Manifest, String> {
        let context = Context::new();
        context.set_allow_unregistered_dialects(true);
        let text =
            format!(r#"module {{ "test.func"() {{sym_name = "gemm"{attribute}}} : () -> () }}"#);
        let module = Module::parse(&context, &text).ok_or("a module")?;
        of(module.as_operation()).map_err(|error| error.to_string())
    }

    const FACTS: &str = r#"layout.kernel = {grid = array<i64: 4, 2, 1>, block = array<i64: 128, 1, 1>,
        shared_bytes = 4096 : i64, chip = "sm_80", args = [
          {name = "a", element = "bf16", shape = "(64,32)", stride = "(32,1)", access = "read"}]"#;

    #[test]
    fn facts_become_the_manifest_that_the_runtime_reads() {
        let problem = "problem = {kind = \"matmul\", m = 64 : i64, n = 8 : i64, k = 32 : i64}";
        let manifest = read(&format!(", {FACTS}, {problem}}}")).expect("complete facts");
        let text = serde_json::to_string(&manifest).expect("plain data");
        assert_eq!(
            text,
            r#"{"version":1,"kernels":[{"name":"gemm","chip":"sm_80","grid":[4,2,1],"block":[128,1,1],"shared_bytes":4096,"args":[{"name":"a","element":"bf16","shape":"(64,32)","stride":"(32,1)","access":"read"}],"problem":{"kind":"matmul","m":64,"n":8,"k":32}}]}"#
        );
        assert_eq!(Manifest::parse(&text).expect("the same form"), manifest);
    }

    #[test]
    fn a_kernel_may_compute_anything() {
        let manifest = read(&format!(", {FACTS}}}")).expect("complete facts");
        assert_eq!(manifest.kernels[0].problem, None);
    }

    const SIZED: &str = r#"layout.kernel = {grid = ["ceil_div(m,128)", 2 : i64, 1 : i64], block = array<i64: 128, 1, 1>,
        shared_bytes = 4096 : i64, chip = "sm_90a", sizes = [{name = "m", divisor = 8 : i64, most = 65536 : i64}],
        args = [{name = "a", element = "bf16", shape = "(m,32)", stride = "(32,1)", access = "read",
                 sizes = [{value = "m", bits = 32 : i64}]}]"#;

    /// A module of kernels with these facts after those above.
    fn several(facts: &[&str]) -> Result<Manifest, String> {
        let context = Context::new();
        context.set_allow_unregistered_dialects(true);
        let kernel = |(number, facts): (usize, &&str)| {
            format!(r#""test.func"() {{sym_name = "gemm_{number}", {SIZED}{facts}}}}} : () -> ()"#)
        };
        let text: Vec<String> = facts.iter().enumerate().map(kernel).collect();
        let module = Module::parse(&context, &text.join("\n")).ok_or("a module")?;
        of(module.as_operation()).map_err(|error| error.to_string())
    }

    #[test]
    fn facts_with_sizes_become_a_template() {
        let manifest = read(&format!(", {SIZED}}}")).expect("complete facts");
        assert!(manifest.kernels.is_empty() && manifest.families.is_empty());
        let kernel = manifest.templates[0].at(&[136]).expect("a size that it takes");
        assert_eq!((kernel.grid, kernel.args[0].shape.as_str()), ([2, 2, 1], "(136,32)"));
        assert_eq!(kernel.parameters(&[64]).expect("a pointer and m"), [64, 136]);
        let text = serde_json::to_string(&manifest).expect("plain data");
        assert_eq!(Manifest::parse(&text).expect("the same form"), manifest);
        assert_eq!(
            read(&format!(", {}}}", SIZED.replace("ceil_div(m,128)", "ceil_div(k,128)"))),
            Err("expected the launch facts of @gemm in layout.kernel, found grid: expected one of the sizes m \
                 in \"ceil_div(k,128)\", found k"
                .to_owned())
        );
    }

    #[test]
    fn variants_become_a_family_in_the_order_of_their_numbers() {
        let small = r#", family = {name = "gemm", number = 0 : i64, most = {m = 64 : i64}}"#;
        let middle = r#", family = {name = "gemm", number = 1 : i64, most = {m = 512 : i64}}"#;
        let large = r#", family = {name = "gemm", number = 7 : i64}"#;
        let manifest = several(&[large, "", small, middle]).expect("a family and a kernel");
        assert_eq!(manifest.templates.len(), 4);
        let [family] = &manifest.families[..] else { panic!("one family") };
        let kernels: Vec<&str> =
            family.variants.iter().map(|variant| &variant.kernel[..]).collect();
        assert_eq!(
            (family.name.as_str(), &kernels[..]),
            ("gemm", &["gemm_2", "gemm_3", "gemm_0"][..])
        );
        assert_eq!(family.sizes[0].values(), "1 to 65536, a multiple of 8");
        assert_eq!(family.variant(&[72]).expect("a size that it takes"), 1);
        let text = serde_json::to_string(&manifest).expect("plain data");
        assert_eq!(Manifest::parse(&text).expect("the same form"), manifest);
        let again = r#", family = {name = "gemm", number = 7 : i64, before = [{number = 0 : i64, most = {m = 64 : i64}}]}"#;
        let manifest = several(&[again, middle]).expect("a kernel with two ranges");
        let kernels = manifest.families[0].variants.iter().map(|variant| &variant.kernel[..]);
        assert_eq!(kernels.collect::<Vec<_>>(), ["gemm_0", "gemm_1", "gemm_0"]);
        for (facts, message) in [
            (
                &[again, small][..],
                "expected the launch facts of @gemm_1 in layout.kernel, found number 0 of gemm, which @gemm_0 has \
                 too",
            ),
            (
                &[small, small],
                "expected the launch facts of @gemm_1 in layout.kernel, found number 0 of gemm, which @gemm_0 has \
                 too",
            ),
            (
                &[small],
                "expected kernels that a launch can distinguish, found family gemm: expected no bounds of the last variant, \
                 found one of gemm_0",
            ),
            (
                &[r#", family = {name = "gemm_0", number = 0 : i64}"#],
                "expected kernels that a launch can distinguish, found expected kernels and families of different names, \
                 found two gemm_0",
            ),
            (
                &[r#", family = {name = "gemm"}"#],
                "expected the launch facts of @gemm_0 in layout.kernel, found a family with missing field `number`",
            ),
        ] {
            assert_eq!(several(facts), Err(message.to_owned()));
        }
        assert_eq!(
            read(&format!(", {FACTS}, family = {{name = \"all\", number = 0 : i64}}}}")),
            Err("expected the launch facts of @gemm in layout.kernel, found no sizes of the family all that it is \
                 of"
                .to_owned())
        );
    }

    /// The runtime checks every epilogue that the dialect takes.
    #[test]
    fn the_reference_computes_every_step_of_an_epilogue() {
        use layout_runtime::epilogue::{Epilogue, Program, Step};
        for &(name, inputs) in layout_dialect::epilogue::STEPS {
            let detail = match name {
                "arith.constant" => Some("1e0".to_owned()),
                "arith.cmpf" => Some("olt".to_owned()),
                "arith.cmpi" => Some("slt i32".to_owned()),
                _ => None,
            };
            let step = Step { op: name.to_owned(), inputs: (0..inputs).collect(), detail };
            let epilogue =
                Epilogue { operands: vec![3, 4], steps: vec![step], result: 3, dual: None };
            let program = Program::new(&epilogue).expect(name);
            let value = program.apply(0.5, [0.25, 2.0].into_iter(), &mut Vec::new());
            assert!(value.is_finite(), "{name}");
        }
    }

    #[test]
    fn what_is_missing_or_strange_is_named() {
        let error = |attribute: &str| read(attribute).expect_err("no manifest");
        assert_eq!(error(""), "expected a kernel with the attribute layout.kernel, found none");
        assert_eq!(
            error(", layout.kernel = {chip = \"sm_80\"}"),
            "expected the launch facts of @gemm in layout.kernel, found missing field `block`"
        );
        assert_eq!(
            error(", layout.kernel = 7 : i64"),
            "expected the launch facts of @gemm in layout.kernel, found 7 : i64"
        );
        assert_eq!(
            error(", layout.kernel = {chip = f32}"),
            "expected integers, texts, arrays and dictionaries in layout.kernel, found f32"
        );
        assert_eq!(
            error(&format!(", nvvm.kernel, {}}}", FACTS.replace("shared_bytes = 4096 : i64,", ""))),
            "expected the launch facts of @gemm in layout.kernel, found missing field \
             `shared_bytes`"
        );
        assert_eq!(
            error(&format!(", {}}}", FACTS.replace("4, 2, 1", "4, 2"))),
            "expected the launch facts of @gemm in layout.kernel, found invalid length 2, \
             expected an array of length 3"
        );
    }
}
