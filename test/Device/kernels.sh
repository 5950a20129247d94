#!/bin/sh
# Compiles the kernels that have references into a folder, which one command checks and times on a machine with a GPU:
#   test/Device/kernels.sh FOLDER      then, with the folder carried there
#   layout-run bench FOLDER --size n=16777216,100000003 --size rows=4096 --size columns=4096 --size blocks=64 --size batches=16 --size tokens=4096 \
#     --size seqs=2 --size pages=80 --size context=40 --size experts=64 \
#     --size queries=500 --size keys=500 --size heads=8 --size key_heads=2 --size causal=0,1
# Lengths of sequences are random there: of attention_decode.mlir, bytes are those of the whole cache only where `lengths` has one value in `values`.
set -e
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?expected a folder, found none}
mkdir -p "$folder"
for file in $(grep -l layout.reference "$here"/../../lowering/kernels/*.mlir) "$here"/Inputs/kernels/*.mlir; do
  name=$(basename "$file" .mlir)
  # The forms without fragments have the names of others.
  case "$file" in */Inputs/*) name=${name}_by_element ;; esac
  layout-translate "$file" --pipeline --layout-to-ptx --manifest "$folder/$name.json" --reference "$folder/$name.so" \
    -o "$folder/$name.ptx"
done
