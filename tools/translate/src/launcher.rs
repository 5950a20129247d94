//! `--emit=c`: a C file with the code and the manifest inside, and a typed function that launches each kernel.

use layout_runtime::manifest::{Access, Argument, Element, Kernel, Manifest};
use std::fmt::Write;

/// The texts of a C file and of its header.
pub(crate) struct Launcher {
    pub(crate) source: String,
    pub(crate) header: String,
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
    "pointers",
    "status",
    "stream",
];

/// The files `NAME.c` and `NAME.h` for the kernels of a manifest.
///
/// # Errors
///
/// Kernels, or arguments of one, whose names are one in C.
pub(crate) fn emit(name: &str, manifest: &Manifest, code: &[u8]) -> Result<Launcher, String> {
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
    for kernel in &manifest.kernels {
        let function = identifier(&kernel.name);
        if functions.contains(&function) {
            return Err(format!("expected kernels of different names in C, found two {function}"));
        }
        let parameters = parameters(kernel)?;
        let typed: Vec<String> =
            parameters.iter().map(|(r#type, parameter)| format!("{type}{parameter}")).collect();
        let signature = format!(
            "layout_status {function}(const layout_executable *executable, void *stream{}{})",
            if typed.is_empty() { "" } else { ", " },
            typed.join(", ")
        );
        _ = write!(header, "\n/* Launches the kernel on a stream:\n");
        for (argument, (_, parameter)) in kernel.args.iter().zip(&parameters) {
            _ = writeln!(header, " *   {parameter}: {}", described(argument));
        }
        _ = write!(header, " */\n{signature};\n");
        let pointers: Vec<String> =
            parameters.iter().map(|(_, parameter)| format!("(void *){parameter}")).collect();
        _ = write!(
            source,
            "\n{signature} {{\n  const layout_kernel *kernel;\n  layout_status status = \
             layout_executable_kernel(executable, \"{}\", &kernel);\n  if (status != LAYOUT_OK) return status;\n  \
             void *pointers[] = {{{}}};\n  return layout_kernel_launch(kernel, stream, pointers, {}, NULL, 0);\n}}\n",
            kernel.name.replace('\\', "\\\\").replace('"', "\\\""),
            if pointers.is_empty() { "NULL".to_owned() } else { pointers.join(", ") },
            pointers.len(),
        );
        functions.push(function);
    }
    header.push_str("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    Ok(Launcher { source, header })
}

fn prologue(file: &str, name: &str) -> String {
    let guard = format!("{}_H", name.to_uppercase());
    format!(
        "/* Made by layout-translate --emit=c. Link {file}.c with liblayout_runtime. */\n#ifndef {guard}\n#define {guard}\n\n\
         #include \"layout_runtime.h\"\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
    )
}

/// The C type, and the name, of each pointer.
fn parameters(kernel: &Kernel) -> Result<Vec<(String, String)>, String> {
    let mut all: Vec<(String, String)> = Vec::new();
    for argument in &kernel.args {
        let name = identifier(&argument.name);
        if all.iter().any(|(_, other)| *other == name) {
            return Err(format!(
                "expected arguments of {} of different names in C, found two {name}",
                kernel.name
            ));
        }
        let element = match argument.element {
            Element::E4m3 => "layout_f8e4m3",
            Element::E5m2 => "layout_f8e5m2",
            Element::F16 => "layout_f16",
            Element::Bf16 => "layout_bf16",
            Element::Tf32 | Element::F32 => "float",
            Element::F64 => "double",
            Element::I8 => "int8_t",
            Element::I32 => "int32_t",
        };
        let constant = if argument.access == Access::Read { "const " } else { "" };
        all.push((format!("{constant}{element} *"), name));
    }
    Ok(all)
}

/// What an argument is, for the comment.
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
