//! Loops of a kernel's threads, with barriers in them.

use layout_oracle::{
    compare,
    interpret::{Stop, decode::Reader, value::Value},
    ir::Op,
    passes,
};
use melior::ir::Module;

/// The number of rounds of a loop over `ty` in a kernel of one thread, which stores it.
fn rounds(ty: &str, bounds: [i64; 3], unsigned: bool) -> Result<u64, Stop> {
    let [from, to, step] = bounds;
    let sign = if unsigned { "unsigned " } else { "" };
    let text = format!(
        "module attributes {{gpu.container_module}} {{
          gpu.module @m {{
            gpu.func @k(%p: !llvm.ptr) kernel {{
              %zero = arith.constant 0 : i64
              %one = arith.constant 1 : i64
              llvm.store %zero, %p : i64, !llvm.ptr
              %from = arith.constant {from} : {ty}
              %to = arith.constant {to} : {ty}
              %step = arith.constant {step} : {ty}
              scf.for {sign}%i = %from to %to step %step : {ty} {{
                %x = llvm.load %p : !llvm.ptr -> i64
                %y = arith.addi %x, %one : i64
                llvm.store %y, %p : i64, !llvm.ptr
                gpu.barrier
              }}
              gpu.return
            }}
          }}
          func.func @p(%p: !llvm.ptr) -> i64 {{
            %c1 = arith.constant 1 : index
            gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%p : !llvm.ptr)
            %x = llvm.load %p : !llvm.ptr -> i64
            return %x : i64
          }}
        }}"
    );
    let (context, messages) = passes::context();
    let module = Module::parse(&context, &text);
    let module = module.unwrap_or_else(|| panic!("expected a module, found {messages:?}"));
    let functions = Reader::default().functions(Op(module.as_operation().to_raw()));
    let (values, memory) = compare::arguments(&functions["p"], 0).expect("a pointer");
    match compare::run(&functions, "p", &values, memory, false, false)?.results.as_slice() {
        [Value::Bits(rounds)] => Ok(*rounds),
        found => panic!("expected a number, found {found:?}"),
    }
}

#[test]
fn loops_without_a_sign_pass_the_greatest_number_with_one() {
    assert_eq!(rounds("i8", [126, -126, 2], true).ok(), Some(2));
    assert_eq!(rounds("i32", [2147483647, -2147483645, 1], true).ok(), Some(4));
    assert_eq!(rounds("i8", [126, -126, 2], false).ok(), Some(0));
    assert_eq!(rounds("i8", [-3, 3, 2], false).ok(), Some(3));
}

#[test]
fn counters_that_pass_the_end_of_their_type_are_undefined() {
    assert!(matches!(rounds("i8", [125, 127, 2], false), Ok(1)));
    assert!(matches!(rounds("i8", [125, 127, 3], false), Err(Stop::Undefined(_))));
    assert!(matches!(rounds("i8", [-4, -1, 3], true), Ok(1)));
    assert!(matches!(rounds("i8", [-4, -1, 4], true), Err(Stop::Undefined(_))));
}
