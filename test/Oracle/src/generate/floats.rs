//! Floats: arithmetic that upstream does not reassociate, comparisons and conversions. Their bits are compared.

use super::{Generator, WIDTHS};
use crate::{
    interpret::types::Ty,
    ir::{Block, Value},
};

const CONSTANTS: &[&str] =
    &["0.0", "-0.0", "1.0", "-1.5", "0.1", "3.0e38", "1.0e-45", "16777217.0", "0x7F800000"];

impl Generator<'_, '_> {
    pub(super) fn float(&mut self, block: Block) {
        let ty = self.random.pick(&["f32", "f32", "f64"]);
        match self.random.index(9) {
            0 | 1 => {
                let from = self.random.pick(&WIDTHS[..5]);
                let value = self.any(block, from);
                let name = self.random.pick(&["arith.sitofp", "arith.uitofp"]);
                self.made(block, name, &[value], ty);
            }
            2 | 3 => {
                let name =
                    self.random.pick(&["arith.addf", "arith.subf", "arith.mulf", "arith.divf"]);
                let (a, b) = (self.any_float(block, ty), self.any_float(block, ty));
                let sum = self.made(block, name, &[a, b], ty);
                self.see_float(block, sum, ty);
            }
            4 => {
                let (a, b) = (self.any_float(block, ty), self.any_float(block, ty));
                // Upstream's canonicalization ends the process at `false` and `true`.
                let (i64, number) = (self.r#type("i64"), 1 + self.random.index(14) as i64);
                let attributes = [("predicate", self.cx.integer(i64, number))];
                let boolean = self.op(block, "arith.cmpf", &[a, b], &attributes, &["i1"]).result();
                self.know(boolean);
                let one = self.made(block, "arith.select", &[boolean, a, b], ty);
                self.see_float(block, one, ty);
            }
            5 => {
                let value = self.any_float(block, ty);
                let (name, to) = match ty {
                    "f32" => ("arith.extf", "f64"),
                    _ => ("arith.truncf", "f32"),
                };
                self.made(block, name, &[value], to);
            }
            6 => {
                let value = self.any_float(block, ty);
                let name = self.random.pick(&["arith.fptosi", "arith.fptoui"]);
                let to = self.random.pick(&["i8", "i32", "i64", "i64"]);
                // Most values are past a narrow type's end: poison, which is not read but to be seen.
                let whole = self.op(block, name, &[value], &[], &[to]).result();
                self.see_value(block, whole, to);
            }
            7 => {
                let value = self.any_float(block, ty);
                self.made(block, "arith.negf", &[value], ty);
            }
            _ => {
                let value = self.any(block, if ty == "f32" { "i32" } else { "i64" });
                self.made(block, "arith.bitcast", &[value], ty);
            }
        }
    }

    fn made(&mut self, block: Block, name: &str, operands: &[Value], ty: &str) -> Value {
        let made = self.op(block, name, operands, &[], &[ty]).result();
        self.know(made);
        made
    }

    fn any_float(&mut self, block: Block, ty: &str) -> Value {
        let expected = Ty::parse(ty);
        let found = self.some(|other| *other == expected);
        match found {
            Some((value, _)) if self.random.percent(85) => value,
            _ => {
                let text = self.random.pick(CONSTANTS);
                let text = if ty == "f64" && text.starts_with("0x") { "0.1" } else { text };
                let text = format!("{text} : {ty}");
                let value = self.cx.attribute(&text);
                let value = value.unwrap_or_else(|| panic!("{text} is an attribute"));
                self.op(block, "arith.constant", &[], &[("value", value)], &[ty]).result()
            }
        }
    }

    /// Has a float's bits compared.
    fn see_float(&mut self, block: Block, value: Value, ty: &str) {
        let to = if ty == "f32" { "i32" } else { "i64" };
        let bits = self.op(block, "arith.bitcast", &[value], &[], &[to]).result();
        self.see_value(block, bits, to);
    }
}
