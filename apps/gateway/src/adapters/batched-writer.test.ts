import { expect, test } from "vitest";
import { BatchedWriter } from "./batched-writer.ts";

test("counts rows as pending until their write finishes, and drops rows if the write fails or the limit is reached", async () => {
  const { promise: isWritten, reject } = Promise.withResolvers<void>();
  const lost: number[] = [];
  const writer = new BatchedWriter<string>(
    () => isWritten,
    (rows) => lost.push(rows),
    3,
  );
  expect(writer.waiting).toBe(0);
  for (const row of ["a", "b", "c", "beyond what is kept"]) writer.add(row);
  expect(writer.waiting).toBe(3);
  const flushed = writer.flush();
  writer.add("d");
  expect(writer.waiting).toBe(4);
  reject(new Error("the database is away"));
  await flushed;
  expect(lost).toEqual([3]);
  expect(writer.waiting).toBe(1);
});
