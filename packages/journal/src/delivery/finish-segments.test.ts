import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, expect } from "vitest";
import { markDone, segmentPath } from "../journal-directory.ts";
import { closeOf, groupOf, openOf, segmentOf, type TestRecord, testHeader, testId } from "../records.fixture.ts";
import { recoverDirectory } from "../recover-directory.ts";
import { encodeHeader } from "../segment-header.ts";
import { idsIn } from "./bare-closing.fixture.ts";
import { Delivery } from "./deliver-events.ts";
import { type JournalSignal, NEVER_GROWS } from "./journal-signal.ts";
import { openSegmentFiles } from "./segment-files.ts";
import { SegmentSource } from "./segment-source.ts";

// biome-ignore lint/correctness/noEmptyPattern: the runner parses the pattern for dependencies; there are none.
const test = base.extend("journal", async ({}, { onCleanup }) => {
  const directory = await mkdtemp(join(tmpdir(), "tollgate-finish-"));
  onCleanup(() => rm(directory, { recursive: true, force: true }));
  const settled: string[] = [];
  /** Recovers the journal as a new process does, and delivers everything in it. Returns the file names. */
  const restart = async (): Promise<string[]> => {
    await recoverDirectory(directory, { ...testHeader, epoch: testHeader.epoch + 1 });
    return deliver(NEVER_GROWS);
  };
  const deliver = async (signal: JournalSignal): Promise<string[]> => {
    const source = new SegmentSource(openSegmentFiles(directory), signal, () => {});
    source.closeJournal();
    const delivery = new Delivery(
      {
        source,
        eventLog: {
          deliver: async ({ ranges }) => {
            settled.push(...idsIn(ranges));
            return "settled";
          },
        },
        confirmation: { findMissing: async () => [] },
        clock: { monotonicMs: () => performance.now(), after: (ms, work) => cancelable(setTimeout(work, ms)) },
        makeBatchId: () => "batch",
        onBacklog: () => {},
        onTrouble: (step, error) => {
          throw new Error(step, { cause: error });
        },
      },
      { parallelBatches: 1 },
    );
    delivery.start();
    await delivery.drained();
    delivery.stop();
    return (await readdir(directory)).sort();
  };
  const addSegment = (number: number, records: readonly TestRecord[]) =>
    writeFile(segmentPath(directory, number), segmentOf([records], 0));
  return { directory, settled, restart, deliver, addSegment };
});

test("after a restart, finishes a segment whose call was closed in a segment that is already done", async ({
  journal: { directory, settled, restart, addSegment },
}) => {
  await addSegment(1, [openOf(1), openOf(2), closeOf(2)]);
  await addSegment(2, [closeOf(1)]);
  await markDone(directory, 2);
  expect(await restart()).toEqual(["00000001.done", "00000002.done"]);
  expect(settled).toEqual([testId(2)]);
});

test("after a restart, finishes a segment that repeats an open record after the call's closing record", async ({
  journal: { directory, settled, restart, addSegment },
}) => {
  // The first segment could not be synced, and power was lost while the group was written to the second one.
  await addSegment(1, [openOf(1), closeOf(1)]);
  const group = groupOf([openOf(1), closeOf(1)], testHeader.salt);
  group.fill(0, group.length - 100);
  await writeFile(segmentPath(directory, 2), Buffer.concat([encodeHeader(testHeader), group]));
  expect(await restart()).toEqual(["00000001.done", "00000002.done"]);
  expect(settled).toEqual([testId(1)]);
});

test("after a restart, finishes the segments of calls that recovery closed, and delivers their closing records", async ({
  journal: { settled, restart, addSegment },
}) => {
  await addSegment(1, [openOf(1), closeOf(2)]);
  expect(await restart()).toEqual(["00000001.done", "00000002.done"]);
  expect(settled).toEqual([testId(2), testId(1)]);
});

test("if only delivery restarts, finishes a segment whose call was closed in a segment that is already done", async ({
  journal: { directory, settled, deliver, addSegment },
}) => {
  await addSegment(1, [closeOf(5)]);
  await addSegment(2, [openOf(1), openOf(2), closeOf(2)]);
  await addSegment(3, [openOf(3), closeOf(1)]);
  await addSegment(4, [closeOf(3)]);
  for (const number of [1, 3]) await markDone(directory, number);
  const names = ["00000001.done", "00000002.done", "00000003.done", "00000004.done"];
  expect(await deliver({ ...NEVER_GROWS, firstSegment: 1 })).toEqual(names);
  expect(settled).toEqual([testId(2), testId(3)]);
});

test("does not finish a segment with a call that this process is still serving", async ({
  journal: { settled, deliver, addSegment },
}) => {
  await addSegment(1, [openOf(1), closeOf(2)]);
  await addSegment(2, [closeOf(3)]);
  expect(await deliver({ ...NEVER_GROWS, firstSegment: 1 })).toEqual(["00000001.seg", "00000002.done"]);
  expect(settled).toEqual([testId(2), testId(3)]);
});

const cancelable = (timer: NodeJS.Timeout) => () => clearTimeout(timer);
