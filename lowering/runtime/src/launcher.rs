//! A C file with the code and the manifest inside, and functions that run each program, or, where there is none, that
//! launch each kernel: what `layout-translate --emit=c` and `layout-compile` write.

use crate::manifest::{Access, Argument, Element, Manifest, Program, Size, Template};
use std::fmt::Write;

/// The texts of a C file and of its header.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// The C file.
    pub source: String,
    /// Its header.
    pub header: String,
}

/// Words that C and C++ keep for themselves, of those that MLIR's symbols may be.
const RESERVED: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "asm",
    "auto",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "main",
    "mutable",
    "namespace",
    "new",
    "not",
    "operator",
    "or",
    "private",
    "protected",
    "public",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "template",
    "this",
    "throw",
    "true",
    "try",
    "typedef",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "while",
    "xor",
    // Names that each launcher has itself.
    "NULL",
    "code",
    "executable",
    "kernel",
    "manifest",
    "arguments",
    "pointers",
    "program",
    "results",
    "sizes",
    "status",
    "stream",
];

/// The launch of a typed function: a kernel, a kernel that takes sizes, or a family of such.
struct Callable<'m> {
    name: &'m str,
    args: Vec<Argument>,
    sizes: &'m [Size],
    /// The description, for the comment.
    what: String,
}

/// The typed functions of a manifest: variants of a family are launched by its function.
fn callables(manifest: &Manifest) -> Result<Vec<Callable<'_>>, String> {
    let plain = manifest.kernels.iter().map(|kernel| Callable {
        name: &kernel.name,
        args: kernel.args.clone(),
        sizes: &[],
        what: "the kernel".to_owned(),
    });
    let sized = manifest.templates_alone().map(|template| Callable {
        name: template.name(),
        args: template.args(),
        sizes: template.sizes(),
        what: "the kernel of these sizes".to_owned(),
    });
    let mut all: Vec<Callable<'_>> = plain.chain(sized).collect();
    for family in &manifest.families {
        let kernels = family.kernels(&manifest.templates).map_err(|error| error.to_string())?;
        let mut names: Vec<&str> = Vec::with_capacity(kernels.len());
        for kernel in &kernels {
            if !names.contains(&kernel.name()) {
                names.push(kernel.name());
            }
        }
        all.push(Callable {
            name: &family.name,
            args: arguments(&kernels),
            sizes: &family.sizes,
            what: format!("{}, by these sizes,", names.join(" or ")),
        });
    }
    Ok(all)
}

/// The arguments of a family: each as aligned as the variant that requires most.
fn arguments(kernels: &[&Template]) -> Vec<Argument> {
    let mut all = kernels.iter().map(|kernel| kernel.args());
    let mut args = all.next().unwrap_or_default();
    for others in all {
        for (argument, other) in args.iter_mut().zip(others) {
            if other.pointer_alignment() > argument.pointer_alignment() {
                argument.alignment = other.alignment;
            }
        }
    }
    args
}

/// The files `NAME.c` and `NAME.h` for the kernels of a manifest.
///
/// # Errors
///
/// Kernels, or arguments and sizes of one, whose names are one in C.
pub fn emit(name: &str, manifest: &Manifest, code: &[u8]) -> Result<Launcher, String> {
    let (file, name) = (name, identifier(name));
    let json = serde_json::to_string(manifest).map_err(|error| error.to_string())?;
    let mut functions: Vec<String> = vec![format!("{name}_load")];
    let mut header = prologue(file, &name);
    let mut source = format!("#include \"{file}.h\"\n\nstatic const unsigned char code[] = {{");
    bytes(&mut source, code);
    source.push_str("};\n\nstatic const unsigned char manifest[] = {");
    bytes(&mut source, json.as_bytes());
    source.push_str("0};\n\n");
    let load = format!("layout_status {name}_load(int device, layout_executable **executable)");
    _ = write!(header, "/* Loads the kernels on a device. */\n{load};\n",);
    _ = write!(
        source,
        "{load} {{\n  return layout_executable_load(device, code, sizeof code, (const char *)manifest, executable);\n}}\n",
    );
    for program in &manifest.programs {
        let function = identifier(&program.name);
        if functions.contains(&function) {
            return Err(format!("expected programs of different names in C, found two {function}"));
        }
        let (declared, defined) = program_of(program, &function);
        header.push_str(&declared);
        source.push_str(&defined);
        functions.push(function);
    }
    // Kernels of programs are launched by these.
    let alone = if manifest.programs.is_empty() { callables(manifest)? } else { Vec::new() };
    for callable in alone {
        let function = identifier(callable.name);
        if functions.contains(&function) {
            return Err(format!("expected kernels of different names in C, found two {function}"));
        }
        let (declared, defined) = function_of(&callable, &function)?;
        header.push_str(&declared);
        source.push_str(&defined);
        functions.push(function);
    }
    header.push_str("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    Ok(Launcher { source, header })
}

/// The declaration and the definition of a typed function.
fn function_of(callable: &Callable<'_>, function: &str) -> Result<(String, String), String> {
    let Callable { args, sizes, what, .. } = callable;
    let parameters = parameters(callable)?;
    let (pointers, numbers) = parameters.split_at(args.len());
    let typed: Vec<String> =
        parameters.iter().map(|(r#type, parameter)| format!("{type}{parameter}")).collect();
    let signature = format!(
        "layout_status {function}(const layout_executable *executable, void *stream{}{})",
        if typed.is_empty() { "" } else { ", " },
        typed.join(", ")
    );
    let mut declared = format!("\n/* Launches {what} on a stream:\n");
    for (argument, (_, parameter)) in args.iter().zip(pointers) {
        _ = writeln!(declared, " *   {parameter}: {}", described(argument));
    }
    for (size, (_, parameter)) in sizes.iter().zip(numbers) {
        _ = writeln!(declared, " *   {parameter}: {}", size.values());
    }
    _ = write!(declared, " */\n{signature};\n");
    let list = |values: Vec<String>| match values.is_empty() {
        true => "NULL".to_owned(),
        false => values.join(", "),
    };
    let addresses =
        list(pointers.iter().map(|(_, parameter)| format!("(void *){parameter}")).collect());
    let mut defined = format!(
        "\n{signature} {{\n  const layout_kernel *kernel;\n  layout_status status = \
         layout_executable_kernel(executable, \"{}\", &kernel);\n  if (status != LAYOUT_OK) return status;\n  \
         void *pointers[] = {{{addresses}}};\n",
        callable.name.replace('\\', "\\\\").replace('"', "\\\""),
    );
    let names: Vec<String> = numbers.iter().map(|(_, parameter)| parameter.clone()).collect();
    let given = if names.is_empty() {
        "NULL"
    } else {
        _ = writeln!(defined, "  const int64_t sizes[] = {{{}}};", names.join(", "));
        "sizes"
    };
    _ = write!(
        defined,
        "  return layout_kernel_launch(kernel, stream, pointers, {}, {given}, {});\n}}\n",
        pointers.len(),
        names.len(),
    );
    Ok((declared, defined))
}

/// The declaration and the definition of a function that runs a program.
fn program_of(program: &Program, function: &str) -> (String, String) {
    let Program { name, arguments, results, .. } = program;
    let signature = format!(
        "layout_status {function}(const layout_executable *executable, void *stream, const layout_tensor *arguments, \
         const layout_tensor *results)"
    );
    let mut declared = format!(
        "\n/* Runs {name} on a stream: {} arguments, which are read, and {} results, which are written.\n",
        arguments.len(),
        results.len()
    );
    for (kind, tensors) in [("arguments", arguments), ("results", results)] {
        for (i, tensor) in tensors.iter().enumerate() {
            _ = writeln!(declared, " *   {kind}[{i}]: {} {}", tensor.element, tensor.shape_text());
        }
    }
    for part in &program.parts {
        _ = writeln!(declared, " *   {} = {}", part.name, part.value.text());
    }
    _ = write!(declared, " */\n{signature};\n");
    let defined = format!(
        "\n{signature} {{\n  const layout_program *program;\n  layout_status status = \
         layout_executable_program(executable, \"{}\", &program);\n  if (status != LAYOUT_OK) return status;\n  \
         return layout_program_run(program, stream, arguments, {}, results, {});\n}}\n",
        name.replace('\\', "\\\\").replace('"', "\\\""),
        arguments.len(),
        results.len(),
    );
    (declared, defined)
}

fn prologue(file: &str, name: &str) -> String {
    let included = format!("{}_H", name.to_uppercase());
    format!(
        "/* Made by layout-translate or layout-compile. Link liblayout_runtime, and {file}.c or {file}.so. */\n#ifndef {included}\n#define {included}\n\n\
         #include \"layout_runtime.h\"\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
    )
}

/// The C type, and the name, of each pointer, and of the sizes after them.
fn parameters(callable: &Callable<'_>) -> Result<Vec<(String, String)>, String> {
    let mut all: Vec<(String, String)> = Vec::new();
    let named = |all: &[(String, String)], name: &str| {
        let name = identifier(name);
        if all.iter().any(|(_, other)| *other == name) {
            let what = if callable.sizes.is_empty() { "arguments" } else { "arguments and sizes" };
            let of = callable.name;
            return Err(format!(
                "expected {what} of {of} of different names in C, found two {name}"
            ));
        }
        Ok(name)
    };
    for argument in &callable.args {
        let name = named(&all, &argument.name)?;
        let element = match argument.element {
            Element::E4m3 => "layout_f8e4m3",
            Element::E5m2 => "layout_f8e5m2",
            Element::F16 => "layout_f16",
            Element::Bf16 => "layout_bf16",
            Element::Tf32 | Element::F32 => "float",
            Element::F64 => "double",
            Element::I8 => "int8_t",
            Element::I16 => "int16_t",
            Element::I32 => "int32_t",
            Element::I64 => "int64_t",
        };
        let constant = if argument.access == Access::Read { "const " } else { "" };
        all.push((format!("{constant}{element} *"), name));
    }
    for size in callable.sizes {
        let name = named(&all, &size.name)?;
        all.push(("int64_t ".to_owned(), name));
    }
    Ok(all)
}

/// The description of an argument, for the comment.
fn described(argument: &Argument) -> String {
    let access = match argument.access {
        Access::Read => "read",
        Access::Write => "written",
        Access::ReadWrite => "read and written",
    };
    format!(
        "{} {}:{}, at a multiple of {} bytes, {access}",
        argument.element,
        argument.shape,
        argument.stride,
        argument.pointer_alignment()
    )
}

/// The name in C: letters, digits and `_`, and none that C has.
fn identifier(name: &str) -> String {
    let mut found: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if found.starts_with(|c: char| c.is_ascii_digit()) || found.is_empty() {
        found.insert(0, '_');
    }
    if RESERVED.contains(&found.as_str()) {
        found.push('_');
    }
    found
}

/// The bytes as decimal numbers, each with a comma, in lines.
fn bytes(text: &mut String, bytes: &[u8]) {
    for line in bytes.chunks(32) {
        text.push_str("\n  ");
        for byte in line {
            _ = write!(text, "{byte},");
        }
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_c() {
        let named = ["gemm", "gemm.1", "9", "", "while", "status"].map(identifier);
        assert_eq!(named, ["gemm", "gemm_1", "_9", "_", "while_", "status_"]);
    }

    #[test]
    fn the_file_includes_its_header() {
        let manifest = Manifest::parse(r#"{"version": 1, "kernels": []}"#).expect("a manifest");
        let launcher = emit("my-gemm", &manifest, b"//").expect("two files");
        assert!(launcher.source.starts_with("#include \"my-gemm.h\"\n"), "{}", launcher.source);
        assert!(launcher.header.contains("\n#ifndef MY_GEMM_H\n"), "{}", launcher.header);
        assert!(launcher.header.contains("\nlayout_status my_gemm_load("), "{}", launcher.header);
    }

    /// A kernel of m rows, whose name and first argument are given.
    fn of_rows(name: &str, argument: &str) -> String {
        format!(
            r#"{{"name": "{name}", "chip": "sm_80", "sizes": [{{"name": "m", "most": 65536, "divisor": 8}},
                {{"name": "while"}}], "grid": ["m", 1, 1], "block": [32, 1, 1], "shared_bytes": 0, "args": [
                {{"name": "{argument}", "element": "bf16", "shape": "(m,while)", "stride": "(while,1)",
                  "access": "read", "sizes": [{{"value": "m", "bits": 32}}]}}]}}"#
        )
    }

    #[test]
    fn sizes_follow_the_pointers() {
        let text = format!(
            r#"{{"version": 1, "kernels": [{}, {}, {}], "families": [{{"name": "gemm", "sizes": [
                {{"name": "m", "most": 1024, "divisor": 16}}, {{"name": "while", "least": 7}}], "variants": [
                {{"most": {{"m": 64}}, "kernel": "small"}}, {{"kernel": "large"}}]}}]}}"#,
            of_rows("small", "a"),
            of_rows("alone", "sizes"),
            of_rows("large", "a"),
        );
        let manifest = Manifest::parse(&text).expect("a manifest");
        let Launcher { source, header } = emit("out", &manifest, b"//").expect("two files");
        for part in [
            "\n/* Launches the kernel of these sizes on a stream:\n *   sizes_: bf16 (m,while):(while,1), at a multiple \
             of 16 bytes, read\n *   m: 1 to 65536, a multiple of 8\n *   while_: 1 to 2147483647\n */\nlayout_status \
             alone(const layout_executable *executable, void *stream, const layout_bf16 *sizes_, int64_t m, int64_t \
             while_);\n",
            "\n/* Launches small or large, by these sizes, on a stream:\n *   a: bf16 \
             (m,while):(while,1), at a multiple of 16 bytes, read\n *   m: 1 to 1024, a multiple of 16\n *   while_: 7 \
             to 2147483647\n */\nlayout_status gemm(const layout_executable *executable, void *stream, const layout_bf16 \
             *a, int64_t m, int64_t while_);\n",
        ] {
            assert!(header.contains(part), "{header}");
        }
        assert!(!header.contains("layout_status small("), "{header}");
        let body = "  void *pointers[] = {(void *)a};\n  const int64_t sizes[] = {m, while_};\n  return \
                    layout_kernel_launch(kernel, stream, pointers, 1, sizes, 2);\n}\n";
        assert!(source.contains(body), "{source}");
        let twice = format!(r#"{{"version": 1, "kernels": [{}]}}"#, of_rows("gemm", "m"));
        assert_eq!(
            emit("out", &Manifest::parse(&twice).expect("a manifest"), b"").err().as_deref(),
            Some("expected arguments and sizes of gemm of different names in C, found two m")
        );
    }

    #[test]
    fn names_that_are_one_in_c_are_refused() {
        let manifest = |second: &str| {
            let kernel = |name: &str| {
                format!(
                    r#"{{"name": "{name}", "chip": "sm_80", "grid": [1, 1, 1], "block": [32, 1, 1],
                        "shared_bytes": 0, "args": []}}"#
                )
            };
            let text =
                format!(r#"{{"version": 1, "kernels": [{}, {}]}}"#, kernel("a.b"), kernel(second));
            Manifest::parse(&text).expect("a manifest")
        };
        let refused = |second| emit("out", &manifest(second), b"").err();
        assert_eq!(
            refused("a_b").as_deref(),
            Some("expected kernels of different names in C, found two a_b")
        );
        assert_eq!(
            refused("out_load").as_deref(),
            Some("expected kernels of different names in C, found two out_load")
        );
        assert_eq!(refused("c"), None);
    }
}
