//! Moves of one constant into one register twice.
//!
//! A loop's accumulator starts at 0, and a loop that does not run leaves 0. LLVM's back end gives both the same
//! register and writes 0 to it before the branch around the loop, and after it once more; `ptxas` keeps
//! both. The second is left out.

use std::collections::HashMap;

/// Text of PTX without moves of a constant into a register that holds it already: between both moves is
/// no label, and nothing that names the register.
pub(super) fn without_repeated(ptx: &str) -> String {
    let mut known: HashMap<&str, &str> = HashMap::new();
    let mut kept = String::with_capacity(ptx.len());
    for line in ptx.split_inclusive('\n') {
        let text = line.trim();
        if let Some((register, value)) = constant_move(text) {
            if known.insert(register, value) == Some(value) {
                continue;
            }
        } else if is_label(text) {
            known.clear();
        } else {
            for register in registers(text) {
                known.remove(register);
            }
        }
        kept.push_str(line);
    }
    kept
}

/// The register and the constant of a move without a predicate.
fn constant_move(text: &str) -> Option<(&str, &str)> {
    let operands = text.strip_prefix("mov.b32")?.trim().strip_suffix(';')?;
    let (register, value) = operands.split_once(", ")?;
    let is_register = register.strip_prefix("%r")?.bytes().all(|byte| byte.is_ascii_digit());
    let digits = value.strip_prefix('-').unwrap_or(value);
    let is_constant = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_register && is_constant).then_some((register, value))
}

/// Whether control may come from elsewhere, or a function begins.
fn is_label(text: &str) -> bool {
    text.ends_with(':') || text.starts_with('{') || text.starts_with('.')
}

/// The registers that a line names.
fn registers(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('%').map(|(at, _)| {
        let name = &text[at + 1..];
        let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
        &text[at..at + 1 + end]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_of_two_moves_is_left_out() {
        let start = "\tsetp.lt.s32 \t%p1, %r1, 1;\n\tmov.b32 \t%r2, 0;\n\t@%p1 bra \t$L__BB0_2;\n";
        let rest = "\tadd.s32 \t%r22, %r1, 3;\n";
        let twice = format!("{start}{rest}\tmov.b32 \t%r2, 0;\n$L__BB0_1:\n");
        assert_eq!(without_repeated(&twice), format!("{start}{rest}$L__BB0_1:\n"));
    }

    #[test]
    fn what_may_be_needed_stays() {
        let first = "\tmov.b32 \t%r2, 0;\n";
        for between in [
            "$L__BB0_1:\n",
            "\tadd.s32 \t%r2, %r2, 1;\n",
            "\tld.global.v2.b32 \t{%r1, %r2}, [%rd1];\n",
            "\t@%p1 mov.b32 \t%r2, 1;\n",
            "\tmov.b32 \t%r2, 1;\n",
            "\tmov.b32 \t%r2, %r3;\n",
            "\t// begin inline asm\n\t{ mov.b32 x, %r2; }\n",
            "}\n.visible .entry next(\n)\n{\n",
        ] {
            let text = format!("{first}{between}{first}");
            assert_eq!(without_repeated(&text), text);
        }
        // Another constant, another register, another size.
        for second in ["\tmov.b32 \t%r2, 5;\n", "\tmov.b32 \t%r3, 0;\n", "\tmov.b64 \t%r2, 0;\n"] {
            let text = format!("{first}{second}");
            assert_eq!(without_repeated(&text), text);
        }
    }
}
