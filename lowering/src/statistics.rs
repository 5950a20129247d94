//! Counting what PTX holds.

use std::{collections::BTreeMap, fmt};

/// Instructions of one PTX text, by family. Static counts: a loop's body counts once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// All instructions.
    pub total: usize,
    /// Count by family: the opcode up to what distinguishes memory spaces.
    pub families: BTreeMap<&'static str, usize>,
}

/// Families, with the opcodes that belong to them; the first that fits counts.
const FAMILIES: &[(&str, &[&str])] = &[
    ("mma", &["mma.sync", "wgmma"]),
    ("ldmatrix", &["ldmatrix"]),
    ("cp.async", &["cp.async"]),
    ("ld.global", &["ld.global", "ld.relaxed.global"]),
    ("st.global", &["st.global"]),
    ("ld.shared", &["ld.shared"]),
    ("st.shared", &["st.shared"]),
    ("local memory", &["ld.local", "st.local"]),
    ("barrier", &["bar.", "barrier."]),
    ("branch", &["bra", "ret"]),
    ("convert", &["cvt"]),
    ("compare and select", &["setp", "selp"]),
    (
        "integer",
        &[
            "add.s", "add.u", "sub.s", "mul.", "mad.", "shl", "shr", "and.", "or.", "xor", "bfe",
            "div.", "rem.", "min.", "max.", "lop3", "not.",
        ],
    ),
    ("float", &["add.f", "add.rn", "fma", "sub.f"]),
    ("move", &["mov", "cvta", "prmt"]),
];

impl Statistics {
    /// Counts the instructions of a PTX text.
    pub fn of(ptx: &str) -> Self {
        let mut statistics = Self::default();
        let code: String = ptx
            .lines()
            .map(|line| line.split_once("//").map_or(line, |(code, _)| code))
            .collect::<Vec<_>>()
            .join(" ");
        for statement in code.split([';', '{']) {
            // A label may stand before an instruction, a guard before its opcode.
            let statement = statement.rsplit_once(": ").map_or(statement, |(_, rest)| rest).trim();
            let instruction = match statement.strip_prefix('@') {
                Some(guarded) => {
                    guarded.split_once(char::is_whitespace).map_or("", |(_, rest)| rest)
                }
                None => statement,
            }
            .trim();
            if !instruction.starts_with(|c: char| c.is_ascii_lowercase()) {
                continue;
            }
            statistics.total += 1;
            let family = FAMILIES
                .iter()
                .find(|(_, opcodes)| opcodes.iter().any(|opcode| instruction.starts_with(opcode)))
                .map_or("other", |&(family, _)| family);
            *statistics.families.entry(family).or_default() += 1;
        }
        statistics
    }

    /// The count of a family.
    pub fn count(&self, family: &str) -> usize {
        self.families.get(family).copied().unwrap_or(0)
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:>8}  instructions", self.total)?;
        let mut families: Vec<_> = self.families.iter().collect();
        families.sort_by_key(|&(name, count)| (std::cmp::Reverse(*count), *name));
        for (family, count) in families {
            writeln!(f, "{count:>8}  {family}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_counted_by_family() {
        let ptx = "
.version 7.8
.visible .entry gemm(
	.param .u64 gemm_param_0
)
{
	.reg .b32 %r<4>;
$L__BB0_1:
	mov.u32 %r1, %tid.x;
	@%p1 bra $L__BB0_1;
	@!%p2 bra $L__BB0_1;
	cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;
	mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1}, {%r1}, {%r2}, {%f1};
	ret;
}";
        let statistics = Statistics::of(ptx);
        assert_eq!(statistics.total, 6);
        assert_eq!(statistics.count("mma"), 1);
        assert_eq!(statistics.count("cp.async"), 1);
        assert_eq!(statistics.count("branch"), 3);
        assert_eq!(statistics.count("move"), 1);
    }
}
