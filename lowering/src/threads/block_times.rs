//! The known times of agents of several blocks: a tree by the digits of a block's number, whose unchanged parts are shared.
//!
//! A counter that every block acquires and releases knows of all blocks before. Since what is added to it shares all but one path with what
//! was there, and equal parts are found by their addresses, each block costs as many steps as its number has digits, and not as many as there
//! are blocks.

use std::rc::Rc;

/// The times that a thread knows of; threads that synchronised share one list.
pub(super) type Times = Rc<[u32]>;

/// Bits of a digit, and how many digits a block's number has.
const BITS: u32 = 4;
const DIGITS: u32 = u32::BITS / BITS;

/// The known times of agents of several blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks(Option<Rc<Node>>);

#[derive(Debug)]
enum Node {
    /// The nodes of blocks with each value of a digit, the highest first.
    Inner([Option<Rc<Node>>; 1 << BITS]),
    Leaf(Times),
}

impl Blocks {
    /// The times of a block's agents.
    pub(super) fn get(&self, block: u32) -> Option<&Times> {
        let mut node = self.0.as_deref()?;
        for digit in digits(block) {
            let Node::Inner(inner) = node else { return None };
            node = inner.get(digit)?.as_deref()?;
        }
        match node {
            Node::Leaf(times) => Some(times),
            Node::Inner(_) => None,
        }
    }

    /// These with the times of one block, in place of what they have of it.
    pub(super) fn with(&self, block: u32, times: &Times) -> Self {
        let digits: Vec<usize> = digits(block).collect();
        Self(Some(inserted(self.0.as_deref(), &digits, times)))
    }

    /// The latest times of these and of others.
    pub(super) fn with_all(&self, others: &Self) -> Self {
        match (&self.0, &others.0) {
            (Some(one), Some(other)) => Self(Some(joined(one, other))),
            (None, _) => others.clone(),
            (_, None) => self.clone(),
        }
    }

    /// Whether both are one tree.
    pub(super) fn is(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Rc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        }
    }
}

/// The digits of a block's number, the highest first.
fn digits(block: u32) -> impl Iterator<Item = usize> {
    let mask = (1 << BITS) - 1;
    (0..DIGITS).rev().map(move |digit| (block >> (digit * BITS) & mask) as usize)
}

fn inserted(node: Option<&Node>, digits: &[usize], times: &Times) -> Rc<Node> {
    let [digit, rest @ ..] = digits else { return Rc::new(Node::Leaf(times.clone())) };
    let mut inner = match node {
        Some(Node::Inner(inner)) => inner.clone(),
        _ => Default::default(),
    };
    if let Some(own) = inner.get_mut(*digit) {
        *own = Some(inserted(own.as_deref(), rest, times));
    }
    Rc::new(Node::Inner(inner))
}

/// The latest times of two trees: one of them, where the other adds nothing.
fn joined(one: &Rc<Node>, other: &Rc<Node>) -> Rc<Node> {
    if Rc::ptr_eq(one, other) {
        return one.clone();
    }
    match (&**one, &**other) {
        (Node::Leaf(own), Node::Leaf(times)) => {
            let all = later(own, times);
            match (Rc::ptr_eq(&all, own), Rc::ptr_eq(&all, times)) {
                (true, _) => one.clone(),
                (_, true) => other.clone(),
                _ => Rc::new(Node::Leaf(all)),
            }
        }
        (Node::Inner(own), Node::Inner(nodes)) => {
            let all: [Option<Rc<Node>>; 1 << BITS] = std::array::from_fn(|at| {
                match (own.get(at).cloned().flatten(), nodes.get(at).cloned().flatten()) {
                    (Some(one), Some(other)) => Some(joined(&one, &other)),
                    (one, other) => one.or(other),
                }
            });
            let is = |whole: &[Option<Rc<Node>>; 1 << BITS]| {
                whole.iter().zip(&all).all(|pair| match pair {
                    (Some(one), Some(other)) => Rc::ptr_eq(one, other),
                    (None, None) => true,
                    _ => false,
                })
            };
            match (is(own), is(nodes)) {
                (true, _) => one.clone(),
                (_, true) => other.clone(),
                _ => Rc::new(Node::Inner(all)),
            }
        }
        // All paths have one length.
        (Node::Leaf(_), Node::Inner(_)) | (Node::Inner(_), Node::Leaf(_)) => one.clone(),
    }
}

/// The latest times of two lists: one of them, where the other adds nothing.
pub(super) fn later(one: &Times, other: &Times) -> Times {
    let covers = |long: &Times, short: &Times| {
        long.len() >= short.len() && long.iter().zip(&**short).all(|(own, time)| own >= time)
    };
    if Rc::ptr_eq(one, other) || covers(one, other) {
        return one.clone();
    }
    if covers(other, one) {
        return other.clone();
    }
    let (long, short) = if one.len() < other.len() { (other, one) } else { (one, other) };
    let at = |(place, &time): (usize, &u32)| short.get(place).map_or(time, |&t| t.max(time));
    long.iter().enumerate().map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(list: &[u32]) -> Times {
        list.into()
    }

    #[test]
    fn trees_join_to_the_latest_times() {
        let one = Blocks::default().with(3, &times(&[1, 4])).with(70_000, &times(&[2]));
        let other = Blocks::default().with(3, &times(&[2, 3, 5])).with(9, &times(&[7]));
        let all = one.with_all(&other);
        assert_eq!(all.get(3).map(|own| &**own), Some(&[2, 4, 5][..]));
        assert_eq!(all.get(9).map(|own| &**own), Some(&[7][..]));
        assert_eq!(all.get(70_000).map(|own| &**own), Some(&[2][..]));
        assert!(all.get(4).is_none() && Blocks::default().get(0).is_none());
        assert_eq!(all.with(9, &times(&[1])).get(9).map(|own| &**own), Some(&[1][..]));
    }

    #[test]
    fn trees_that_add_nothing_are_shared() {
        let one = Blocks::default().with(3, &times(&[1, 4]));
        let more = one.with(5, &times(&[2]));
        assert!(more.with_all(&one).is(&more) && one.with_all(&more).is(&more));
        assert!(more.with_all(&more).is(&more) && !one.is(&more));
    }
}
