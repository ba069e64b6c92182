import { randomBytes } from "node:crypto";
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OMITTED_FIELDS } from "@tollgate/domain/credit/usage-event.ts";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { test as base, expect } from "vitest";
import type { CloseRecord } from "../decode-record.ts";
import { listSegments, segmentPath } from "../journal-directory.ts";
import { checkpointOf, closeOf, groupOf, segmentOf, testHeader, testId } from "../records.fixture.ts";
import type { Damage } from "../scan-segment.ts";
import { encodeHeader, HEADER_BYTES } from "../segment-header.ts";
import { writeClosings } from "../write-closings.ts";
import { idsIn } from "./bare-closing.fixture.ts";
import type { JournalChunk } from "./delivery-ports.ts";
import { type JournalSignal, readSynced } from "./journal-signal.ts";
import { readUsageEvents } from "./read-usage-events.fixture.ts";
import { openSegmentFiles } from "./segment-files.ts";
import { SegmentSource } from "./segment-source.ts";

// biome-ignore lint/correctness/noEmptyPattern: the runner parses the pattern for dependencies; there are none.
const test = base.extend("journal", async ({}, { onCleanup }) => {
  const directory = await mkdtemp(join(tmpdir(), "tollgate-segments-"));
  onCleanup(() => rm(directory, { recursive: true, force: true }));
  const waits: { version: number; wake: () => void }[] = [];
  const growth = { version: 0, synced: { segment: 1, offset: Number.POSITIVE_INFINITY } };
  const signal: JournalSignal = {
    firstSegment: 1,
    version: () => growth.version,
    synced: () => growth.synced,
    wait: (version, wake) => waits.push({ version, wake }),
  };
  const damage: { segment: number; damage: Damage }[] = [];
  const source = new SegmentSource(openSegmentFiles(directory), signal, (segment, found) =>
    damage.push({ segment, damage: found }),
  );
  /** Adds a segment from the given run with this many closed calls, and returns the call IDs. */
  const addSegment = async (epoch: number, count: number): Promise<string[]> => {
    const closings = Array.from({ length: count }, (_, index) => makeClosing(epoch, index));
    await writeClosings(
      directory,
      { nodeId: "node", epoch, createdAtMs: 1, salt: randomBytes(4).readUInt32LE() },
      closings,
    );
    const last = (await listSegments(directory)).at(-1);
    growth.synced = { segment: last?.number ?? 1, offset: last?.byteLength ?? 0 };
    return closings.map(({ call }) => call.id);
  };
  return { directory, source, damage, addSegment, growth, waits };
});

const idsOf = (chunk: JournalChunk | null) => chunk && idsIn([chunk.closed]);

test("reads segments in order, and ends each segment when a later one is in use or the journal is closed", async ({
  journal: { source, addSegment },
}) => {
  expect(await source.read(100)).toBeNull();
  const first = await addSegment(1, 3);
  expect(await source.read(100)).toMatchObject({
    segment: 1,
    origin: { nodeId: "node", epoch: 1 },
    endsSegment: false,
  });
  expect(await source.read(100)).toBeNull();
  const second = await addSegment(2, 2);
  expect(await source.read(100)).toMatchObject({ segment: 1, closed: { count: 0 }, endsSegment: true });
  const chunk = await source.read(100);
  expect(idsOf(chunk)).toEqual(second);
  expect(chunk?.origin.epoch).toBe(2);
  expect(await source.read(100)).toBeNull();
  source.closeJournal();
  expect(await source.read(100)).toMatchObject({ segment: 2, closed: { count: 0 }, endsSegment: true });
  expect(first).toHaveLength(3);
});

test("returns no more closing records than requested, each decodable to its event", async ({
  journal: { source, addSegment },
}) => {
  const ids = await addSegment(1, 5);
  const chunks = [await source.read(2), await source.read(2), await source.read(2)];
  expect(chunks.flatMap(idsOf)).toEqual(ids);
  expect(chunks.map((chunk) => [chunk?.closed.count, chunk?.hasMore])).toEqual([
    [2, true],
    [2, true],
    [1, false],
  ]);
  const bytes = chunks[0]?.closed.bytes ?? Buffer.alloc(0);
  expect(readUsageEvents(bytes, "node")).toMatchObject(ids.slice(0, 2).map((id) => ({ id, epoch: 1, cost: 7n })));
});

test("waits for a partially written group and reads it when it is complete", async ({
  journal: { directory, source, addSegment },
}) => {
  const ids = await addSegment(1, 3);
  const path = segmentPath(directory, 1);
  const whole = await readFile(path);
  await writeFile(path, whole.subarray(0, HEADER_BYTES + 300));
  expect(await source.read(100)).toBeNull();
  await appendFile(path, whole.subarray(HEADER_BYTES + 300));
  expect(idsOf(await source.read(100))).toEqual(ids);
});

test("reads nothing that is not synced, because a power failure could undo it", async ({
  journal: { directory, source, growth },
}) => {
  await writeFile(segmentPath(directory, 1), segmentOf([[closeOf(1)], [closeOf(2)]]));
  const offset = HEADER_BYTES + groupOf([closeOf(1)], testHeader.salt).length;
  growth.synced = { segment: 1, offset };
  const first = await source.read(100);
  expect([idsOf(first), first?.hasMore]).toEqual([[testId(1)], false]);
  expect(await source.read(100)).toBeNull();
  growth.synced = { segment: 2, offset: HEADER_BYTES };
  expect(idsOf(await source.read(100))).toEqual([testId(2)]);
});

test("reads an offset together with its segment", () => {
  const words = new Int32Array(new SharedArrayBuffer(8));
  words.set([3, 4_096]);
  expect(readSynced(words)).toEqual({ segment: 3, offset: 4_096 });
});

test("reads a group that is larger than the read size, and reports whether more can be read", async ({
  journal: { source, addSegment },
}) => {
  const ids = await addSegment(1, 3_000);
  const read: string[] = [];
  const hasMore: boolean[] = [];
  for (let chunk = await source.read(10_000); chunk !== null; chunk = await source.read(10_000)) {
    read.push(...idsIn([chunk.closed]));
    hasMore.push(chunk.hasMore);
  }
  expect(read).toEqual(ids);
  expect(hasMore.length).toBeGreaterThan(1);
  expect(hasMore).toEqual(hasMore.map((_, index) => index < hasMore.length - 1));
});

test("reads on after checkpoints, which it doesn't return", async ({ journal: { directory, source, growth } }) => {
  const checkpoints = Array.from({ length: 10 }, () => Array.from({ length: 300 }, () => checkpointOf(1, 5n)));
  await writeFile(segmentPath(directory, 1), segmentOf([[closeOf(1)], ...checkpoints, [closeOf(2)], ...checkpoints]));
  await writeFile(segmentPath(directory, 2), segmentOf([[closeOf(3)]]));
  growth.synced = { segment: 2, offset: Number.POSITIVE_INFINITY };
  const read: string[] = [];
  for (let chunk = await source.read(100); chunk !== null; chunk = await source.read(100))
    read.push(...idsIn([chunk.closed]));
  expect(read).toEqual([testId(1), testId(2), testId(3)]);
});

test("loses only the damaged record of a complete segment and reports its position", async ({
  journal: { directory, source, damage, addSegment },
}) => {
  const ids = await addSegment(1, 10);
  await addSegment(2, 1);
  const path = segmentPath(directory, 1);
  const bytes = await readFile(path);
  const at = bytes.indexOf(ids[4] as string);
  bytes[at + 3] = (bytes[at + 3] as number) ^ 1;
  await writeFile(path, bytes);
  const chunk = await source.read(100);
  expect(idsOf(chunk)).toEqual(ids.filter((_, index) => index !== 4));
  expect(chunk?.endsSegment).toBe(true);
  expect(damage).toMatchObject([{ segment: 1, damage: { lostRecords: 1 } }]);
});

test("skips finished segments until rewound, and skips prepared segments that were never used", async ({
  journal: { directory, source, addSegment },
}) => {
  const done = await addSegment(1, 2);
  await source.finish(1);
  expect(await readdir(directory)).toEqual(["00000001.done"]);
  expect(await source.readConfirmed()).toEqual(done);
  await writeFile(segmentPath(directory, 2), Buffer.alloc(4_096));
  expect(await source.read(100)).toBeNull();
  const later = await addSegment(2, 2);
  expect(idsOf(await source.read(100))).toEqual(later);
  source.rewind();
  expect(idsOf(await source.read(100))).toEqual(done);
  await source.finish(1);
});

test("is woken once by whatever is written after the last read began, and when the journal is closed", async ({
  journal: { source, growth, waits },
}) => {
  const woken: string[] = [];
  growth.version = 3;
  const reading = source.read(100);
  growth.version = 4;
  expect(await reading).toBeNull();
  source.whenGrown(() => woken.push("first"));
  // The version of the beginning of the read is waited for, so the growth during the read is not missed.
  expect(waits.map(({ version }) => version)).toEqual([3]);
  source.whenGrown(() => woken.push("second"));
  expect(waits).toHaveLength(1);
  waits[0]?.wake();
  waits[0]?.wake();
  expect(woken).toEqual(["second"]);
  source.whenGrown(() => woken.push("closed"));
  source.closeJournal();
  expect(woken).toEqual(["second", "closed"]);
});

test("waits for a segment with a partially written header", async ({ journal: { directory, source } }) => {
  const header = encodeHeader({ nodeId: "node", epoch: 1, createdAtMs: 1, salt: 5 });
  const path = segmentPath(directory, 1);
  await writeFile(path, Buffer.concat([header.subarray(0, 20), Buffer.alloc(HEADER_BYTES - 20)]));
  expect(await source.read(100)).toBeNull();
  await writeFile(path, header);
  source.closeJournal();
  expect(await source.read(100)).toMatchObject({ segment: 1, endsSegment: true });
});

function makeClosing(epoch: number, index: number): CloseRecord {
  const id = makeUuidV7(1_000 + index);
  return {
    kind: "close",
    call: {
      id,
      identity: { organizationId: "org", teamId: null, keyId: "key", userId: null },
      target: { endpoint: "/", modelGroup: "m", deploymentId: "d", provider: "p", priceVersionId: null },
      requestId: id,
      isStream: false,
      hold: 9n,
      isBilled: true,
      epoch,
      budgets: [],
      lostAttempts: [],
    },
    facts: {
      status: "success",
      httpStatus: 200,
      errorCode: null,
      usage: NO_USAGE,
      cost: 7n,
      fromLease: 7n,
      budgetShares: [],
      endedAtMs: 5,
      latencyMs: 1,
      firstTokenMs: null,
      ...OMITTED_FIELDS,
    },
  };
}
