//! The shared parts of the fuzz targets: terms evaluated call by call against a clock, operands for every
//! operation, and the laws that an answer must meet.

pub mod laws;
pub mod operands;

use layout_algebra::{Error, Term, Value};
use rustix::time::{ClockId, clock_gettime};
use std::{fmt::Display, time::Duration};

/// The time that an operation may take, instrumented and with overflow checks, on any input.
pub const LIMIT: Duration = Duration::from_millis(100);

/// The answer of `f`, which must come within [`LIMIT`] of processor time in one of five runs.
pub fn timed<T>(what: &dyn Display, f: impl Fn() -> T) -> T {
    let mut least = Duration::MAX;
    for _ in 0..5 {
        let start = now();
        let result = f();
        least = least.min(now() - start);
        if least <= LIMIT {
            return result;
        }
    }
    let text: String = what.to_string().chars().take(2000).collect();
    panic!("slow: expected at most {LIMIT:?}, found {least:?} for {text}");
}

/// Processor time of this thread.
fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).expect("time does not run backwards");
    Duration::new(seconds, u32::try_from(time.tv_nsec).expect("below a second"))
}

/// The value of a term, with each call timed on its own.
pub fn evaluate(term: &Term) -> Result<Value, Error> {
    match term {
        Term::Call { op, args } => {
            let values = args.iter().map(evaluate).collect::<Result<Vec<_>, _>>()?;
            let args = values.iter().cloned().map(Term::Literal).collect();
            let call = Term::Call { op: *op, args };
            let result = timed(&call, || call.eval());
            laws::check(*op, &values, &result);
            if let Err(error) = &result {
                timed(&call, || error.to_string());
            }
            result
        }
        _ => timed(term, || term.eval()),
    }
}
