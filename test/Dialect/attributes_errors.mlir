// RUN: layout-opt %s --split-input-file --verify-diagnostics

// Every error of a term is at the character that it is about.

// expected-error @+1 {{[syntax] expected the end, found `,`}}
func.func private @f() attributes {x = #layout<4,2>}

// -----

// expected-error @+2 {{[incongruent] expected a stride congruent to the shape (4,2), found (1)}}
// expected-note @+1 {{hint: (1,4) is congruent}}
func.func private @f() attributes {x = #layout<(4,2):(1,)>}

// -----

// expected-error @+2 {{[incongruent] expected a stride congruent to the shape (4,2), found (1,2,3)}}
// expected-note @+1 {{hint: (1,4) is congruent}}
func.func private @f() attributes {x = #layout<(4,2):(1,2,3)>}

// -----

// expected-error @+1 {{[syntax] expected `,` or `)`, found `(`}}
func.func private @f() attributes {x = #layout<composition((4,2):(1,4)  (2,2))>}

// -----

// expected-error @+2 {{[syntax] expected an operation of the algebra, found `compose`}}
// expected-note @+1 {{hint: did you mean 'composition'?}}
func.func private @f() attributes {x = #layout<compose(4:1, 2:1)>}

// -----

// expected-error @+2 {{[extent] expected extents of at least 1, found 0 in 0}}
// expected-note @+1 {{hint: 1 is the least}}
func.func private @f() attributes {x = #layout<0:1>}

// -----

// expected-error @+1 {{[syntax] expected an integer of 64 bits, found one of 20 digits}}
func.func private @f() attributes {x = #layout<99999999999999999999:1>}

// -----

// expected-error @+2 {{[syntax] expected a term, an integer, `_` or `(`, found `M`}}
// expected-note @+1 {{hint: a size that is known at run time is written `?`, with facts in braces}}
func.func private @f(!layout<(M,8):(8,1)>)

// -----

// expected-error @+1 {{[syntax] expected a term, an integer, `_` or `(`, found the end}}
func.func private @f() attributes {x = #layout<>}

// -----

// expected-error @+1 {{[syntax] expected `,`, found `>`}}
func.func private @f() attributes {x = #layout<S<3,3> o 0 o 8:1>}

// -----

// expected-error @+1 {{[limit] bits that a swizzle reaches: expected at most 62, found 123}}
func.func private @f() attributes {x = #layout<S<60,60,3> o 0 o 8:1>}

// -----

// expected-error @+1 {{[syntax] expected a term, an integer, `_` or `(`, found `?`}}
func.func private @f() attributes {x = #layout<(?,4)>}

// -----

// expected-error @+1 {{expected no type after a layout attribute, found 'i32'}}
func.func private @f() attributes {x = #layout<4:1> : i32}

// -----

// expected-error @+2 {{[atom] expected the name of an atom, found 'mma_m16n8k16_f64'}}
// expected-note @+1 {{hint: did you mean 'fma_m4n8k1_f64'?}}
func.func private @f() attributes {x = #layout.atom<mma_m16n8k16_f64>}

// -----

// expected-error @+1 {{[syntax] expected the end of the atom's name, found ','}}
func.func private @f() attributes {x = #layout.atom<simt_1, simt_2>}

// -----

// expected-error @+1 {{[schedule-key] expected 'stages' in a schedule, found none}}
func.func private @f() attributes {x = #layout.schedule<tile = (128,128,32), warps = (2,2)>}

// -----

// expected-error @+1 {{[syntax] expected ',', found ')'}}
func.func private @f() attributes {x = #layout.schedule<tile = (128,128), warps = (2,2), stages = 3>}

// -----

// expected-error @+1 {{[schedule-value] expected an integer from 1 to 65536, found '0'}}
func.func private @f() attributes {x = #layout.schedule<tile = (128,128,32), warps = (2,0), stages = 3>}

// -----

// expected-error @+2 {{[schedule-key] expected 'stages' once, found it again}}
// expected-error @+1 {{[schedule-key] expected 'warps' in a schedule, found none}}
func.func private @f() attributes {x = #layout.schedule<tile = (128,128,32), stages = 3, stages = 3>}

// -----

// expected-error @+4 {{[schedule-key] expected one of 'tile', 'warps', 'stages', 'mma', 'two_level_accumulation', 'swap_ab', 'cluster', 'split_k', 'stream_k', 'ping_pong', 'epilogue_stages', 'raster' and 'chip', found 'depth'}}
// expected-error @+3 {{[schedule-key] expected 'tile' in a schedule, found none}}
// expected-error @+2 {{[schedule-key] expected 'warps' in a schedule, found none}}
// expected-error @+1 {{[schedule-key] expected 'stages' in a schedule, found none}}
func.func private @f() attributes {x = #layout.schedule<depth = 3>}

// -----

// Keys of before 0.1 are named as they are called now.

// expected-error @+5 {{[schedule-key] expected 'two_level_accumulation', the new name of 'promote', found 'promote'}}
// expected-error @+4 {{[schedule-key] expected 'swap_ab', the new name of 'exchange', found 'exchange'}}
// expected-error @+3 {{[schedule-key] expected 'split_k', the new name of 'splits', found 'splits'}}
// expected-error @+2 {{[schedule-key] expected 'ping_pong', the new name of 'teams', found 'teams'}}
// expected-error @+1 {{[schedule-key] expected 'epilogue_stages', the new name of 'buffers', found 'buffers'}}
func.func private @f() attributes {x = #layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, exchange = true, splits = 2, teams = 2, buffers = 2, promote = true>}

// -----

// Two sets of warps are `true`, none is 1, and others are a number.

// expected-error @+1 {{[schedule-value] expected 'true', 'false' or an integer from 1 to 65536, found 'maybe'}}
func.func private @f() attributes {x = #layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, ping_pong = maybe>}

// -----

// expected-error @+1 {{[schedule-value] expected the name of an MMA atom, found 'ldmatrix_x4'}}
func.func private @f() attributes {x = #layout.schedule<tile = (1,1,1), warps = (1,1), stages = 1, mma = ldmatrix_x4>}

// -----

// expected-error @+1 {{[schedule-value] expected the name of a chip, such as "sm_80", found '"'}}
func.func private @f() attributes {x = #layout.schedule<tile = (1,1,1), warps = (1,1), stages = 1, chip = "gfx90a">}

// -----

// A cost model chooses: its chip is one of those that are described.

// expected-error @+1 {{[schedule-value] expected one of the chips sm_80, sm_86, sm_87, sm_89, sm_90a, sm_100a}}
func.func private @f() attributes {x = #layout.schedule<auto, chip = "sm_9">}

// -----

// expected-error @+1 {{[syntax] expected ',' or the end of the schedule, found 'chip'}}
func.func private @f() attributes {x = #layout.schedule<tile = (1,1,1), warps = (1,1), stages = 1 chip = "sm_80">}

// -----

// expected-error @+1 {{[schedule-key] expected 'chip' or 'two_level_accumulation', which are all that 'auto' takes, found 'stages'}}
func.func private @f() attributes {x = #layout.schedule<auto, stages = 3>}
