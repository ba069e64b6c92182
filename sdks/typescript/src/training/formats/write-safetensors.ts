import type { FileLayout } from "./file-layout.ts";
import { bytesOf } from "./placed-tensors.ts";
import type { TensorInfo } from "./tensor-set.ts";

/** The tensors in the order given, without gaps; the header padded to eight bytes, so that data starts aligned. */
export function layOutSafetensors(tensors: ReadonlyMap<string, TensorInfo>): FileLayout {
  // Put together by hand: an object would move names that look like numbers to the front.
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
