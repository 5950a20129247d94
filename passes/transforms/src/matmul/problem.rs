//! The problem of a matmul as it is read from the operation: operands, schedule and epilogue.
//!
//! Imports the sizes and what an operand allows; knows nothing of mainloops, copies and launches.

use crate::{
    matmul::{
        Failure,
        emit::{Emit, Extent, Extents},
        epilogue::fusion::{Bound, Fusion},
        launch::KernelOperands,
        normalise::{
            operands::{Relayouts, packed},
            relayout::Relayout,
            rewrite::{SWAPPED, origins},
        },
        operand::Memory,
        sizes::{IMAGE, MODES, Sizes, StatedLayout},
    },
    pointers,
};
use layout_algebra::Layout;
use layout_dialect::{
    Space, ViewType,
    atoms::im2col::Window,
    build::{Builder, Val},
    ops,
    schedule::Schedule,
    tree,
};
use melior::ir::{BlockLike, BlockRef, OperationRef, ValueLike, operation::OperationLike};

/// The name of a second B, in the kernel's facts and in those of its sizes.
pub(crate) const DUAL: &str = "dual";

/// A matmul as it was read.
pub(crate) struct Matmul<'c> {
    /// A, B and C, and the numbers of their arguments.
    pub(crate) matrices: [Matrix; 3],
    pub(crate) arguments: [usize; 3],
    /// The second B, and the number of its argument.
    pub(crate) dual: Option<(Matrix, usize)>,
    pub(crate) schedule: Schedule,
    /// With `swap_ab`, A and B are swapped and C is transposed.
    pub(crate) order: [usize; 3],
    pub(crate) seen: Layout,
    pub(crate) fusion: Option<Fusion<'c>>,
    /// The copies of A and B before it, and that of C after it.
    pub(crate) copies: Relayouts,
    pub(crate) unpacked: Option<Relayout>,
    /// Those that are known at run time.
    pub(crate) sizes: Sizes,
    /// Where A is the im2col matrix of an image.
    pub(crate) window: Option<Window>,
}

impl<'c> Matmul<'c> {
    pub(crate) fn read(
        body: BlockRef<'c, 'c>,
        matmul: OperationRef<'c, 'c>,
    ) -> Result<Self, Failure> {
        Self::with(body, matmul, ops::schedule(matmul)?)
    }

    /// A matmul with a schedule in place of its own.
    pub(crate) fn with(
        body: BlockRef<'c, 'c>,
        matmul: OperationRef<'c, 'c>,
        mut schedule: Schedule,
    ) -> Result<Self, Failure> {
        schedule.swap_ab |= matmul.attribute(SWAPPED).is_ok();
        let origins = origins(matmul);
        let operands = [0, 1, 2].map(|i| origins[i].value);
        let mut arguments = [0; 3];
        for (i, name) in ["A", "B", "C"].into_iter().enumerate() {
            arguments[i] = position(body, operands[i], name)?;
        }
        let dual = ops::dual(matmul).map(|place| origins[place].value);
        let mut sizes = Sizes::default();
        let names = [("a", MODES[0]), ("b", MODES[1]), ("c", MODES[2])];
        let window = ops::window(matmul)?;
        let modes_of = |i: usize| match window {
            Some(_) if i == 0 => IMAGE.as_slice(),
            _ => names[i].1.as_slice(),
        };
        for (i, operand) in operands.into_iter().enumerate() {
            sizes.note(names[i].0, ViewType::try_from(operand.r#type())?, modes_of(i))?;
        }
        if let Some(dual) = dual {
            sizes.note(DUAL, ViewType::try_from(dual.r#type())?, &MODES[1])?;
        }
        let others = &origins[ops::others(matmul)];
        for (i, fused) in others.iter().enumerate() {
            let view = ViewType::try_from(fused.value.r#type())?;
            sizes.note(&format!("e{i}"), view, &MODES[2])?;
        }
        sizes.agree()?;
        if let Some(function) = body.parent_operation() {
            sizes.bound(function);
        }
        let of = |i: usize| read(operands[i], names[i].0, modes_of(i), &sizes);
        let (mut a, b, c) = (of(0)?, of(1)?, of(2)?);
        let dual = match dual {
            None => None,
            Some(dual) => {
                Some((read(dual, DUAL, &MODES[1], &sizes)?, position(body, dual, "the second B")?))
            }
        };
        if let Some(window) = &window {
            let matrix = window.matrix(&a.layout);
            a.layout = matrix.map_err(|refused| Failure::Refused(refused.to_string()))?;
            // At run time another number stands for the images than for the rows.
            if let (false, Some(rows), Some(columns)) =
                (sizes.is_empty(), c.layout.mode(0), a.layout.mode(1))
            {
                a.layout = Layout::make_layout(&[rows, columns])?;
            }
        }
        let order = if schedule.swap_ab { [1, 0, 2] } else { [0, 1, 2] };
        let seen = if schedule.swap_ab { turned("C", &c.layout)? } else { c.layout.clone() };
        let fusion = Fusion::new((matmul, body), others, schedule.swap_ab, &sizes)?;
        let (copies, unpacked) = (Relayouts([None, None]), None);
        let matrices = [a, b, c];
        let mut own = Self {
            matrices,
            arguments,
            dual,
            schedule,
            order,
            seen,
            fusion,
            copies,
            unpacked,
            sizes,
            window,
        };
        let problem = own.source()?;
        let copied = |name, memory, place: usize| -> Result<Option<Relayout>, Failure> {
            let Some(view) = origins[place].workspace else { return Ok(None) };
            let layout = ViewType::try_from(view.r#type())?.layout().map_err(refused)?;
            Relayout::to(name, memory, layout.inner()).map(Some).map_err(Failure::Refused)
        };
        let [left, right] = problem.copy_names();
        let copies =
            [copied(left, problem.left(), order[0])?, copied(right, problem.right(), order[1])?];
        let unpacked = copied("c", problem.result(), 2)?;
        (own.copies, own.unpacked) = (Relayouts(copies), unpacked);
        Ok(own)
    }

    /// The element type of an operand: of A and B, of C, or of one of the epilogue.
    pub(crate) fn element(&self, number: usize) -> String {
        let fused = self.fusion.iter().flat_map(|fusion| &fusion.operands);
        let fused = fused.map(|operand| &operand.element);
        let mut all = self.matrices.iter().map(|matrix| &matrix.element).chain(fused);
        all.nth(number).cloned().unwrap_or_default()
    }

    /// The problem as it is between the copies.
    pub(crate) fn problem(&self) -> Result<Problem<'_>, Failure> {
        Ok(packed(&self.copies, self.unpacked.as_ref(), &self.source()?))
    }

    /// The problem of the operands themselves.
    pub(crate) fn source(&self) -> Result<Problem<'_>, Failure> {
        let [a, b, c] = &self.matrices;
        let alignment = |operand: usize| self.matrices[operand].alignment;
        let elements = self.inputs();
        let input = ops::multiplied_type(&a.element, &b.element).unwrap_or(&a.element);
        let input_bytes = element_bits("A", input)? / 8;
        Ok(Problem {
            a: &self.matrices[self.order[0]].layout,
            b: &self.matrices[self.order[1]].layout,
            c: &self.seen,
            alignments: self.order.map(alignment),
            input,
            input_bytes,
            elements,
            output_bits: element_bits("C", &c.element)?,
            schedule: &self.schedule,
            stores_to_workspace: false,
            sizes: &self.sizes,
            strided: self.order.map(|operand| self.matrices[operand].stated.is_strided()),
            dual: self.dual.as_ref().map(|(matrix, _)| Memory {
                layout: &matrix.layout,
                element_bytes: input_bytes,
                alignment: matrix.alignment,
                is_workspace: false,
                is_strided: matrix.stated.is_strided(),
            }),
            window: self.window,
        })
    }

    /// The element types of A and B, after `swap_ab`.
    pub(crate) fn inputs(&self) -> [&str; 2] {
        [self.order[0], self.order[1]].map(|operand| self.matrices[operand].element.as_str())
    }

    /// The extents of the GEMM in a kernel of these parameters, after `swap_ab`: those of a plan, where they
    /// are known.
    pub(crate) fn extents(
        &self,
        builder: &Builder<'c>,
        parameters: &[Val<'c>],
        (m, n, k): (i64, i64, i64),
        batch: Option<i64>,
    ) -> Result<Extents<'c>, melior::Error> {
        let e = Emit { b: *builder };
        let extent = |name: &str, known: i64| -> Result<Extent<'c>, melior::Error> {
            for (matrix, &argument) in self.matrices.iter().zip(&self.arguments) {
                let own = |extent: &Option<String>| extent.as_deref() == Some(name);
                if let Some(mode) = matrix.stated.extents.iter().position(own) {
                    return e.extent_of(parameters[argument], mode).map(Extent::At);
                }
            }
            Ok(Extent::Known(known))
        };
        let (rows, columns) = if self.schedule.swap_ab { ("n", "m") } else { ("m", "n") };
        Ok(Extents {
            m: extent(rows, m)?,
            n: extent(columns, n)?,
            k: extent("k", k)?,
            batch: batch.map(|batch| extent("batch", batch)).transpose()?,
        })
    }

    /// Its epilogue in a kernel of these parameters.
    pub(crate) fn bound(
        &self,
        builder: &Builder<'c>,
        parameters: &[Val<'c>],
        problem: &Problem<'_>,
    ) -> Result<Option<Bound<'_, 'c>>, melior::Error> {
        let views = self.fusion.iter().flat_map(|fusion| &fusion.operands).map(|operand| {
            match &operand.copy {
                Some(_) => Ok(parameters[operand.source]),
                None => transposed(builder, parameters[operand.argument], problem),
            }
        });
        let views = views.collect::<Result<Vec<_>, melior::Error>>()?;
        Ok(self.fusion.as_ref().map(|fusion| Bound::new(fusion, views)))
    }

    pub(crate) fn described(&self) -> KernelOperands<'_, 'c> {
        let Self { matrices, arguments, dual, fusion, sizes, window, .. } = self;
        let (dual, fusion) = (dual.as_ref(), fusion.as_ref());
        KernelOperands { matrices, arguments, dual, fusion, sizes, window: *window }
    }
}

/// An operand of the matmul.
pub(crate) struct Matrix {
    pub(crate) element: String,
    /// The layout; numbers stand for sizes that are known at run time.
    pub(crate) layout: Layout,
    /// The layout in the kernel's facts.
    pub(crate) stated: StatedLayout,
    /// Bytes that its address is a multiple of.
    pub(crate) alignment: i64,
}

/// The number of the function's argument that a value is.
pub(crate) fn position<'c>(
    body: BlockRef<'c, 'c>,
    value: Val<'c>,
    name: &str,
) -> Result<usize, Failure> {
    (0..body.argument_count()).find(|&i| tree::argument(body, i) == value).ok_or_else(|| {
        Failure::Refused(format!("expected {name} to be an argument of the function"))
    })
}

pub(crate) fn read(
    value: Val<'_>,
    name: &str,
    modes: &[&str],
    sizes: &Sizes,
) -> Result<Matrix, Failure> {
    let alignment = pointers::alignment(value);
    let view = ViewType::try_from(value.r#type())?;
    if view.space() != Space::Global {
        return Err(Failure::Refused(format!(
            "expected operands in global memory, found {}",
            value.r#type()
        )));
    }
    let (layout, stated) = sizes.layout(name, view, modes)?;
    let element = view.element_type().to_string();
    let bytes = element_bits("operands", &element)? / 8;
    if alignment % bytes != 0 {
        return Err(Failure::Refused(format!(
            "expected operands at multiples of the {bytes} bytes of their elements, found one with \
             llvm.align = {alignment}"
        )));
    }
    Ok(Matrix { element, layout, stated, alignment })
}

/// The layout of a matrix's transpose, or of those of a batch.
pub(crate) fn turned(name: &str, layout: &Layout) -> Result<Layout, Failure> {
    let mut modes = layout.modes();
    if !matches!(modes.len(), 2 | 3) {
        return Err(Failure::Refused(format!("expected {name} of rank 2 or 3, found {layout}")));
    }
    modes.swap(0, 1);
    Ok(Layout::make_layout(&modes)?)
}

/// C, or a matrix of its shape, after `swap_ab`.
pub(crate) fn transposed<'c>(
    builder: &Builder<'c>,
    c: Val<'c>,
    problem: &Problem<'_>,
) -> Result<Val<'c>, melior::Error> {
    if !problem.schedule.swap_ab {
        return Ok(c);
    }
    let modes = problem.c.modes();
    let extent = |i: usize| modes.get(i).map_or(1, Layout::size);
    let known = problem.sizes.is_empty();
    let e = Emit { b: *builder };
    e.turned(c, (extent(0), extent(1)), problem.batch(), known)
}

pub(crate) fn element_bits(name: &str, element: &str) -> Result<i64, Failure> {
    match element {
        "f8E4M3FN" | "f8E5M2" | "i8" => Ok(8),
        "f16" | "bf16" => Ok(16),
        "f32" | "i32" => Ok(32),
        "f64" => Ok(64),
        _ => Err(Failure::Refused(format!(
            "expected {name} of f8E4M3FN, f8E5M2, f16, bf16, f32, f64, i8 or i32, found {element}"
        ))),
    }
}

/// The parts of the operation that plans depend on.
#[derive(Clone, Copy)]
pub(crate) struct Problem<'a> {
    pub(crate) a: &'a Layout,
    pub(crate) b: &'a Layout,
    pub(crate) c: &'a Layout,
    /// Bytes that the addresses of A, B and C are multiples of.
    pub(crate) alignments: [i64; 3],
    /// The element type that MMAs take: that of A and B, or of the wider of them, to which the other one is converted in
    /// registers.
    pub(crate) input: &'a str,
    /// Bytes of such an element.
    pub(crate) input_bytes: i64,
    /// The element types of A and B in memory.
    pub(crate) elements: [&'a str; 2],
    /// Bits of an element of C.
    pub(crate) output_bits: i64,
    pub(crate) schedule: &'a Schedule,
    /// Whether C is a workspace, which is copied after.
    pub(crate) stores_to_workspace: bool,
    /// Sizes that are known at run time; numbers stand for them in the layouts.
    pub(crate) sizes: &'a Sizes,
    /// Whether strides of A, B and C are among them.
    pub(crate) strided: [bool; 3],
    /// The second B, whose accumulators the epilogue takes too.
    pub(crate) dual: Option<Memory<'a>>,
    /// Where A, before `swap_ab`, is the im2col matrix of an image, which lies nowhere.
    pub(crate) window: Option<Window>,
}

impl Problem<'_> {
    /// The extents of the GEMM as the source has it.
    pub(crate) fn extents(&self, (m, n, k): (i64, i64, i64)) -> (i64, i64, i64) {
        if self.schedule.swap_ab { (n, m, k) } else { (m, n, k) }
    }

    /// The number of GEMMs with this A whose tiles a block computes together: two with a second B.
    pub(crate) fn factors(&self) -> i64 {
        if self.dual.is_some() { 2 } else { 1 }
    }

    /// The number of GEMMs of a batch.
    pub(crate) fn batch(&self) -> Option<i64> {
        self.c.mode(2).map(|batch| batch.size())
    }

    /// Whether no size of A or B, after `swap_ab`, is known at run time only.
    pub(crate) fn knows(&self, operand: usize) -> bool {
        let modes = MODES[if self.schedule.swap_ab { 1 - operand } else { operand }];
        !self.strided[operand] && modes.iter().all(|mode| self.sizes.get(mode).is_none())
    }

    /// Where A is, after `swap_ab`.
    pub(crate) fn left(&self) -> Memory<'_> {
        self.memory(0, self.a, self.bytes_of(0))
    }

    /// Where B is, after `swap_ab`.
    pub(crate) fn right(&self) -> Memory<'_> {
        self.memory(1, self.b, self.bytes_of(1))
    }

    /// Bytes of an element of A or B in memory, after `swap_ab`.
    pub(crate) fn bytes_of(&self, operand: usize) -> i64 {
        let of = self.elements.get(operand).filter(|of| **of != self.input);
        of.and_then(|of| element_bits("operands", of).ok())
            .map_or(self.input_bytes, |bits| bits / 8)
    }

    /// Whether A or B is converted in registers before it is multiplied.
    pub(crate) fn converts(&self) -> bool {
        self.elements.iter().any(|of| *of != self.input)
    }

    /// Where C is.
    pub(crate) fn result(&self) -> Memory<'_> {
        let is_workspace = self.stores_to_workspace;
        Memory { is_workspace, ..self.memory(2, self.c, self.output_bits / 8) }
    }

    fn memory<'l>(&self, operand: usize, layout: &'l Layout, element_bytes: i64) -> Memory<'l> {
        Memory {
            layout,
            element_bytes,
            alignment: self.alignments[operand],
            is_workspace: false,
            is_strided: self.strided[operand],
        }
    }

    /// Whether rows and columns of C, after `swap_ab`, are covered by one tile of these extents, whatever
    /// they are at run time.
    pub(crate) fn is_covered(&self, (rows, columns): (i64, i64)) -> (bool, bool) {
        let (m, n) = self.modes();
        (self.sizes.is_covered(m, rows), self.sizes.is_covered(n, columns))
    }

    /// The greatest rows and columns of C, after `swap_ab`, where they are known at run time.
    pub(crate) fn most(&self) -> (Option<i64>, Option<i64>) {
        let (m, n) = self.modes();
        let most = |name| self.sizes.get(name).map(|size| size.most);
        (most(m), most(n))
    }

    /// The names of the sizes that rows and columns of C are, after `swap_ab`.
    pub(crate) fn modes(&self) -> (&'static str, &'static str) {
        if self.schedule.swap_ab { ("n", "m") } else { ("m", "n") }
    }

    /// The source's names of A and B, after `swap_ab`.
    pub(crate) fn names(&self) -> [&'static str; 2] {
        if self.schedule.swap_ab { ["B", "A"] } else { ["A", "B"] }
    }

    /// The names of copies of A and B, after `swap_ab`.
    pub(crate) fn copy_names(&self) -> [&'static str; 2] {
        if self.schedule.swap_ab { ["b", "a"] } else { ["a", "b"] }
    }
}

fn refused(error: impl std::fmt::Display) -> Failure {
    Failure::Refused(error.to_string())
}
