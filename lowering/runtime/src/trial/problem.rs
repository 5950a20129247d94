//! The reference of a kernel whose manifest states a problem: GEMMs in float64, with their epilogues.

use super::{Dense, expected::Steps};
use crate::epilogue::Program;
use crate::manifest::{Element, GemmProblem, Kernel, Precision, Problem};
use crate::window::Window;
use crate::{Error, Result, data, reference};

/// The numbers on the way to the results of a problem.
pub(super) fn steps(problem: &Problem) -> Steps {
    let (depth, precision) = match problem {
        Problem::Matmul { k, precision, .. } => (*k, precision),
        Problem::Grouped { problems, precision } => {
            (problems.iter().map(|problem| problem.k).max().unwrap_or(1), precision)
        }
    };
    let (rounds, arithmetic) = match precision {
        Some(Precision::Tf32) => (Some(Element::Tf32), None),
        Some(_) => (None, Some(Element::F16)),
        None => (None, None),
    };
    Steps { depth: depth.unsigned_abs(), rounds, arithmetic }
}

/// Computes the GEMMs of a kernel's problem on its operands.
///
/// # Errors
///
/// Arguments that are not those of the problem.
pub(super) fn compute(kernel: &Kernel, operands: &mut [Dense]) -> Result<()> {
    let before: Vec<Vec<f64>> = operands.iter().map(Dense::values).collect();
    for GemmProblem { m, n, k, batch, args: [a, b, c], epilogue, window } in gemms(kernel)? {
        let wrong = |argument: &str, message: String| {
            let kernel = &kernel.name;
            Error::Manifest(format!("kernel {kernel}, argument {argument}: {message}"))
        };
        // The elements of each matrix, row by row.
        let matrices = |number: usize, rows: i64, columns: i64| -> Result<Vec<Vec<f64>>> {
            let extents: Vec<i64> = [rows, columns].into_iter().chain(batch).collect();
            let is_own = |dense: &&Dense| {
                dense.extents.iter().map(|&extent| extent as i64).eq(extents.iter().copied())
            };
            if operands.get(number).filter(is_own).is_none() {
                let name = kernel.args.get(number).map_or("", |argument| argument.name.as_str());
                let found = operands.get(number).map(|dense| dense.extents.clone());
                let found = found.unwrap_or_default();
                return Err(wrong(
                    name,
                    format!("expected extents {extents:?}, as its problem has, found {found:?}"),
                ));
            }
            let count = usize::try_from(batch.unwrap_or(1)).unwrap_or(1);
            let all = &before[number];
            Ok((0..count).map(|i| all.iter().skip(i).step_by(count).copied().collect()).collect())
        };
        // The im2col matrix of A.
        let image = |window: Window| -> Result<Vec<f64>> {
            let name = kernel.args.get(a).map_or("", |argument| argument.name.as_str());
            let extents = operands.get(a).map(|dense| dense.extents.as_slice()).unwrap_or_default();
            let Ok(extents @ [_, width, height, images]) = <[usize; 4]>::try_from(extents) else {
                return Err(wrong(
                    name,
                    format!("expected an image of four modes, found {extents:?}"),
                ));
            };
            let found = window.extents(extents).map_err(|message| wrong(name, message))?;
            if found != [m, k] {
                let matrix = [m, k];
                let message = format!(
                    "expected an image whose matrix has extents {matrix:?}, found {found:?}"
                );
                return Err(wrong(name, message));
            }
            let at = |[c, w, h, n]: [usize; 4]| ((c * width + w) * height + h) * images + n;
            let element = |place: [usize; 4]| before[a].get(at(place)).copied().unwrap_or(0.0);
            window.matrix(extents, element).map_err(|message| wrong(name, message))
        };
        let [rows, columns, depth] = [m, n, k].map(|extent| usize::try_from(extent).unwrap_or(0));
        let products = |b: usize| -> Result<Vec<Vec<f64>>> {
            let left = match window {
                None => matrices(a, m, k)?,
                Some(window) => vec![image(window)?],
            };
            let pairs = left.into_iter().zip(matrices(b, n, k)?);
            Ok(pairs.map(|(a, b)| reference::gemm(&a, &b, rows, columns, depth)).collect())
        };
        let mut results = products(b)?;
        matrices(c, m, n)?;
        if let Some(epilogue) = epilogue {
            let program = Program::new(&epilogue)?;
            let mut others =
                epilogue.dual.map(products).transpose()?.into_iter().collect::<Vec<_>>();
            for &number in &epilogue.operands {
                others.push(matrices(number, m, n)?);
            }
            let mut values = Vec::new();
            for (t, result) in results.iter_mut().enumerate() {
                for (i, sum) in result.iter_mut().enumerate() {
                    let own = others.iter().map(|matrices| matrices[t][i]);
                    *sum = program.apply(*sum, own, &mut values);
                }
            }
        }
        let (count, element) = (results.len(), operands[c].element);
        let places = operands[c].bytes_mut().chunks_exact_mut(element.bytes());
        for (place, to) in places.take(count * rows * columns).enumerate() {
            data::encode(element, results[place % count][place / count], to);
        }
    }
    Ok(())
}

/// The GEMMs of a kernel's problem.
fn gemms(kernel: &Kernel) -> Result<Vec<GemmProblem>> {
    let place = |required: &str| {
        let found = kernel.args.iter().position(|argument| argument.name == required);
        found.ok_or_else(|| {
            let names: Vec<_> = kernel.args.iter().map(|own| own.name.as_str()).collect();
            Error::Manifest(format!(
                "kernel {}: expected arguments a, b and c of its problem, found {}",
                kernel.name,
                names.join(", ")
            ))
        })
    };
    Ok(match &kernel.problem {
        None => Vec::new(),
        Some(Problem::Grouped { problems, .. }) => problems.clone(),
        Some(Problem::Matmul { m, n, k, batch, epilogue, window, .. }) => {
            let (batch, epilogue) = (*batch, epilogue.clone());
            let args = [place("a")?, place("b")?, place("c")?];
            vec![GemmProblem { m: *m, n: *n, k: *k, batch, args, epilogue, window: *window }]
        }
    })
}
