//! Records of `layout-run bench`: the JSON that `--json` writes, of one run or of several in a list.

use std::path::Path;

use layout_runtime::manifest::{self, Problem};
use layout_runtime::{Error, Result};
use serde::Deserialize;

/// One run; what a plot does not show is passed over.
#[derive(Debug, Deserialize)]
pub(crate) struct Run {
    /// The device's name.
    pub(crate) device: String,
    /// The library's version, such as 130100; none when there was no library.
    pub(crate) cublas: Option<usize>,
    /// What was measured, in the order of the run.
    pub(crate) kernels: Vec<Row>,
}

/// One kernel of a run.
#[derive(Debug, Deserialize)]
pub(crate) struct Row {
    /// The PTX file, which tells kernels of one problem apart.
    pub(crate) file: Option<String>,
    /// What is computed; none for a kernel that computes something else.
    pub(crate) problem: Option<Problem>,
    /// Element types of A, B and C.
    pub(crate) elements: Vec<String>,
    /// Strides of A, B and C, such as `(64,1)`.
    pub(crate) strides: Vec<String>,
    /// Our speed over cuBLASLt's; none when there was nothing to compare with.
    pub(crate) ratio: Option<f64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Either {
    One(Run),
    Several(Vec<Run>),
}

/// Reads the runs of a record.
pub(crate) fn load(path: &Path) -> Result<Vec<Run>> {
    parse(&manifest::read_text(path)?).map_err(|reason| Error::Record { path: path.into(), reason })
}

fn parse(text: &str) -> std::result::Result<Vec<Run>, String> {
    // First as JSON, whose errors have a place; the untagged type's have none.
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match serde_json::from_value(value) {
        Ok(Either::One(run)) => Ok(vec![run]),
        Ok(Either::Several(runs)) => Ok(runs),
        Err(_) => {
            Err("expected the JSON of `layout-run bench`, one run or a list of them, each with \
                       device and kernels, found something else"
                .into())
        }
    }
}

impl Row {
    /// M, N and K.
    pub(crate) fn extents(&self) -> Option<[i64; 3]> {
        let Some(Problem::Matmul { m, n, k, .. }) = &self.problem else { return None };
        Some([*m, *n, *k])
    }

    /// Products, where there is a batch of them.
    pub(crate) fn batch(&self) -> Option<i64> {
        let Some(Problem::Matmul { batch, .. }) = &self.problem else { return None };
        *batch
    }

    /// A and B by BLAS letters, as [`layout_runtime::manifest::Gemm::transposes`] has them.
    pub(crate) fn transposes(&self) -> String {
        let letter = |operand: usize, contiguous: usize| {
            let strides = self.strides.get(operand)?.trim_matches(['(', ')']);
            let stride = strides.split(',').nth(contiguous)?;
            Some(if stride.trim() == "1" { 'n' } else { 't' })
        };
        [letter(0, 0), letter(1, 1)].into_iter().flatten().collect()
    }

    /// Element type of the operands.
    pub(crate) fn element(&self) -> &str {
        self.elements.first().map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = r#"{"device": "a chip", "cublas": null, "kernels": [
        {"file": "a.ptx", "problem": {"kind": "matmul", "m": 8, "n": 16, "k": 4}, "elements": ["f16", "f16", "f32"],
         "strides": ["(1,8)", "(1,16)", "(16,1)"], "ratio": 0.5, "registers": 20}]}"#;

    #[test]
    fn one_run_or_several() {
        for (text, count) in [(RUN.to_owned(), 1), (format!("[{RUN}, {RUN}]"), 2)] {
            let runs = parse(&text).unwrap();
            assert_eq!(runs.len(), count);
            let row = &runs[0].kernels[0];
            assert_eq!(row.extents(), Some([8, 16, 4]));
            assert_eq!(
                (row.transposes().as_str(), row.element(), row.ratio),
                ("nt", "f16", Some(0.5))
            );
        }
    }

    #[test]
    fn what_is_no_record_is_refused() {
        assert_eq!(parse("[{").unwrap_err(), "EOF while parsing an object at line 1 column 2");
        assert_eq!(
            parse(r#"{"version": 1, "kernels": []}"#).unwrap_err(),
            "expected the JSON of `layout-run bench`, one run or a list of them, each with device and kernels, found \
             something else"
        );
    }
}
