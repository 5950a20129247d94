//! Writes what fuzzing starts from: the terms that the crate's tests hold as string literals, one
//! file each, and a dictionary of the grammar.
//!
//! ```text
//! cargo run --example seeds
//! ```

use layout_algebra::{Op, Term};
use std::{collections::BTreeSet, fs, io, path::Path};

fn main() -> io::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut terms = BTreeSet::new();
    gather(&here.join("../tests"), &mut terms)?;
    for target in ["parse", "evaluate"] {
        let corpus = here.join("corpus").join(target);
        fs::create_dir_all(&corpus)?;
        for (i, term) in terms.iter().enumerate() {
            fs::write(corpus.join(format!("seed-{i:04}")), term)?;
        }
    }
    let mut words: Vec<String> = Op::ALL.iter().map(|op| format!("{}(", op.name())).collect();
    let numbers = [i64::MAX, i64::MIN, 1 << 62, 1 << 32, 1 << 31, 1 << 20, 1 << 10];
    words.extend(numbers.iter().map(i64::to_string));
    words.extend(["S<3,4,3>", " o ", "_", ":(", "),("].map(String::from));
    let lines: String = words.iter().map(|word| format!("\"{word}\"\n")).collect();
    fs::write(here.join("algebra.dict"), lines)?;
    println!("{} terms, {} words", terms.len(), words.len());
    Ok(())
}

/// The string literals of Rust sources that are terms.
fn gather(folder: &Path, terms: &mut BTreeSet<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            gather(&path, terms)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)?.replace("\\\n", "");
            let literals = text.split('"').skip(1);
            terms.extend(literals.filter(|text| Term::parse(text).is_ok()).map(String::from));
        }
    }
    Ok(())
}
