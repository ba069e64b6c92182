import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { listSegments, markDone, segmentPath } from "@tollgate/journal/journal-directory.ts";
import { idOf, testCall, testFacts, testId } from "@tollgate/journal/records.fixture.ts";
import { describe, expect, vi } from "vitest";
import { closedIds, journaled, readJournal, test } from "./journal.fixture.ts";

test("notifies calls in append order, each only after its record is in the file", async ({ directory, journals }) => {
  const journal = await journals.open();
  const received: string[] = [];
  const inFile: boolean[] = [];
  await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      journaled((waiter) =>
        journal.appendClose(testCall(index), testFacts(), {
          ...waiter,
          onJournaled: () => {
            received.push(testId(index));
            inFile.push(readFileSync(segmentPath(directory, 1)).includes(testId(index)));
            waiter.onJournaled();
          },
        }),
      ),
    ),
  );
  expect(received).toEqual(Array.from({ length: 50 }, (_, index) => testId(index)));
  expect(inFile.every(Boolean)).toBe(true);
});

test("writes the records of one event loop turn as at most two groups", async ({ journals }) => {
  const journal = await journals.open();
  const before = journal.position;
  expect(before.segment).toBe(1);
  await journaled((waiter) => {
    for (let index = 0; index < 9; index += 1) journal.appendClose(testCall(index), testFacts(), null);
    journal.appendClose(testCall(9), testFacts(), waiter);
  });
  // Ten 240-byte closing records. The first one wakes the thread, which takes as many as it finds.
  const headers = journal.position.offset - before.offset - 10 * 240;
  expect([24, 2 * 24]).toContain(headers);
});

test("syncs the record of the only waiting call before the event loop's turn ends", async ({ journals }) => {
  const journal = await journals.open();
  await journaled((waiter) => journal.appendClose(testCall(1), testFacts(), waiter));
  const { offset } = journal.position;
  const patience = performance.now() + 60_000;
  await journaled((waiter) => {
    journal.appendClose(testCall(2), testFacts(), waiter);
    while (journal.position.offset === offset && performance.now() < patience);
    expect(journal.position.offset).toBe(offset + 240 + 24);
  });
});

test("writes open records and checkpoints to disk even if no call waits for them", async ({ directory, journals }) => {
  const journal = await journals.open();
  journal.appendOpen(testCall(1));
  journal.appendCheckpoint(testId(1), { ...NO_USAGE, outputTokens: 4 }, 44n);
  await vi.waitFor(async () => {
    const { records } = await readJournal(directory);
    expect(records.map(({ record }) => record)).toMatchObject([
      { kind: "open", call: { id: testId(1), hold: 1_000n } },
      { kind: "checkpoint", id: testId(1), cost: 44n, usage: { outputTokens: 4 } },
    ]);
  }, 60_000);
});

test("close writes pending records and releases unused space", async ({ directory, journals }) => {
  const journal = await journals.open();
  journal.appendOpen(testCall(1));
  await journal.close();
  const { records, damage } = await readJournal(directory);
  expect(records.map(({ record }) => idOf(record))).toEqual([testId(1)]);
  expect(damage).toEqual([]);
  expect(await readdir(directory)).toEqual(["00000001.seg"]);
  expect((await listSegments(directory))[0]?.byteLength).toBeLessThan(4_096);
});

test("continues across segments, and a new epoch never changes an old segment", async ({ directory, journals }) => {
  const journal = await journals.open({ segmentBytes: 64 * 1_024, emergencyBytes: 64 * 1_024 });
  for (let round = 0; round < 40; round += 1)
    await journaled((waiter) => {
      for (let index = 0; index < 99; index += 1) journal.appendClose(testCall(round * 100 + index), testFacts(), null);
      journal.appendClose(testCall(round * 100 + 99), testFacts(), waiter);
    });
  await journal.close();
  const first = await listSegments(directory);
  expect(first.length).toBeGreaterThanOrEqual(15);

  const second = await journals.open({ epoch: 2 });
  await journaled((waiter) => second.appendClose(testCall(4_000), testFacts(), waiter));
  expect(second.position.segment).toBe((first.at(-1)?.number as number) + 1);
  const { records, damage } = await readJournal(directory);
  expect(records.map(({ record }) => idOf(record))).toEqual(Array.from({ length: 4_001 }, (_, index) => testId(index)));
  expect(damage).toEqual([]);
  expect(journals.states).toEqual([]);
});

test("an append beyond the ring's capacity stops admission, loses no record, and preserves the order", async ({
  directory,
  journals,
}) => {
  const journal = await journals.open({ segmentBytes: 8 * 1_024 * 1_024 });
  const count = 40_000;
  await journaled((waiter) => {
    for (let index = 0; index < count; index += 1)
      journal.appendClose(testCall(index), testFacts(), index === count - 1 ? waiter : null);
    expect(journal.canAdmit).toBe(false);
  });
  expect(journal.canAdmit).toBe(true);
  const { records } = await readJournal(directory);
  expect(records.map(({ record }) => idOf(record))).toEqual(Array.from({ length: count }, (_, index) => testId(index)));
});

test("records of every size survive many laps of the ring", async ({ directory, journals }) => {
  const journal = await journals.open({ segmentBytes: 8 * 1_024 * 1_024 });
  const labels = Array.from({ length: 30_000 }, (_, index) => "x".repeat((index * 37) % 1_000));
  for (let start = 0; start < labels.length; start += 1_000)
    await journaled((waiter) => {
      for (let index = start; index < start + 1_000; index += 1)
        journal.appendClose(
          testCall(index, { requestId: labels[index] as string }),
          testFacts(),
          index === start + 999 ? waiter : null,
        );
    });
  const { records, damage } = await readJournal(directory);
  expect(damage).toEqual([]);
  expect(records.map(({ record }) => (record.kind === "close" ? record.call.requestId : null))).toEqual(labels);
});

describe("journal at its size cap", () => {
  test("stops admission, still closes running calls, and recovers when segments are marked done", async ({
    directory,
    journals,
  }) => {
    const journal = await journals.open({ capBytes: 3 * 256 * 1_024 });
    let closed = 0;
    const closeSome = () =>
      journaled((waiter) => {
        for (let index = 0; index < 100; index += 1)
          journal.appendClose(testCall(closed++), testFacts(), index === 99 ? waiter : null);
      });
    while (journal.canAdmit) await closeSome();
    expect(journals.states).toEqual(["full"]);
    await closeSome();

    for (let number = 1; number < journal.position.segment; number += 1) await markDone(directory, number);
    await vi.waitUntil(() => journal.canAdmit, 60_000);
    expect(journals.states).toEqual(["full", "ok"]);
    expect((await listSegments(directory)).map(({ number }) => number)).not.toContain(1);
    await closeSome();
    expect(await closedIds(directory)).toContain(testId(closed - 1));
  });
});
