//! Writes what fuzzing starts from: the terms that the crate's tests hold as string literals, one
//! file each, and a dictionary of the grammar.
//!
//! ```text
//! cargo run --example seeds
//! ```

use layout_algebra::{Error, Op, Term, integer::self};
use std::{collections::BTreeSet, fs, io, path::Path};

fn main() -> io::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = BTreeSet::new();
    gather(&here.join("../tests"), &mut texts)?;
    let terms: Vec<&String> = texts.iter().filter(|text| Term::parse(text).is_ok()).collect();
    let symbols = texts.iter().filter(|text| {
        !matches!(
            layout_algebra::evaluate(text, &mut layout_algebra::Facts::new()),
            Err(layout_algebra::integer::Error::Algebra(Error::Parse { .. }))
        )
    });
    let symbols = symbols.collect();
    for (target, seeds) in [("parse", &terms), ("evaluate", &terms), ("symbols", &symbols)] {
        let corpus = here.join("corpus").join(target);
        fs::create_dir_all(&corpus)?;
        for (i, seed) in seeds.iter().enumerate() {
            fs::write(corpus.join(format!("seed-{i:04}")), seed)?;
        }
    }
    let mut words: Vec<String> = Op::ALL.iter().map(|op| format!("{}(", op.name())).collect();
    let numbers = [i64::MAX, i64::MIN, 1 << 62, 1 << 32, 1 << 31, 1 << 20, 1 << 10];
    words.extend(numbers.iter().map(i64::to_string));
    words.extend(["S<3,4,3>", " o ", "_", ":(", "),(", "1@0"].map(String::from));
    words.extend(["{div=8}", "{range=1..}", "floor_div(", "mod("].map(String::from));
    let lines: String = words.iter().map(|word| format!("\"{word}\"\n")).collect();
    fs::write(here.join("algebra.dict"), lines)?;
    println!("{} terms, {} with symbols, {} words", terms.len(), symbols.len(), words.len());
    Ok(())
}

/// The string literals of Rust sources.
fn gather(folder: &Path, texts: &mut BTreeSet<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            gather(&path, texts)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)?.replace("\\\n", "");
            let literals = text.split('"').skip(1);
            texts.extend(literals.map(String::from));
        }
    }
    Ok(())
}
