// The output of torch_mlir.fx.export_and_import(model, x, output_type="torch") for an MLP whose weights are arguments:
//
//     def forward(self, x, w1, b1, w2):
//         return torch.relu(x @ w1 + b1) @ w2

func.func @main(%x: !torch.vtensor<[128,256],f16>, %w1: !torch.vtensor<[256,512],f16>, %b1: !torch.vtensor<[512],f16>, %w2: !torch.vtensor<[512,256],f16>) -> !torch.vtensor<[128,256],f16> {
  %int1 = torch.constant.int 1
  %0 = torch.aten.mm %x, %w1 : !torch.vtensor<[128,256],f16>, !torch.vtensor<[256,512],f16> -> !torch.vtensor<[128,512],f16>
  %1 = torch.aten.add.Tensor %0, %b1, %int1 : !torch.vtensor<[128,512],f16>, !torch.vtensor<[512],f16>, !torch.int -> !torch.vtensor<[128,512],f16>
  %2 = torch.aten.relu %1 : !torch.vtensor<[128,512],f16> -> !torch.vtensor<[128,512],f16>
  %3 = torch.aten.mm %2, %w2 : !torch.vtensor<[128,512],f16>, !torch.vtensor<[512,256],f16> -> !torch.vtensor<[128,256],f16>
  return %3 : !torch.vtensor<[128,256],f16>
}
