//! Programs of matmuls, as text.

/// The type of C, where it is not that of A and B, by the type of A and B.
const RESULTS: &[(&str, &str)] = &[("f8E4M3FN", "bf16"), ("f8E5M2", "bf16"), ("i8", "i32")];

/// The type of C.
pub(crate) fn result(element: &str) -> &str {
    RESULTS.iter().find(|(of, _)| *of == element).map_or(element, |(_, to)| to)
}

/// A function with a matmul for each of some problems, (M, N, K) or a batch of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program<'p> {
    /// Type of A and B.
    pub(crate) element: &'p str,
    /// A and B by BLAS letters.
    pub(crate) transposes: &'p str,
    pub(crate) batch: Option<i64>,
    /// The text of the schedule, without the chip.
    pub(crate) schedule: &'p str,
    pub(crate) chip: &'p str,
}

impl Program<'_> {
    /// Its text.
    pub(crate) fn text(&self, problems: &[[i64; 3]]) -> String {
        let Self { element, transposes, schedule, chip, .. } = self;
        let (mut parameters, mut body) = (Vec::new(), String::new());
        for (number, &[m, n, k]) in problems.iter().enumerate() {
            let a = self.view(element, m, k, transposes.starts_with('t'));
            let b = self.view(element, n, k, transposes.ends_with('n'));
            let c = self.view(result(element), m, n, true);
            parameters.push(format!("%a{number}: {a}, %b{number}: {b}, %c{number}: {c}"));
            body += &format!(
                "  layout.matmul %a{number}, %b{number}, %c{number}\n    \
                 schedule(#layout.schedule<{schedule}, chip = \"{chip}\">)\n    : {a}, {b}, {c}\n"
            );
        }
        format!("func.func @gemm({}) {{\n{body}  return\n}}\n", parameters.join(",\n  "))
    }

    fn view(&self, element: &str, rows: i64, columns: i64, by_rows: bool) -> String {
        let (down, right) = if by_rows { (columns, 1) } else { (1, rows) };
        match self.batch {
            None => format!("!layout.view<{element}, global, ({rows},{columns}):({down},{right})>"),
            Some(batch) => format!(
                "!layout.view<{element}, global, ({rows},{columns},{batch}):({down},{right},{})>",
                rows.saturating_mul(columns)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_and_batches_are_written_out() {
        let program = Program {
            element: "i8",
            transposes: "tn",
            batch: None,
            schedule: "tile",
            chip: "sm_90a",
        };
        let text = program.text(&[[8, 16, 32], [1, 2, 3]]);
        assert_eq!(text.matches("layout.matmul").count(), 2);
        assert!(text.contains("%c1: !layout.view<i32, global, (1,2):(2,1)>"), "{text}");
        assert!(text.contains("<tile, chip = \"sm_90a\">"), "{text}");
        let text = Program { element: "bf16", batch: Some(3), ..program }.text(&[[8, 16, 32]]);
        assert!(text.contains("%a0: !layout.view<bf16, global, (8,32,3):(32,1,256)>"), "{text}");
        let text = Program { element: "bf16", transposes: "nt", ..program }.text(&[[8, 16, 4]]);
        assert!(text.contains("%a0: !layout.view<bf16, global, (8,4):(1,8)>"), "{text}");
        assert!(text.contains("%b0: !layout.view<bf16, global, (16,4):(1,16)>"), "{text}");
    }
}
