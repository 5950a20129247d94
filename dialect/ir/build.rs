//! Generates the dialect's C++ classes from `ods/` and compiles the shim in `cpp/`.

use std::{
    env,
    error::Error,
    path::{Path, PathBuf},
    process::Command,
};

/// Generated files of each dialect: the generator and the end of the file's name.
const DIALECT_GENERATORS: [(&str, &str); 4] = [
    ("-gen-dialect-decls", "Dialect.h.inc"),
    ("-gen-dialect-defs", "Dialect.cpp.inc"),
    ("-gen-op-decls", "Ops.h.inc"),
    ("-gen-op-defs", "Ops.cpp.inc"),
];

/// Generated files of a dialect with attributes and types.
const DATA_GENERATORS: [(&str, &str); 4] = [
    ("-gen-attrdef-decls", "Attributes.h.inc"),
    ("-gen-attrdef-defs", "Attributes.cpp.inc"),
    ("-gen-typedef-decls", "Types.h.inc"),
    ("-gen-typedef-defs", "Types.cpp.inc"),
];

/// The definitions, and the start of the names of the files that they become.
const DIALECTS: [(&str, &str); 3] = [
    ("ods/LayoutOps.td", "Layout"),
    ("ods/extensions/IreeLinalgExtOps.td", "IreeLinalgExt"),
    ("ods/extensions/TmTensorOps.td", "TmTensor"),
];

const SOURCES: [&str; 9] = [
    "cpp/Bufferize.cpp",
    "cpp/Buffers.cpp",
    "cpp/Dialect.cpp",
    "cpp/Extensions.cpp",
    "cpp/LspServer.cpp",
    "cpp/Operations.cpp",
    "cpp/Passes.cpp",
    "cpp/Structure.cpp",
    "cpp/Tools.cpp",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=ods");
    println!("cargo::rerun-if-changed=cpp");
    println!("cargo::rerun-if-changed=include");
    let prefix = Path::new(layout_toolchain::PREFIX);
    let include = prefix.join("include");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("expected OUT_DIR, found nothing")?);
    generate(&prefix.join("bin/mlir-tblgen"), &include, &out)?;
    // Clippy links nothing, and has build scripts of its own run: the shim would be compiled twice.
    let wrapper = env::var_os("RUSTC_WORKSPACE_WRAPPER").map(PathBuf::from);
    if wrapper.is_some_and(|wrapper| wrapper.file_stem() == Some("clippy-driver".as_ref())) {
        return Ok(());
    }

    let mut build = cc::Build::new();
    // The declarations of LLVM's headers depend on NDEBUG (statistics of passes, for one), so that it has
    // to be what LLVM itself was built with.
    if !has_assertions(&prefix.join("bin/llvm-config"))? {
        build.define("NDEBUG", None);
    }
    // Clang comes with the LLVM that is linked; a compiler that the user names goes first.
    let clang = prefix.join("bin/clang++");
    if env::var_os("CXX").is_none() && clang.exists() {
        build.compiler(clang);
    }
    build
        .cpp(true)
        .std("c++17")
        // As LLVM itself is built: classes that derive from its classes must match.
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag("-fvisibility=hidden")
        .flag_if_supported("-Wno-unused-parameter")
        .include("cpp")
        .include("include")
        .include(&out)
        .files(SOURCES)
        // Headers of LLVM as system headers: their warnings are not ours.
        .flag("-isystem")
        .flag(include.to_str().ok_or("expected a UTF-8 path to LLVM's headers")?);
    build.try_compile("layout_shim")?;
    Ok(())
}

/// Whether LLVM was built with assertions.
fn has_assertions(config: &Path) -> Result<bool, Box<dyn Error>> {
    let output = Command::new(config)
        .arg("--assertion-mode")
        .output()
        .map_err(|error| format!("expected to run {}: {error}", config.display()))?;
    match String::from_utf8_lossy(&output.stdout).trim() {
        "ON" => Ok(true),
        "OFF" => Ok(false),
        other => Err(format!("expected llvm-config to answer ON or OFF, found '{other}'").into()),
    }
}

fn generate(tblgen: &Path, include: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    for (definitions, dialect) in DIALECTS {
        let data: &[_] = if dialect == "Layout" { &DATA_GENERATORS } else { &[] };
        for (generator, end) in DIALECT_GENERATORS.iter().chain(data) {
            let target = out.join(format!("{dialect}{end}"));
            // The generator writes into a file that is there, which another build may have links to.
            let _ = std::fs::remove_file(&target);
            let status = Command::new(tblgen)
                .arg(generator)
                .arg("-I")
                .arg(include)
                .args(["-I", "ods", "-I", "ods/extensions", definitions, "-o"])
                .arg(target)
                .status()
                .map_err(|error| format!("expected to run {}: {error}", tblgen.display()))?;
            if !status.success() {
                return Err(format!("expected mlir-tblgen {generator} to succeed: {status}").into());
            }
        }
    }
    Ok(())
}
