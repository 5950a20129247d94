//! The check of the environment, which the build script runs.

use std::path::Path;

/// The variables that name LLVM's folder; the last one only where LLVM itself is linked.
pub(crate) const VARIABLES: [&str; 3] =
    ["MLIR_SYS_220_PREFIX", "TABLEGEN_220_PREFIX", "LLVM_SYS_221_PREFIX"];

/// Files that must be in that folder, each with the package of Debian that has it.
const FILES: [(&str, &str); 4] = [
    ("bin/llvm-config", "llvm-22"),
    ("include/llvm/IR/Module.h", "llvm-22-dev"),
    ("include/mlir/IR/OpBase.td", "libmlir-22-dev"),
    ("bin/mlir-tblgen", "mlir-22-tools"),
];

const INSTALL: &str = "\
install LLVM and MLIR 22; on Debian: apt-get install llvm-22-dev libmlir-22-dev mlir-22-tools libpolly-22-dev clang-22 lld-22 libisl-dev zlib1g-dev libzstd-dev
(`cargo xtask setup` in the repository of the layout dialect does it, and names the packages of other systems)
and set in .cargo/config.toml, with the folder that has bin/llvm-config:
[env]
MLIR_SYS_220_PREFIX = \"/usr/lib/llvm-22\"
TABLEGEN_220_PREFIX = \"/usr/lib/llvm-22\"
LLVM_SYS_221_PREFIX = \"/usr/lib/llvm-22\"";

/// The folder of LLVM and MLIR, or what is missing and what to install. `llvm` where LLVM itself is linked too.
pub(crate) fn prefix(
    llvm: bool,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let mut prefix = None;
    for name in &VARIABLES[..if llvm { 3 } else { 2 }] {
        let Some(folder) = variable(name).filter(|folder| !folder.is_empty()) else {
            return Err(missing(&format!("the folder of LLVM and MLIR 22 in {name}"), "nothing"));
        };
        for (file, package) in FILES {
            let path = Path::new(&folder).join(file);
            if !path.exists() {
                let expected = format!("{} (of {package}; the folder is {name}'s)", path.display());
                return Err(missing(&expected, "nothing"));
            }
        }
        prefix.get_or_insert(folder);
    }
    Ok(prefix.unwrap_or_default())
}

fn missing(expected: &str, found: &str) -> String {
    format!("expected {expected}, found {found}\n{INSTALL}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{env, fs, process};

    /// The first line of the message about an environment in which all variables but one have this value.
    fn refused(folder: &str, unset: &str) -> String {
        let get = |name: &str| (name != unset).then(|| folder.to_owned());
        let message = prefix(true, &get).expect_err("something is missing");
        assert!(message.contains("apt-get install llvm-22-dev"), "{message}");
        assert!(message.contains("MLIR_SYS_220_PREFIX = \"/usr/lib/llvm-22\""), "{message}");
        message.lines().next().unwrap_or_default().to_owned()
    }

    #[test]
    fn each_variable_and_each_file_is_named() {
        let folder = env::temp_dir().join(format!("layout-toolchain-{}", process::id()));
        let name = folder.display().to_string();
        assert_eq!(
            refused("", ""),
            "expected the folder of LLVM and MLIR 22 in MLIR_SYS_220_PREFIX, found nothing"
        );
        for (file, package) in FILES {
            assert_eq!(
                refused(&name, ""),
                format!(
                    "expected {name}/{file} (of {package}; the folder is MLIR_SYS_220_PREFIX's), found nothing"
                )
            );
            let path = folder.join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, "").expect("a file");
        }
        for variable in VARIABLES {
            let expected =
                format!("expected the folder of LLVM and MLIR 22 in {variable}, found nothing");
            assert_eq!(refused(&name, variable), expected);
        }
        let without_llvm = |variable: &str| (variable != VARIABLES[2]).then(|| name.clone());
        assert_eq!(prefix(false, &without_llvm), Ok(name.clone()));
        fs::remove_dir_all(folder).expect("the folder is ours");
    }
}
