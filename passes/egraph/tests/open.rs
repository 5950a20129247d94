//! Random chains of layouts with open leaves: digits of an index in a shape whose extents are unknown, and
//! layouts applied to them. The cheapest arithmetic is equal, no more expensive, and the same on every run.

use crate::random;

use layout_egraph::{
    Settings, agree,
    cost::{Chip, Model},
    optimise, read, write,
};
use layout_random::{cases, prelude::*};

fn settings() -> Settings {
    Settings::new(Model::Nvptx(Chip::named("sm_90a").expect("a chip")), 32)
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn chains_of_open_layouts_keep_their_values(text in random::chains()) {
        let expr = read(&text).expect("a term");
        let root = [(expr.len() - 1).into()];
        let found = optimise(&expr, &root, &settings()).expect("facts that agree");
        let cheapest = write(&found.expr);
        prop_assert!(agree(&expr, &found.expr, 32).is_some(), "{text} -> {cheapest}");
        prop_assert!(found.summary.cost_after <= found.summary.cost_before, "{text}");
        prop_assert!(!cheapest.contains("crd2idx"), "{text} -> {cheapest}");
        let again = optimise(&expr, &root, &settings()).expect("facts that agree");
        prop_assert_eq!(&found.expr, &again.expr);
    }
}
