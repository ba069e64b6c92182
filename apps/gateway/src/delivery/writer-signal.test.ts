import { idsIn } from "@tollgate/journal/delivery/bare-closing.fixture.ts";
import { openSegmentFiles } from "@tollgate/journal/delivery/segment-files.ts";
import { SegmentSource } from "@tollgate/journal/delivery/segment-source.ts";
import { testCall, testFacts, testId } from "@tollgate/journal/records.fixture.ts";
import { expect } from "vitest";
import { journaled, test } from "../journal/journal.fixture.ts";
import { writerSignal } from "./writer-signal.ts";

const CALLS = 2_000;

test("a reader that sleeps until the journal grows reads every record once, in every segment", async ({
  directory,
  journals,
}) => {
  const journal = await journals.open({ segmentBytes: 64 * 1_024, emergencyBytes: 64 * 1_024 });
  const signal = writerSignal(journal);
  const source = new SegmentSource(openSegmentFiles(directory), signal, () => {});
  const read: string[] = [];
  const segments = new Set<number>();
  const readAll = async (): Promise<void> => {
    while (read.length < CALLS) {
      const chunk = await source.read(1_000);
      if (chunk === null) await new Promise<void>((resolve) => source.whenGrown(resolve));
      else {
        read.push(...idsIn([chunk.closed]));
        segments.add(chunk.segment);
        expect(chunk.segment).toBeLessThanOrEqual(signal.synced().segment);
      }
    }
  };
  const reading = readAll();
  for (let index = 0; index < CALLS; index += 1) {
    const write = journaled((waiter) => journal.appendClose(testCall(index), testFacts(), waiter));
    if (index % 10 === 0) await write;
  }
  await reading;
  expect(read).toEqual(Array.from({ length: CALLS }, (_, index) => testId(index)));
  expect(segments.size).toBeGreaterThan(3);
  expect(signal.synced()).toEqual(journal.position);
});
