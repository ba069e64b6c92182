import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { test as base, expect } from "vitest";
import { listSegments, markDone, removeDoneSegments, segmentPath } from "./journal-directory.ts";
import { openNode, readNode, writeNode } from "./node-file.ts";
import { checkpointOf, closeOf, openOf, segmentOf, testHeader, testId } from "./records.fixture.ts";
import { recoverDirectory } from "./recover-directory.ts";
import { scanSegment } from "./scan-segment.ts";

const test = base.extend<{ directory: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner parses the pattern for dependencies; there are none.
  directory: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), "journal-"));
    await use(directory);
    await rm(directory, { recursive: true });
  },
});

const HOUR_MS = 60 * 60 * 1_000;

test("a directory permanently retains its node ID and its last epoch", async ({ directory }) => {
  const made = await openNode(join(directory, "a"), Date.now());
  expect(made.nodeId).toMatch(/^node_[0-9A-Z]{26}$/);
  expect(made.epoch).toBe(0);
  await writeNode(join(directory, "a"), { ...made, epoch: 5 });
  expect(await openNode(join(directory, "a"), Date.now())).toEqual({ ...made, epoch: 5 });
  expect((await openNode(join(directory, "b"), Date.now())).nodeId).not.toBe(made.nodeId);
});

test("a node whose file was lost is identified by its segments", async ({ directory }) => {
  await writeFile(segmentPath(directory, 1), segmentOf([[openOf(1)]]));
  await writeFile(join(directory, "node.json"), "{");
  expect(await readNode(directory)).toBeNull();
  expect(await openNode(directory, Date.now())).toEqual({ nodeId: testHeader.nodeId, epoch: testHeader.epoch });
});

test("rejects a journal from a later release and leaves it unchanged", async ({ directory }) => {
  const bytes = segmentOf([[openOf(1)]]);
  for (const copy of [0, 512]) {
    bytes.writeUInt32LE(2, copy + 4);
    const header = bytes.subarray(copy, copy + 512);
    bytes.writeUInt32LE(crc32(header.subarray(12), crc32(header.subarray(0, 8))), copy + 8);
  }
  const path = segmentPath(directory, 1);
  await writeFile(path, bytes);
  await expect(recoverDirectory(directory, testHeader)).rejects.toThrow("a later release");
  expect((await readFile(path)).equals(bytes)).toBe(true);
});

test("finished segments are deleted after the retention period or, oldest first, above the cap, but unfinished segments are never deleted", async ({
  directory,
}) => {
  for (const number of [1, 2, 3, 4]) await writeFile(segmentPath(directory, number), Buffer.alloc(1_000));
  for (const number of [1, 3, 4]) await markDone(directory, number);
  const numbers = async () =>
    (await listSegments(directory)).map(({ number, isDone }) => `${number}${isDone ? "d" : ""}`);
  const now = Date.now();

  expect(await removeDoneSegments(directory, { retentionMs: 24 * HOUR_MS, capBytes: 10_000 }, now + 23 * HOUR_MS)).toBe(
    4_000,
  );
  expect(await numbers()).toEqual(["1d", "2", "3d", "4d"]);
  expect(await removeDoneSegments(directory, { retentionMs: 24 * HOUR_MS, capBytes: 3_000 }, now)).toBe(3_000);
  expect(await numbers()).toEqual(["2", "3d", "4d"]);
  expect(await removeDoneSegments(directory, { retentionMs: 24 * HOUR_MS, capBytes: 10_000 }, now + 25 * HOUR_MS)).toBe(
    1_000,
  );
  expect(await numbers()).toEqual(["2"]);
});

test("recovery writes a closing record for every open call of a dead process, and a second recovery adds no record", async ({
  directory,
}) => {
  await writeFile(segmentPath(directory, 1), segmentOf([[openOf(1), openOf(2)], [checkpointOf(1, 40n)]]));
  await writeFile(segmentPath(directory, 2), segmentOf([[closeOf(2)]]).subarray(0, -4_000));
  const first = await recoverDirectory(directory, { ...testHeader, epoch: 8 });
  expect(first.closings.map(({ call }) => call.id)).toEqual([testId(1)]);
  expect(first.pending.length).toBe(2);

  const added = (await listSegments(directory)).at(-1);
  expect(added?.number).toBe(3);
  const second = await recoverDirectory(directory, { ...testHeader, epoch: 9 });
  expect(second.closings).toEqual([]);
  expect(second.pending).toEqual([first.pending[0], first.pending[1]]);
  expect((await readdir(directory)).length).toBe(3);
});

test("recovery of many open calls writes several groups, all of them readable", async ({ directory }) => {
  const ids = Array.from({ length: 3_000 }, (_, index) => index);
  await writeFile(segmentPath(directory, 1), segmentOf([ids.map((index) => openOf(index))]));
  const { closings } = await recoverDirectory(directory, testHeader);
  expect(closings.length).toBe(3_000);
  const scan = scanSegment(await readFile(segmentPath(directory, 2)));
  expect(scan.records.map(({ record }) => record)).toEqual(closings);
  expect(scan.damage).toEqual([]);
});

test("names the damaged segment, and trims unused zeros", async ({ directory }) => {
  const bytes = segmentOf([[openOf(1)], [closeOf(1)]], 100_000);
  const victim = scanSegment(bytes).records[0]?.position as number;
  bytes[victim + 20] = 0;
  await writeFile(segmentPath(directory, 4), bytes);
  const { damage, closings } = await recoverDirectory(directory, testHeader);
  expect(damage).toMatchObject([{ segment: 4, position: victim, lostRecords: 1, isTail: false }]);
  expect(closings).toEqual([]);
  expect((await listSegments(directory))[0]?.byteLength).toBe(bytes.length - 100_000);
});
