//! Nothing aborts, nothing hangs: limits, bad text and strange operands are error values.

use crate::algorithms;
use crate::support;

use std::time::{Duration, Instant};

use algorithms::layout_from_shape;
use layout_algebra::{Layout, Swizzle, Tuple};
use layout_relation::{
    Context, Error, IntegerSet, Limit, Limits, Relation, binary_coordinate_mapping,
    coordinate_mapping, coordinate_spaces, index_mapping_of, layout_mapping, least_rank_layout,
    swizzle_mapping,
};
use support::{context, layout};

/// A mapping whose injectivity takes ISL minutes: a swizzle twice, on integers.
fn hard(context: &Context) -> Relation {
    let mapping = swizzle_mapping(context, &Swizzle::new(3, 4, 4).unwrap()).unwrap();
    mapping.then(&mapping).unwrap()
}

#[test]
fn time_is_kept() {
    let context = context();
    let hard = hard(&context);
    let time = Duration::from_millis(200);
    context.set_limits(Limits { operations: 0, time });
    let start = Instant::now();
    let error = hard.is_injective().unwrap_err();
    assert_eq!(error, Error::Limit { operation: "is_injective", limit: Limit::Time(time) });
    assert_eq!(error.to_string(), "is_injective: expected an answer within 200ms, found none");
    context.set_limits(Limits::default());
    // A busy machine adds to it.
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    // The context is as good as new.
    let mapping = layout_mapping(&context, &layout("(4,2):(1,16)")).unwrap();
    assert_eq!(mapping.cosize().unwrap(), 20);
}

#[test]
fn questions_share_the_time_of_the_whole() {
    let time = Duration::from_millis(100);
    let context = Context::new(Limits { operations: 0, time }).unwrap();
    let mapping = layout_mapping(&context, &layout("4:1")).unwrap();
    let start = Instant::now();
    let result = context.within(|| -> layout_relation::Result<()> {
        loop {
            mapping.is_injective()?;
        }
    });
    assert!(matches!(result, Err(Error::Limit { limit: Limit::Time(_), .. })), "{result:?}");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn operations_are_counted() {
    let limits = Limits { operations: 20_000, time: Duration::from_secs(60) };
    let context = Context::new(limits).unwrap();
    let mapping = layout_mapping(&context, &layout("(4,2):(1,16)")).unwrap();
    assert!(mapping.at(&[0]).is_ok());
    context.set_limits(Limits { operations: 1, ..limits });
    assert_eq!(
        mapping.is_injective().unwrap_err().to_string(),
        "is_injective: expected an answer within 1 operations of ISL, found none"
    );
    let text = "{ [c] -> [c mod 7] : 0 <= c < 100 }";
    assert_eq!(
        message(Relation::parse(&context, text)),
        "read: expected an answer within 1 operations of ISL, found none"
    );
    context.set_limits(limits);
    assert!(mapping.is_injective().unwrap());
}

/// ISL gives what it has counted so far when a limit ends it; that is no answer.
#[test]
fn a_count_that_was_ended_is_an_error() {
    let context = context();
    let text = |n: i64| format!("{{ [i, j] : 0 <= i, j < {n} and (3i + j) mod 7 = 2 }}");
    let many = IntegerSet::parse(&context, &text(1_000_000)).unwrap();
    context.set_limits(Limits { operations: 0, time: Duration::from_millis(20) });
    assert_eq!(message(many.count()), "count: expected an answer within 20ms, found none");
    context.set_limits(Limits { operations: 100_000, time: Duration::from_secs(60) });
    assert_eq!(
        message(many.count()),
        "count: expected an answer within 100000 operations of ISL, found none"
    );
    context.set_limits(support::LIMITS);
    let some = IntegerSet::parse(&context, &text(70)).unwrap();
    assert_eq!(some.count().unwrap(), 700);
}

#[test]
fn many_threads_keep_their_own_time() {
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| {
            let context = support::context();
            let hard = hard(&context);
            context.set_limits(Limits { operations: 0, time: Duration::from_millis(100) });
            hard.is_injective().is_err()
        });
        let context = context();
        for _ in 0..50 {
            let mapping = layout_mapping(&context, &layout("(4,2):(1,16)")).unwrap();
            assert!(mapping.is_injective().unwrap());
        }
        assert!(slow.join().unwrap());
    });
}

fn message<T>(result: layout_relation::Result<T>) -> String {
    match result {
        Ok(_) => "an answer".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn bad_text_is_an_error() {
    let context = context();
    for (text, expected) in [
        ("", "expected a relation, found ``"),
        ("{ [c] -> [2c : }", "expected a relation, found `{ [c] -> [2c : }`"),
        ("{ [c] -> [c*c] }", "expected a relation, found `{ [c] -> [c*c] }`"),
        (
            "a\0b",
            "expected letters, digits and `_'[]{}()+-*/%<>=!~&|,:;`, found `\\u{0}` at byte 1",
        ),
        // ISL would be busy with this number for hours, within its limits.
        (
            "{ [c] -> [c] : c = 9^999999999 }",
            "expected letters, digits and `_'[]{}()+-*/%<>=!~&|,:;`, found `^` at byte 20",
        ),
        // This would end the process.
        (
            "{ [c] -> [1//0] }",
            "expected `/` between a whole and its divisor, found `//` at byte 11",
        ),
    ] {
        assert_eq!(message(Relation::parse(&context, text)), expected);
    }
    assert_eq!(
        message(IntegerSet::parse(&context, "{ [c] -> [c] }")),
        "expected a set, found `{ [c] -> [c] }`"
    );
    let long = format!("{{ [c] -> [c] : c = {} }}", "1 + ".repeat(40));
    assert_eq!(
        message(Relation::parse(&context, &long)),
        format!("expected a relation, found `{}…`", &long[..80])
    );
}

/// ISL's parser descends on the stack; text that nests too deep never reaches it.
#[test]
fn deep_text_is_an_error() {
    let context = context();
    let deep = |open: &str, close: &str, count: usize| {
        format!("{{ [c] -> [{}c{}] }}", open.repeat(count), close.repeat(count))
    };
    for (open, close) in [("(", ")"), ("-", ""), ("- ", ""), ("floor(", "/2)"), ("-(", ")")] {
        let found = message(Relation::parse(&context, &deep(open, close, 4_000)));
        assert!(found.starts_with("expected text that nests at most 200 deep"), "{found}");
    }
    let not = format!("{{ [c] : {} c = 0 }}", "not ".repeat(10_000));
    let found = message(IntegerSet::parse(&context, &not));
    assert!(found.starts_with("expected text that nests at most 200 deep"), "{found}");
    assert_eq!(
        message(Relation::parse(&context, &" ".repeat(70_000))),
        "expected at most 65536 bytes of text, found 70000"
    );
    assert_eq!(
        message(Relation::parse(&context, &format!("{{ [c] -> [{}] }}", "9".repeat(101)))),
        "expected numbers of at most 100 digits, found a longer one"
    );
    assert_eq!(
        Relation::parse(&context, &deep("(", ")", 50)).unwrap().at(&[3]).unwrap(),
        Some(vec![3])
    );
}

#[test]
fn huge_coefficients_are_errors_only_where_they_are_read() {
    let context = context();
    let digits = "9".repeat(60);
    let mapping = Relation::parse(&context, &format!("{{ [c] -> [{digits}c] : 0 <= c < 4 }}"));
    let mapping = mapping.unwrap();
    assert!(mapping.is_injective().unwrap());
    assert_eq!(
        message(mapping.at(&[1])),
        format!("expected an integer within 64 bits, found {digits}")
    );
    assert_eq!(mapping.at(&[0]).unwrap(), Some(vec![0]));
    let wide = layout("(2,2):(9223372036854775807,9223372036854775807)");
    let mapping = layout_mapping(&context, &wide).unwrap();
    assert!(!mapping.is_injective().unwrap());
    assert_eq!(
        message(mapping.cosize()),
        "expected an integer within 64 bits, found 18446744073709551614"
    );
}

#[test]
fn empty_and_unbounded_sets_are_errors_where_there_is_no_answer() {
    let context = context();
    let empty = Relation::parse(&context, "{ [c] -> [c] : c < 0 and c > 0 }").unwrap();
    assert!(empty.is_empty().unwrap() && empty.is_injective().unwrap());
    assert_eq!(empty.at(&[0]).unwrap(), None);
    assert_eq!(
        message(empty.size()),
        "size({ [c] : false }): expected at least one integer, found none"
    );
    let all = Relation::parse(&context, "{ [c] -> [2c] }").unwrap();
    assert_eq!(
        message(all.cosize()),
        "cosize({ [i0] : (i0) mod 2 = 0 }): expected a bounded set, found one without bounds"
    );
    assert_eq!(
        message(all.domain().unwrap().count()),
        "count({ [c] }): expected a bounded set, found one without bounds"
    );
    assert_eq!(
        message(all.domain().unwrap().least()),
        "lexmin: expected an answer of ISL, found its error `unbounded optimum`"
    );
    let symbolic = Relation::parse(&context, "[n] -> { [c] -> [c] : 0 <= c < n }").unwrap();
    assert!(symbolic.is_injective().unwrap());
    assert!(symbolic.at(&[0]).is_err() && symbolic.size().is_err());
    assert_eq!(
        message(least_rank_layout(&empty)),
        "size({ [c] : false }): expected at least one integer, found none"
    );
    let holes = Relation::parse(&context, "{ [c] -> [c] : 0 <= c < 9 and c mod 2 = 0 }").unwrap();
    assert_eq!(
        message(least_rank_layout(&holes)),
        "least_rank_layout({ [c] -> [c] : (c) mod 2 = 0 and 0 <= c <= 8 }): expected the domain to \
         be an interval from 0, found no image at 1"
    );
}

#[test]
fn wrong_dimensions_are_errors() {
    let context = context();
    let mapping = layout_mapping(&context, &layout("4:1")).unwrap();
    assert_eq!(message(mapping.at(&[1, 2])), "at: expected a tuple of 1 integers, found 2");
    let pair = coordinate_mapping(&context, &"(2,2)".parse().unwrap()).unwrap();
    assert_eq!(
        message(pair.then(&mapping)),
        "apply_range: expected an answer of ISL, found its error `Assertion \"isl_space_tuple_is_equal(left, isl_dim_out, right, isl_dim_in)\" failed`"
    );
    assert_eq!(
        message(least_rank_layout(&pair)),
        "least_rank_layout: expected a mapping from 1 to 1 dimensions, found 1 to 2"
    );
    assert_eq!(
        message(least_rank_layout(
            &Relation::parse(&context, "{ [c] -> [i] : 0 <= c, i < 2 }").unwrap()
        )),
        "least_rank_layout({ [c] -> [i] : 0 <= c <= 1 and 0 <= i <= 1 }): expected one image for \
         each coordinate, found more than one for some"
    );
    assert_eq!(
        message(binary_coordinate_mapping(&context, 63)),
        "binary_coordinate_mapping: expected at most 62 bits, found 63"
    );
    assert_eq!(
        message(index_mapping_of(
            &context,
            &layout("(4,(2,2)):(2,(1,8))"),
            &"(2,8)".parse().unwrap()
        )),
        "expected a shape that is compatible with (4,(2,2)), found (2,8)"
    );
    assert_eq!(
        message(coordinate_spaces(&"((4,2),(2,2))".parse().unwrap(), 3)),
        "coordinate_spaces(((4,2),(2,2))): expected no more coordinate spaces than the limit, \
         found more than 3"
    );
}

#[test]
fn contexts_do_not_mix() {
    let (one, other) = (context(), context());
    let a = layout_mapping(&one, &layout("4:1")).unwrap();
    let b = layout_mapping(&other, &layout("4:1")).unwrap();
    assert_eq!(message(a.is_equal(&b)), "expected operands of one context, found two contexts");
    assert_eq!(message(a.then(&b)), "expected operands of one context, found two contexts");
}

/// A shape of no modes has one coordinate: the empty tuple.
#[test]
fn rank_0_is_a_relation() {
    let context = context();
    let empty = Tuple::Node(Vec::new());
    let layout = Layout::new(empty.clone(), empty.clone()).unwrap();
    let mapping = layout_mapping(&context, &layout).unwrap();
    assert_eq!(mapping.at(&[0]).unwrap(), Some(vec![0]));
    assert_eq!((mapping.size().unwrap(), mapping.cosize().unwrap()), (1, 1));
    assert_eq!(layout_from_shape(&mapping, &empty).unwrap(), Ok(layout));
}
