// Host code of upstream's dialects that launches kernels of Hopper: one of rows known at run time, one with a workspace,
// and one in clusters.

!rows = !layout.view<bf16, global, (?{range=1..4096},512):(512,1)>
!square = !layout.view<bf16, global, (512,512):(512,1)>

module attributes {gpu.container_module} {
  func.func private @dense(%a: !rows, %b: !square, %c: !rows) {
    layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,64), warps = (8,1), stages = 3, chip = "sm_90a">) : !rows, !square, !rows
    return
  }

  func.func private @split(%a: !square, %b: !square, %c: !square) {
    layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,64), warps = (8,1), stages = 3, split_k = 2, chip = "sm_90a">) : !square, !square, !square
    return
  }

  gpu.module @clusters {
    gpu.func @clustered(%n: i32) kernel {
      gpu.return
    }
  }

  func.func @main() {
    %m = arith.constant 300 : i32
    %rows = arith.index_cast %m : i32 to index
    %x = gpu.alloc (%rows) : memref<?x512xbf16>
    %w = gpu.alloc () : memref<512x512xbf16>
    %y = gpu.alloc (%rows) : memref<?x512xbf16>
    %x1 = memref.memory_space_cast %x : memref<?x512xbf16> to memref<?x512xbf16, 1>
    %w1 = memref.memory_space_cast %w : memref<512x512xbf16> to memref<512x512xbf16, 1>
    %y1 = memref.memory_space_cast %y : memref<?x512xbf16> to memref<?x512xbf16, 1>
    %layout = layout.make %m : (i32) -> !layout<(?{range=1..4096},512):(512,1)>
    %a = layout.make_view %x1, %layout : memref<?x512xbf16, 1>, !layout<(?{range=1..4096},512):(512,1)>
    %b = layout.make_view %w1 : memref<512x512xbf16, 1>
    %c = layout.make_view %y1, %layout : memref<?x512xbf16, 1>, !layout<(?{range=1..4096},512):(512,1)>
    call @dense(%a, %b, %c) : (!rows, !square, !rows) -> ()
    call @split(%b, %b, %b) : (!square, !square, !square) -> ()
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %three = arith.constant 3 : index
    %six = arith.constant 6 : index
    gpu.launch_func @clusters::@clustered clusters in (%three, %two, %one) blocks in (%six, %two, %one) threads in (%two, %one, %one) args(%m : i32)
    return
  }
}
