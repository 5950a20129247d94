//! Barriers that a kernel initialises itself, and the bulk copies that they count.

use super::{
    Address, Failure, Located, Lowering,
    address::offset_pointer,
    cluster::Cluster,
    pipeline::{Stage, loaded, wait},
    warps, wgmma,
};
use layout_dialect::{
    Space, ViewType,
    build::{Builder, Val, operand, result},
    tree,
};
use melior::ir::{
    OperationRef, RegionLike, Type, ValueLike, attribute::IntegerAttribute,
    operation::OperationLike,
};

const BARRIERS: &str = "layout.barriers";

impl<'c> Lowering<'c> {
    /// Makes them, by one thread; the last of several in a row lets all threads see them.
    pub(super) fn barriers(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        const BYTES: i64 = 8;
        let value = result(operation, 0);
        let view = ViewType::try_from(value.r#type())?;
        let layout = view.layout()?;
        let inner = super::address::inner(&layout);
        let bytes = inner.cosize()?.checked_mul(BYTES).ok_or_else(Failure::overflow)?;
        let mut places = Vec::new();
        for i in 0..inner.size() {
            places.push(inner.at(i)?);
        }
        let pointer = self.shared_buffer(operation.location(), bytes, None)?;
        let element = b.integer(64);
        let address = Address::root(b, layout, Space::Shared, element, Some(pointer))?;
        self.bind(value, address.plainly(self.plain));
        let arrivals = IntegerAttribute::try_from(operation.attribute("arrivals")?)?.value();
        let thread = warps::thread(b, self.function)?;
        let barriers =
            places.into_iter().map(|place| (pointer, place, arrivals)).collect::<Vec<_>>();
        self.initialise(b, thread, &barriers)?;
        let follows = operation.next_in_block().is_some_and(|next| tree::name(next) == BARRIERS);
        if !follows {
            b.operation("gpu.barrier", &[], &[], &[], vec![])?;
        }
        Ok(())
    }

    /// Has one thread make barriers, each of a pointer, a number after it and how often is arrived at it, and other
    /// proxies see them.
    pub(super) fn initialise(
        &mut self,
        b: &Builder<'c>,
        thread: Val<'c>,
        barriers: &[(Val<'c>, i64, i64)],
    ) -> Result<(), Failure> {
        let none = b.constant(Type::index(self.context), 0)?;
        let first = b.equal(thread, none)?;
        let opening = &mut self.first;
        b.branch(
            first,
            &[],
            |b| {
                for &(pointer, number, arrivals) in barriers {
                    let count = b.constant(b.integer(32), arrivals)?;
                    let barrier = offset_pointer(&b, pointer, b.integer(64), None, number)?;
                    b.operation("nvvm.mbarrier.init", &[barrier, count], &[], &[], vec![])?;
                }
                let seen = b.operation("nvvm.fence.mbarrier.init", &[], &[], &[], vec![])?;
                if let Some(block) = seen.block() {
                    opening.get_or_insert(Builder::at_start(b.context(), b.location(), block));
                }
                Ok::<_, Failure>(vec![])
            },
            None,
        )?;
        Ok(())
    }

    pub(super) fn arrive(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        const LAST_LANE: i64 = layout_dialect::atoms::WARP - 1;
        let barrier = self.point(b, operation, 0)?.stepped_pointer(b)?;
        let warp = b.constant(b.integer(32), -1)?;
        b.operation("nvvm.bar.warp.sync", &[warp], &[], &[], vec![])?;
        let index = Type::index(self.context);
        let thread = warps::thread(b, self.function)?;
        let lane = b.binary("arith.andi", thread, b.constant(index, LAST_LANE)?)?;
        let first = b.equal(lane, b.constant(index, 0)?)?;
        b.branch(
            first,
            &[],
            |b| {
                b.value("nvvm.mbarrier.arrive", &[barrier], b.integer(64), &[])?;
                Ok::<_, Failure>(vec![])
            },
            None,
        )?;
        Ok(())
    }

    /// Phases alternate in parity, which is what the instruction requires.
    pub(super) fn wait_at_barrier(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        let barrier = self.point(b, operation, 1)?.stepped_pointer(b)?;
        let i32_type = b.integer(32);
        let phase = b.value("arith.index_cast", &[operand(operation, 0)], i32_type, &[])?;
        let parity = b.binary("arith.andi", phase, b.constant(i32_type, 1)?)?;
        wait(b, barrier, parity)
    }

    /// One arrival with the bytes of all copies, and then the copies.
    pub(super) fn transaction(
        &mut self,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Located<'c>> {
        let at = |failure: Failure| (operation, failure);
        let b = Builder::before(operation);
        let open = || -> Result<_, Failure> {
            let barrier = self.point(&b, operation, 0)?.stepped_pointer(&b)?;
            let bytes = b.constant(b.integer(32), loaded(operation, 0)?)?;
            b.operation("nvvm.mbarrier.arrive.expect_tx", &[barrier, bytes], &[], &[], vec![])?;
            let block = operation.region(0)?.first_block();
            let block = block
                .ok_or_else(|| Failure::refused("expected a region with a block, found none"))?;
            Ok((barrier, tree::operations(block)))
        };
        let (barrier, operations) = open().map_err(at)?;
        let cluster = self.multicasts(&b, &operations)?;
        for &inner in &operations {
            b.adopt(inner);
        }
        self.stage = Some(Stage { barrier: Some(barrier), cluster, ..Stage::default() });
        for inner in
            operations.into_iter().flat_map(|inner| [vec![inner], tree::all(inner)].concat())
        {
            if tree::name(inner).starts_with("layout.") {
                self.located(inner)?;
            }
        }
        self.stage = None;
        Ok(())
    }

    /// The blocks that loads are for, where one is multicast.
    fn multicasts(
        &self,
        b: &Builder<'c>,
        operations: &[OperationRef<'c, 'c>],
    ) -> Result<Option<Cluster<'c>>, Located<'c>> {
        let mut all = operations.iter().flat_map(|&inner| [vec![inner], tree::all(inner)].concat());
        let Some(copy) = all.find(|copy| copy.attribute("multicast").is_ok()) else {
            return Ok(None);
        };
        let blocks = crate::derive::cluster_of(self.function).unwrap_or(1);
        match Cluster::new(b, (blocks, 1)).map_err(|failure| (copy, failure))? {
            Some(cluster) => Ok(Some(cluster)),
            None => Err((
                copy,
                Failure::refused(
                    "expected a multicast load in a kernel with a cluster, found none; cluster in layout.kernel states its blocks",
                ),
            )),
        }
    }

    pub(super) fn wait_mma(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        let pending = IntegerAttribute::try_from(operation.attribute("pending")?)?.value();
        let view = self.view(operand(operation, 0))?.clone();
        wgmma::wait_for_sums(b, &view, pending)
    }
}
