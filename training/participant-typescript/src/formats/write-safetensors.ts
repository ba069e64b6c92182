import type { FileLayout } from "./file-layout.ts";
import { bytesOf } from "./placed-tensors.ts";
import type { TensorInfo } from "./tensor-set.ts";

/** Lays out the tensors in the given order without gaps. The header is padded to eight bytes to align the data. */
export function layOutSafetensors(tensors: ReadonlyMap<string, TensorInfo>): FileLayout {
  // Build the JSON by hand, because an object would move numeric names to the front.
  const descriptions: string[] = [];
  const starts = new Map<string, number>();
  let end = 0;
  for (const [name, { dtype, shape }] of tensors) {
    const start = end;
    end += bytesOf(name, { dtype, shape });
    starts.set(name, start);
    descriptions.push(`${JSON.stringify(name)}:${JSON.stringify({ dtype, shape, data_offsets: [start, end] })}`);
  }
  const text = Buffer.from(`{${descriptions.join(",")}}`);
  const header = Buffer.alloc(8 + Math.ceil(text.byteLength / 8) * 8, " ");
  header.writeBigUInt64LE(BigInt(header.byteLength - 8));
  text.copy(header, 8);
  return {
    byteLength: header.byteLength + end,
    fixed: [{ position: 0, bytes: header }],
    positions: new Map([...starts].map(([name, start]) => [name, header.byteLength + start])),
  };
}
