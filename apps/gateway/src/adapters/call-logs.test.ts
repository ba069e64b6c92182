import { expect, onTestFinished, test, vi } from "vitest";
import { BatchedWriter } from "./call-logs.ts";

test("counts rows as pending until their write finishes, and drops rows if the write fails twice or the limit is reached", async () => {
  const { promise: isWritten, reject } = Promise.withResolvers<void>();
  const lost: number[] = [];
  const writer = new BatchedWriter<string>(
    () => isWritten,
    (rows) => lost.push(rows.length),
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

test("writes a batch again if the database was unavailable for a moment", async () => {
  const lost: number[] = [];
  const tries: (readonly string[])[] = [];
  const writer = new BatchedWriter<string>(
    (rows) => {
      tries.push(rows);
      return tries.length === 1 ? Promise.reject(new Error("the database is away")) : Promise.resolve();
    },
    (rows) => lost.push(rows.length),
  );
  writer.add("a");
  await writer.flush();
  expect(tries).toEqual([["a"], ["a"]]);
  expect(lost).toEqual([]);
});

test("keeps no more rows than the limit while a write is stuck, however long it takes", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const writer = new BatchedWriter<string>(
    () => new Promise(() => {}),
    () => {},
    3,
  );
  for (let second = 0; second < 5; second += 1) {
    for (const row of ["a", "b", "c"]) writer.add(row);
    vi.advanceTimersByTime(1_000);
  }
  // Three rows are being written, and three wait for them.
  expect(writer.waiting).toBe(6);
});
