//! Arithmetic and casts.

use super::{Generator, WIDTHS, bits_of};
use crate::{ir::Block, random::Draws};

const BINARY: &[&str] = &[
    "addi",
    "addi",
    "addi",
    "subi",
    "subi",
    "muli",
    "muli",
    "andi",
    "ori",
    "xori",
    "shli",
    "shrui",
    "shrsi",
    "divsi",
    "divui",
    "remsi",
    "remui",
    "ceildivsi",
    "ceildivui",
    "floordivsi",
    "maxsi",
    "maxui",
    "minsi",
    "minui",
];

const INDEX: &[&str] = &[
    "add",
    "sub",
    "mul",
    "divs",
    "divu",
    "rems",
    "remu",
    "ceildivs",
    "ceildivu",
    "floordivs",
    "and",
    "or",
    "xor",
    "shl",
    "shrs",
    "shru",
    "maxs",
    "maxu",
    "mins",
    "minu",
];

impl Generator<'_, '_> {
    pub(super) fn binary(&mut self, block: Block) {
        let ty = self.width();
        let index = ty == "index" && self.random.percent(30) && !self.kernel;
        let name = if index { self.random.pick(INDEX) } else { self.random.pick(BINARY) };
        // One bit holds no divisor but 1, which is -1 too.
        let name = if ty == "i1" && (name.contains("rem") || name.contains("div")) {
            "xori"
        } else {
            name
        };
        // Upstream folds this of the least number to its negation; see the README.
        let name = if name == "ceildivs" && !self.strange { "floordivs" } else { name };
        self.traits.stock &= name != "ceildivs";
        let left = self.any(block, ty);
        let divides = name.contains("div") || name.contains("rem");
        let shifts = name.starts_with("sh");
        // A divisor or a distance is most often a constant for which there is a result.
        // Upstream hoists these out of loops that do not run; see the README.
        let total = name.contains("rem") || (divides && (index || name.len() > 5));
        let right = if total {
            let value = match self.random.edge(bits_of(ty)) {
                0 | -1 => 1,
                value if self.random.percent(60) => value.wrapping_abs() % 40 + 1,
                value => value,
            };
            self.constant(block, ty, value)
        } else if divides && self.random.percent(90) {
            let value = match self.random.edge(bits_of(ty)) {
                0 => 3,
                value if self.random.percent(60) => value.wrapping_abs() % 40 + 1,
                value => value,
            };
            self.constant(block, ty, value)
        } else if shifts && self.random.percent(95) {
            let value = self.random.index(bits_of(ty) as usize) as i64;
            self.constant(block, ty, value)
        } else if self.random.percent(50) {
            let value = self.random.edge(bits_of(ty));
            self.constant(block, ty, value)
        } else {
            self.any(block, ty)
        };
        let mut attributes = Vec::new();
        let flagged = matches!(name, "addi" | "subi" | "muli" | "shli") && !index;
        if flagged && self.random.percent(8) {
            let flag = self.random.pick(&["nsw", "nuw", "nsw, nuw"]);
            if let Some(flag) = self.cx.attribute(&format!("#arith.overflow<{flag}>")) {
                attributes.push(("overflowFlags", flag));
            }
        }
        let dialect = if index { "index" } else { "arith" };
        let made = self.op(block, &format!("{dialect}.{name}"), &[left, right], &attributes, &[ty]);
        self.know(made.result());
    }

    pub(super) fn cast(&mut self, block: Block) {
        let (from, to) = (self.width(), self.width());
        let value = self.any(block, from);
        let value = self.cast_to(block, value, from, to);
        if self.random.percent(50) {
            // And on: what a narrow value is known to be shows in a wider one.
            let wide = self.random.pick(&["i32", "i64", "index"]);
            self.cast_to(block, value, to, wide);
        }
    }

    /// A cast of a value from one type of integers to another, by one of the ways that there are.
    pub(super) fn cast_to(
        &mut self,
        block: Block,
        value: crate::ir::Value,
        from: &str,
        to: &str,
    ) -> crate::ir::Value {
        let signed = self.random.percent(50);
        if from == "index" && bits_of(to) < 64 {
            // Upstream folds a cast to fewer bits and back to nothing.
            if self.strange {
                self.traits.stock = false;
            } else {
                let wide = self.op(block, "arith.index_cast", &[value], &[], &["i64"]).result();
                return self.cast_to(block, wide, "i64", to);
            }
        }
        let name = match (from == "index", to == "index") {
            (true, true) => return value,
            (true, false) | (false, true) => {
                let other = self.random.percent(20) && !self.kernel;
                match (signed, other) {
                    (true, false) => "arith.index_cast",
                    (false, false) => "arith.index_castui",
                    (true, true) => "index.casts",
                    (false, true) => "index.castu",
                }
            }
            (false, false) if bits_of(to) < bits_of(from) => "arith.trunci",
            (false, false) if bits_of(to) == bits_of(from) => return value,
            (false, false) if signed => "arith.extsi",
            (false, false) => "arith.extui",
        };
        let mut attributes = Vec::new();
        if name == "arith.trunci" && self.strange && self.random.percent(12) {
            // Upstream keeps the flags of a cast of a cast.
            self.traits.stock = false;
            let flag = self.random.pick(&["nsw", "nuw"]);
            if let Some(flag) = self.cx.attribute(&format!("#arith.overflow<{flag}>")) {
                attributes.push(("overflowFlags", flag));
            }
        }
        let made = self.op(block, name, &[value], &attributes, &[to]);
        self.know(made.result());
        made.result()
    }

    /// A comparison, and perhaps a choice by it.
    pub(super) fn choose(&mut self, block: Block) {
        let condition = self.compare(block);
        if self.random.percent(50) {
            let ty = self.random.pick(&WIDTHS[1..]);
            let (yes, no) = (self.any(block, ty), self.any(block, ty));
            let made = self.op(block, "arith.select", &[condition, yes, no], &[], &[ty]);
            self.know(made.result());
        }
    }

    /// A comparison, most often with a constant at an edge.
    pub(super) fn compare(&mut self, block: Block) -> crate::ir::Value {
        let ty = self.random.pick(&WIDTHS[1..]);
        let left = self.any(block, ty);
        let right = if self.random.percent(70) {
            let value = self.random.edge(bits_of(ty));
            self.constant(block, ty, value)
        } else {
            self.any(block, ty)
        };
        let predicate = self.random.index(10) as i64;
        let i64 = self.r#type("i64");
        let predicate = self.cx.integer(i64, predicate);
        let made =
            self.op(block, "arith.cmpi", &[left, right], &[("predicate", predicate)], &["i1"]);
        self.know(made.result());
        made.result()
    }
}
