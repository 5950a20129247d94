//! A slow definition of `arith` operations at each width, and the words at which facts about them break.
//!
//! Poison and undefined behaviour have no value here: facts about them are not compared.

use melior::{
    Context,
    dialect::DialectRegistry,
    ir::{Module, OperationRef},
    utility::register_all_dialects,
};

/// Integer types and their bits.
pub(crate) const TYPES: [(&str, u32); 6] =
    [("i1", 1), ("i8", 8), ("i16", 16), ("i32", 32), ("i64", 64), ("index", 64)];

/// Every dialect of upstream, and ours.
pub(crate) fn context() -> Context {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    layout_dialect::register(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}

/// A module of a text.
pub(crate) fn module<'c>(context: &'c Context, text: &str) -> Module<'c> {
    Module::parse(context, text).unwrap_or_else(|| panic!("no module: {text}"))
}

/// The operation of a module.
pub(crate) fn root<'c>(module: &Module<'c>) -> OperationRef<'c, 'c> {
    // SAFETY: the caller keeps the module.
    unsafe { OperationRef::from_raw(module.as_operation().to_raw()) }
}

/// The least and the greatest word of a width, signed.
pub(crate) fn bounds(width: u32) -> (i64, i64) {
    let greatest = i64::MAX >> (64 - width);
    (-1 - greatest, greatest)
}

/// The least and the greatest word, 0, 1 and -1, what is beside them, and the width, by which a shift is poison.
pub(crate) fn edges(width: u32) -> Vec<i64> {
    let (least, greatest) = bounds(width);
    let bits = i64::from(width);
    let mut all = vec![least, least + 1, -2, -1, 0, 1, 2, bits - 1, bits, greatest - 1, greatest];
    all.retain(|x| (least..=greatest).contains(x));
    all.sort_unstable();
    all.dedup();
    all
}

/// A word without its sign.
pub(crate) fn unsigned(value: i64, width: u32) -> i128 {
    i128::from(value) & ((1_i128 << width) - 1)
}

/// The word of a width that an integer is congruent to, with its sign.
pub(crate) fn wrap(value: i128, width: u32) -> i64 {
    let low = value & ((1_i128 << width) - 1);
    let word = if low >> (width - 1) == 1 { low - (1_i128 << width) } else { low };
    i64::try_from(word).expect("at most 64 bits")
}

/// Predicates of `arith.cmpi`, in MLIR's order.
pub(crate) const PREDICATES: [&str; 10] =
    ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];

/// The result of a comparison.
pub(crate) fn compared(predicate: &str, x: i64, y: i64, width: u32) -> bool {
    let (a, b) = (unsigned(x, width), unsigned(y, width));
    match predicate {
        "eq" => x == y,
        "ne" => x != y,
        "slt" => x < y,
        "sle" => x <= y,
        "sgt" => x > y,
        "sge" => x >= y,
        "ult" => a < b,
        "ule" => a <= b,
        "ugt" => a > b,
        "uge" => a >= b,
        other => panic!("no predicate {other}"),
    }
}

/// The last result of an operation on two words, under its flags, or `None` if it is poison or undefined.
pub(crate) fn computed(name: &str, flags: &str, x: i64, y: i64, width: u32) -> Option<i64> {
    let (sx, sy) = (i128::from(x), i128::from(y));
    let (ux, uy) = (unsigned(x, width), unsigned(y, width));
    let overflows = |signed: i128, unsigned: i128| {
        let (least, greatest) = bounds(width);
        let fits = (i128::from(least)..=i128::from(greatest)).contains(&signed);
        (flags.contains("nsw") && !fits)
            || (flags.contains("nuw") && !(0..1_i128 << width).contains(&unsigned))
    };
    let ring =
        |signed: i128, unsigned: i128| (!overflows(signed, unsigned)).then(|| wrap(signed, width));
    let exact = |left: i128| flags.contains("exact") && left != 0;
    let shifts = uy < i128::from(width);
    let least = i128::from(bounds(width).0);
    let divides = y != 0 && !(sx == least && sy == -1);
    match name {
        "arith.addi" => ring(sx + sy, ux + uy),
        "arith.subi" => ring(sx - sy, ux - uy),
        "arith.muli" => {
            // A product of two unsigned words of 64 bits is past what an integer here holds.
            let product = ux.checked_mul(uy).unwrap_or(i128::MAX);
            ring(sx * sy, product)
        }
        "arith.shli" if shifts => ring(sx << uy.min(63), ux.checked_shl(uy as u32)?),
        "arith.shrui" if shifts && !exact(ux & ((1 << uy) - 1)) => Some(wrap(ux >> uy, width)),
        "arith.shrsi" if shifts && !exact(ux & ((1 << uy) - 1)) => Some(wrap(sx >> uy, width)),
        "arith.divui" if y != 0 && !exact(ux % uy) => Some(wrap(ux / uy, width)),
        "arith.remui" if y != 0 => Some(wrap(ux % uy, width)),
        "arith.ceildivui" if y != 0 => Some(wrap((ux + uy - 1) / uy, width)),
        "arith.divsi" if divides && !exact(sx % sy) => Some(wrap(sx / sy, width)),
        "arith.remsi" if divides => Some(wrap(sx % sy, width)),
        "arith.floordivsi" if divides => {
            let down = i128::from(sx % sy != 0 && (sx < 0) != (sy < 0));
            Some(wrap(sx / sy - down, width))
        }
        "arith.ceildivsi" if divides => {
            let up = i128::from(sx % sy != 0 && (sx < 0) == (sy < 0));
            Some(wrap(sx / sy + up, width))
        }
        "arith.andi" => Some(wrap(ux & uy, width)),
        "arith.ori" => Some(wrap(ux | uy, width)),
        "arith.xori" => Some(wrap(ux ^ uy, width)),
        "arith.minsi" => Some(x.min(y)),
        "arith.maxsi" => Some(x.max(y)),
        "arith.minui" => Some(if ux <= uy { x } else { y }),
        "arith.maxui" => Some(if ux >= uy { x } else { y }),
        "arith.mului_extended" => {
            // The product of unsigned words, in halves of 32 bits.
            let product = (ux as u128).wrapping_mul(uy as u128) >> width;
            Some(wrap((product & ((1 << width) - 1)) as i128, width))
        }
        "arith.mulsi_extended" => Some(wrap((sx * sy) >> width, width)),
        "arith.shli" | "arith.shrui" | "arith.shrsi" | "arith.divui" | "arith.remui"
        | "arith.ceildivui" | "arith.divsi" | "arith.remsi" | "arith.floordivsi"
        | "arith.ceildivsi" => None,
        other => panic!("no definition of {other}"),
    }
}

/// The result of a cast of a word, or `None` if its flags make it poison.
pub(crate) fn cast(name: &str, flags: &str, x: i64, from: u32, to: u32) -> Option<i64> {
    let (signed, plain) = (i128::from(x), unsigned(x, from));
    let found = match name {
        "arith.extsi" | "arith.index_cast" | "arith.trunci" => wrap(signed, to),
        "arith.extui" | "arith.index_castui" => wrap(plain, to),
        other => panic!("no definition of {other}"),
    };
    let poison = (flags.contains("nsw") && i128::from(found) != signed)
        || (flags.contains("nuw") && unsigned(found, to) != plain);
    (!poison).then_some(found)
}

/// The flavours of an operation on two words: predicates, and flags as the text has them.
pub(crate) fn flavours(name: &str) -> Vec<String> {
    match name {
        "arith.addi" | "arith.subi" | "arith.muli" | "arith.shli" => {
            ["", " overflow<nsw>", " overflow<nuw>", " overflow<nsw, nuw>"]
                .map(str::to_owned)
                .into()
        }
        "arith.shrui" | "arith.shrsi" | "arith.divui" | "arith.divsi" => {
            ["", " exact"].map(str::to_owned).into()
        }
        "arith.cmpi" => PREDICATES.map(|predicate| format!(" {predicate},")).into(),
        _ => vec![String::new()],
    }
}

/// An integer as a constant of a type.
pub(crate) fn literal(value: i64, r#type: &str) -> String {
    match r#type {
        "i1" => if value == 0 { "false" } else { "true" }.to_owned(),
        _ => format!("{value} : {type}"),
    }
}

#[test]
fn the_slow_definition_at_words_that_are_known() {
    assert_eq!(computed("arith.addi", "", 127, 1, 8), Some(-128));
    assert_eq!(computed("arith.addi", " overflow<nsw>", 127, 1, 8), None);
    assert_eq!(computed("arith.addi", " overflow<nuw>", 127, 1, 8), Some(-128));
    assert_eq!(computed("arith.muli", " overflow<nuw>", -1, -1, 64), None);
    assert_eq!(computed("arith.shli", "", 1, 63, 64), Some(i64::MIN));
    assert_eq!(computed("arith.shrui", "", -1, 63, 64), Some(1));
    assert_eq!(computed("arith.divui", "", -1, 2, 64), Some(i64::MAX));
    assert_eq!(computed("arith.divsi", "", i64::MIN, -1, 64), None);
    assert_eq!(computed("arith.ceildivsi", "", 7, 2, 8), Some(4));
    assert_eq!(computed("arith.floordivsi", "", -7, 2, 8), Some(-4));
    assert_eq!(computed("arith.mului_extended", "", -1, -1, 64), Some(-2));
    assert_eq!(computed("arith.mulsi_extended", "", -1, -1, 64), Some(0));
    assert_eq!(cast("arith.extui", "", -1, 1, 64), Some(1));
    assert_eq!(cast("arith.trunci", " overflow<nsw>", 128, 64, 8), None);
    assert_eq!(cast("arith.index_castui", "", -1, 32, 64), Some((1 << 32) - 1));
}
