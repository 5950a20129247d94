//! Counts the instructions of PTX.

use std::{collections::BTreeMap, fmt};

/// Instructions of one PTX text, by family. Static counts: a loop's body counts once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// All instructions.
    pub total: usize,
    /// Count by family: instructions of a kind, by memory space.
    pub families: BTreeMap<&'static str, usize>,
}

/// Families, with the beginnings of opcodes that belong to them; the first that fits counts.
const FAMILIES: &[(&str, &[&str])] = &[
    ("mma", &["mma.sync", "wgmma.mma_async"]),
    ("ldmatrix", &["ldmatrix"]),
    ("cp.async", &["cp.async"]),
    ("ld.global", &["ld.global", "ld.relaxed.global", "ld.volatile.global"]),
    ("st.global", &["st.global", "st.relaxed.global", "st.volatile.global"]),
    ("ld.shared", &["ld.shared"]),
    ("st.shared", &["st.shared"]),
    ("ld.param", &["ld.param"]),
    ("local memory", &["ld.local", "st.local"]),
    ("barrier", &["bar.", "barrier.", "mbarrier.", "fence.", "membar."]),
    ("branch", &["bra", "brx", "ret", "call", "exit"]),
    ("convert", &["cvt."]),
    ("compare and select", &["setp", "selp", "slct"]),
    ("move", &["mov", "cvta", "prmt", "shfl"]),
];

/// Opcodes of arithmetic; the type at their end says of which kind.
const ARITHMETIC: &[&str] = &[
    "abs", "add", "and", "bfe", "bfi", "bfind", "brev", "clz", "cnot", "cos", "div", "ex2", "fma",
    "lg2", "lop3", "mad", "max", "min", "mul", "neg", "not", "or", "popc", "rcp", "rem", "rsqrt",
    "sad", "shf", "shl", "shr", "sin", "sqrt", "sub", "tanh", "xor",
];

/// The family of an instruction.
fn family(instruction: &str) -> &'static str {
    let begins = |opcodes: &[&str]| opcodes.iter().any(|opcode| instruction.starts_with(opcode));
    if let Some(&(family, _)) = FAMILIES.iter().find(|(_, opcodes)| begins(opcodes)) {
        return family;
    }
    let opcode = instruction.split(char::is_whitespace).next().unwrap_or_default();
    let (name, kind) = opcode.split_once('.').unwrap_or((opcode, ""));
    if !ARITHMETIC.contains(&name) {
        return "other";
    }
    match kind.rsplit('.').next().unwrap_or_default() {
        "pred" => "compare and select",
        kind if kind.starts_with(['f', 'b']) && !matches!(kind, "b16" | "b32" | "b64") => "float",
        _ => "integer",
    }
}

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
            // A label may be before an instruction, a predicate before its opcode.
            let statement = statement.rsplit_once(": ").map_or(statement, |(_, rest)| rest).trim();
            let instruction = match statement.strip_prefix('@') {
                Some(predicated) => {
                    predicated.split_once(char::is_whitespace).map_or("", |(_, rest)| rest)
                }
                None => statement,
            }
            .trim();
            if !instruction.starts_with(|c: char| c.is_ascii_lowercase()) {
                continue;
            }
            statistics.total += 1;
            *statistics.families.entry(family(instruction)).or_default() += 1;
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

    #[test]
    fn arithmetic_is_reported_by_type() {
        for (instruction, expected) in [
            ("add.s64 %rd1, %rd2, %rd3", "integer"),
            ("add.rn.f32 %f1, %f2, %f3", "float"),
            ("mul.bf16x2 %r1, %r2, %r3", "float"),
            ("mul.wide.s32 %rd1, %r1, 2", "integer"),
            ("or.pred %p1, %p2, %p3", "compare and select"),
            ("or.b32 %r1, %r2, %r3", "integer"),
            ("cvta.to.global.u64 %rd1, %rd2", "move"),
            ("cvt.rn.bf16x2.f32 %r1, %f1, %f2", "convert"),
            ("activemask.b32 %r1", "other"),
        ] {
            assert_eq!(family(instruction), expected, "{instruction}");
        }
    }

    #[test]
    fn an_instruction_may_take_many_lines() {
        let ptx = "{\n\tmma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32\n\t\t{%r1, %r2},\n\t\t{%r3};\n}";
        let statistics = Statistics::of(ptx);
        assert_eq!((statistics.total, statistics.count("mma")), (1, 1));
    }
}
