//! The normal form of extents, in which sizes that are computed in different ways are equal: expressions of `layout-algebra`.
//!
//! | a value of the host | its expression |
//! |---|---|
//! | the size of a tensor's dimension | a symbol, at least 0 |
//! | `arith.addi`, `subi`, `muli` | a polynomial |
//! | `arith.divui`, `divsi`, `remui`, `remsi` of what is at least 0, `floordivsi`, `ceildivsi`, `ceildivui` | quotients and remainders, by what is at least 1 |
//! | `arith.minsi`, `maxsi`, and `minui`, `maxui` of what is at least 0 | minima |
//! | `arith.index_cast` between `i64` and `index` | that of its operand |
//! | all else, and what is beyond the limits of an expression | a symbol |
//!
//! `index` and `i64` are of 64 bits, in which arithmetic of sizes is assumed not to wrap around, as in all passes.

use super::{ById, Extent, STEPS, value_at};
use layout_algebra::{Expr, Facts, Symbol, Width};
use layout_dialect::{
    build::{Val, first_result, operand},
    tree,
};
use melior::ir::{OperationRef, ValueLike, operation::OperationLike};
use std::collections::HashMap;

/// How many values one comparison reads.
const VALUES: usize = 256;

/// Expressions of extents, and what is known of their symbols.
#[derive(Default)]
pub(super) struct Normal {
    facts: Facts,
    known: HashMap<usize, Expr>,
}

impl Normal {
    /// Whether two extents have one normal form.
    pub(super) fn are_equal(a: &Extent<'_>, b: &Extent<'_>) -> bool {
        let mut own = Self::default();
        own.of(a).zip(own.of(b)).is_some_and(|(a, b)| a == b)
    }

    /// The number that an extent always is.
    pub(super) fn constant(extent: &Extent<'_>) -> Option<i64> {
        Self::default().of(extent)?.as_constant()
    }

    fn of(&mut self, extent: &Extent<'_>) -> Option<Expr> {
        match extent {
            Extent::Known(known) => Some(Expr::from(*known)),
            Extent::Value(value) => self.of_value(value.0),
            Extent::Of(tensor, i) => self.symbol(&format!("d{}_{i}", tree::key(tensor.0)), 0),
            Extent::Sum(all) => {
                all.iter().try_fold(Expr::from(0), |sum, one| sum.plus(&self.of(one)?).ok())
            }
            Extent::Product(all) => all
                .iter()
                .try_fold(Expr::from(1), |product, one| product.times(&self.of(one)?).ok()),
        }
    }

    fn symbol(&mut self, name: &str, least: i64) -> Option<Expr> {
        let symbol = Symbol::new(name, Width::W64).and_then(|own| own.with_range(least, i64::MAX));
        self.facts.insert(symbol.ok()?).ok()?;
        self.facts.symbol(name).ok()
    }

    fn of_value(&mut self, value: Val<'_>) -> Option<Expr> {
        let key = tree::key(value);
        if let Some(known) = self.known.get(&key) {
            return Some(known.clone());
        }
        if let Some(known) = tree::constant(value) {
            return Some(Expr::from(known));
        }
        let symbol = self.symbol(&format!("v{key}"), i64::MIN)?;
        // A value that is reached again before it is known is itself.
        self.known.insert(key, symbol.clone());
        let made = tree::definition(value).filter(|_| self.known.len() <= VALUES);
        let own = made.and_then(|made| match tree::name(made).as_str() {
            "tensor.dim" => match value_at(value, &mut { STEPS }).ok()? {
                Extent::Value(own) if own == ById(value) => None,
                extent => self.of(&extent),
            },
            _ => self.of_arithmetic(made),
        });
        let own = own.unwrap_or(symbol);
        self.known.insert(key, own.clone());
        Some(own)
    }

    fn of_arithmetic(&mut self, made: OperationRef<'_, '_>) -> Option<Expr> {
        const WIDE: [&str; 2] = ["index", "i64"];
        let name = tree::name(made);
        let name = name.strip_prefix("arith.")?;
        let is_wide = |value: Val<'_>| WIDE.contains(&value.r#type().to_string().as_str());
        let are_wide = (0..made.operand_count()).all(|i| is_wide(operand(made, i)));
        are_wide.then_some(())?;
        if name == "index_cast" {
            return is_wide(first_result(made)).then(|| self.of_value(operand(made, 0)))?;
        }
        (made.operand_count() == 2).then_some(())?;
        let (a, b) = (self.of_value(operand(made, 0))?, self.of_value(operand(made, 1))?);
        let facts = &self.facts;
        let at_least_0 = |one: &Expr| facts.at_least(one, &Expr::from(0)).is_yes();
        let found = match name {
            "addi" => a.plus(&b),
            "subi" => a.minus(&b),
            "muli" => a.times(&b),
            "floordivsi" => facts.floor_div(&a, &b),
            "divui" | "divsi" if at_least_0(&a) => facts.floor_div(&a, &b),
            "ceildivsi" => facts.ceil_div(&a, &b),
            "ceildivui" if at_least_0(&a) => facts.ceil_div(&a, &b),
            "remui" | "remsi" if at_least_0(&a) => facts.modulo(&a, &b),
            "minsi" => facts.min(&a, &b),
            "maxsi" => facts.max(&a, &b),
            "minui" if at_least_0(&a) && at_least_0(&b) => facts.min(&a, &b),
            "maxui" if at_least_0(&a) && at_least_0(&b) => facts.max(&a, &b),
            _ => return None,
        };
        found.ok()
    }
}
