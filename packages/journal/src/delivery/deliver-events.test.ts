import fc from "fast-check";
import { expect, test } from "vitest";
import { idsIn } from "./bare-closing.fixture.ts";
import type { EventBatch } from "./delivery-ports.ts";
import { buildWorld } from "./delivery-world.fixture.ts";

const idsOf = (batch: EventBatch | undefined) => batch && idsIn(batch.ranges);

test("sends the first event after a pause after 10 ms, and gathers the events of the next second", async () => {
  const { clock, journal, ledger, delivery } = buildWorld();
  journal.begin(1);
  delivery.start();
  await clock.pass(5_000);
  for (const [first, second, third] of ["abc", "def"]) {
    journal.close(`${first}`);
    await clock.pass(9);
    expect(ledger.known).not.toContain(first);
    await clock.pass(1);
    expect(ledger.known).toContain(first);
    journal.close(`${second}`);
    await clock.pass(500);
    journal.close(`${third}`);
    await clock.pass(499);
    expect(ledger.known).not.toContain(second);
    await clock.pass(1);
    expect(idsOf(ledger.batches.at(-1))).toEqual([second, third]);
    await clock.pass(1_000);
  }
});

test("sends a full batch immediately", async () => {
  const { clock, journal, ledger, delivery } = buildWorld();
  journal.begin(1);
  delivery.start();
  await clock.pass(5_000);
  for (let index = 0; index < 1_200; index += 1) journal.close(`full-${index}`);
  await clock.pass(10);
  expect(ledger.batches.map(({ count }) => count)).toEqual([500, 500, 200]);
});

test.each([
  { perSecond: 20, atMost: 12, latestMs: 1_050 },
  { perSecond: 800, atMost: 25, latestMs: 650 },
  { perSecond: 5_000, atMost: 170, latestMs: 150 },
])("gathers events for up to a second, until they fill a batch ($perSecond per second)", async (load) => {
  const { clock, journal, ledger, delivery } = buildWorld();
  journal.begin(1);
  delivery.start();
  await clock.pass(1_000);
  const closedAtMs = new Map<string, number>();
  let latestMs = 0;
  ledger.answer = (batch) => {
    for (const id of idsIn(batch.ranges)) latestMs = Math.max(latestMs, clock.nowMs - (closedAtMs.get(id) ?? 0));
    return ledger.settle(batch);
  };
  for (let index = 0; index < 10 * load.perSecond; index += 1) {
    journal.close(`event-${index}`);
    closedAtMs.set(`event-${index}`, clock.nowMs);
    await clock.pass(1_000 / load.perSecond);
    // The rate is not known before the first second has passed.
    if (index === load.perSecond) latestMs = 0;
  }
  await clock.pass(1_000);
  expect(ledger.known.size).toBe(10 * load.perSecond);
  expect(ledger.batches.length).toBeLessThanOrEqual(load.atMost);
  expect(latestMs).toBeLessThanOrEqual(load.latestMs);
});

test("reads on while there is more, no matter how few events each part of the journal has", async () => {
  const { clock, journal, ledger, delivery } = buildWorld();
  journal.readSize = 10;
  journal.begin(1);
  for (let index = 0; index < 40; index += 1) {
    journal.open(`event-${index}`);
    if (index % 4 === 0) journal.close(`event-${index}`);
  }
  delivery.start();
  await clock.pass(0);
  expect(ledger.known.size).toBe(10);
});

test("while nothing is written, reads nothing and sets no timer except for the canaries", async () => {
  const { clock, journal, delivery } = buildWorld();
  journal.begin(1);
  delivery.start();
  await clock.pass(2_000);
  expect(clock.timers).toBe(0);
  journal.open("a");
  journal.close("a");
  await clock.pass(2_000);
  const { reads } = journal;
  await clock.pass(60_000);
  expect(journal.reads).toBe(reads);
  expect(clock.timers).toBe(1);
  journal.close("b");
  await clock.pass(100);
  expect(journal.reads).toBe(reads + 1);
});

test("a batch contains events from only one process run, and the epoch of that run", async () => {
  const { clock, journal, ledger, delivery } = buildWorld();
  journal.begin(1);
  journal.close("a");
  journal.begin(2);
  journal.close("b");
  delivery.start();
  await clock.pass(100);
  expect(ledger.batches.map((batch) => [batch.origin.epoch, idsOf(batch)])).toEqual([
    [1, ["a"]],
    [2, ["b"]],
  ]);
});

test("a segment is finished when it is complete, its events are confirmed, and its open calls are closed", async () => {
  const { clock, journal, delivery } = buildWorld();
  journal.begin(1);
  journal.open("a");
  journal.open("b");
  journal.close("a");
  delivery.start();
  await clock.pass(1_000);
  expect(journal.finished).toEqual([]); // still being written
  journal.begin(1);
  await clock.pass(1_000);
  expect(journal.finished).toEqual([]); // b is open
  journal.close("b");
  await clock.pass(100);
  expect(journal.finished).toEqual([0]); // b is durably closed, but not yet confirmed
  journal.end();
  await clock.pass(2_000);
  expect(journal.finished).toEqual([0, 1]);
});

test("events that are only in the event log are looked up in the ledger after half a second, and only the ledger confirms them", async () => {
  const { clock, journal, ledger, delivery } = buildWorld();
  ledger.answer = () => "carried";
  journal.begin(1);
  journal.close("a");
  delivery.start();
  await clock.pass(499);
  expect(ledger.questions).toHaveLength(0);
  expect(delivery.oldestUnconfirmedAtMs).toBe(5_000);
  ledger.known.add("a");
  await clock.pass(1);
  expect(ledger.questions).toHaveLength(1);
  expect(delivery.backlog).toBe(0);
  expect(delivery.oldestUnconfirmedAtMs).toBeNull();
});

test("the ledger is asked every two seconds while events keep coming, and four times per second during a drain", async () => {
  const { clock, journal, ledger, delivery } = buildWorld();
  ledger.answer = () => "carried";
  journal.begin(1);
  delivery.start();
  for (let index = 0; index < 100; index += 1) {
    journal.close(`event-${index}`);
    if (index < 60) ledger.known.add(`event-${index}`);
    await clock.pass(100);
  }
  expect(ledger.questions.length).toBeLessThanOrEqual(6);
  const before = ledger.questions.length;
  const drained = delivery.drained();
  await clock.pass(2_000);
  expect(ledger.questions.length - before).toBeGreaterThanOrEqual(4);
  for (let index = 60; index < 100; index += 1) ledger.known.add(`event-${index}`);
  journal.end();
  await clock.pass(10_000);
  await drained;
});

test("events lost by the event log are sent again under a new batch ID after 5 s, with pauses of up to a minute", async () => {
  const { clock, journal, ledger, delivery } = buildWorld();
  const sentAt: number[] = [];
  ledger.answer = () => {
    sentAt.push(clock.nowMs);
    return "carried";
  };
  journal.begin(1);
  journal.close("a");
  delivery.start();
  await clock.pass(300_000);
  const pauses = sentAt.slice(1).map((atMs, index) => Math.round((atMs - (sentAt[index] as number)) / 1_000));
  expect(pauses.slice(0, 6)).toEqual([5, 10, 20, 40, 60, 60]);
  expect(new Set(ledger.batches.map((batch) => batch.id)).size).toBe(ledger.batches.length);
});

test("if the ledger has only some events of a batch, only the others are sent again, and every segment is finished", async () => {
  const { clock, journal, ledger, delivery } = buildWorld();
  ledger.answer = () => "carried";
  journal.begin(1);
  for (const id of ["a", "b", "c"]) journal.close(id);
  journal.begin(1);
  for (const id of ["d", "e"]) journal.close(id);
  journal.end();
  delivery.start();
  await clock.pass(0);
  for (const id of ["a", "c", "e"]) ledger.known.add(id);
  await clock.pass(1_000);
  expect(delivery.backlog).toBe(2);
  expect(journal.finished).toEqual([]);
  await clock.pass(5_000);
  expect(ledger.batches.map(idsOf)).toEqual([
    ["a", "b", "c", "d", "e"],
    ["b", "d"],
  ]);
  ledger.known.add("b").add("d");
  await clock.pass(5_000);
  expect(journal.finished).toEqual([0, 1]);
  expect(delivery.backlog).toBe(0);
});

test("an event that was written to two segments after a disk error keeps both until it is confirmed", async () => {
  const { clock, journal, ledger, delivery } = buildWorld();
  ledger.answer = () => "carried";
  journal.begin(1);
  for (const id of ["a", "b"]) journal.open(id);
  journal.close("a");
  journal.begin(1);
  for (const id of ["a", "b"]) journal.open(id);
  journal.close("a");
  journal.close("b");
  journal.end();
  delivery.start();
  await clock.pass(1_000);
  expect(journal.finished).toEqual([]);
  ledger.known.add("a").add("b");
  await clock.pass(5_000);
  expect(journal.finished).toEqual([0, 1]);
});

test("a batch with an unknown outcome is sent again under the same ID, with growing pauses", async () => {
  const { clock, journal, ledger, delivery, troubles } = buildWorld();
  ledger.answer = () => {
    throw new Error("no answer");
  };
  journal.begin(1);
  journal.close("a");
  delivery.start();
  await clock.pass(100 + 100 + 200 + 400);
  expect(ledger.batches.map((batch) => batch.id)).toEqual(["batch-1", "batch-1", "batch-1", "batch-1"]);
  expect(troubles).toEqual(["deliver", "deliver", "deliver", "deliver"]);
  await clock.pass(60_000);
  const tries = ledger.batches.length;
  await clock.pass(5_000);
  expect(ledger.batches.length).toBe(tries + 1);
});

test("events are not resent while the ledger cannot be queried", async () => {
  const { clock, journal, ledger, delivery } = buildWorld();
  ledger.answer = () => "carried";
  ledger.isSilent = true;
  journal.begin(1);
  journal.close("a");
  delivery.start();
  await clock.pass(120_000);
  expect(ledger.batches).toHaveLength(1);
  ledger.isSilent = false;
  await clock.pass(10_000);
  expect(ledger.batches).toHaveLength(2);
});

test("a large journal arrives completely with bounded memory and small, spaced queries", async () => {
  const { clock, journal, ledger, delivery } = buildWorld();
  ledger.answer = () => "carried";
  journal.begin(1);
  for (let index = 0; index < 50_000; index += 1) journal.close(`event-${index}`);
  journal.end();
  delivery.start();
  await clock.pass(4_000);
  expect(delivery.backlog).toBe(20_000);
  ledger.answer = (batch) => {
    ledger.settle(batch);
    return "carried";
  };
  await clock.pass(60_000);
  expect(ledger.known.size).toBe(50_000);
  expect(journal.finished).toEqual([0]);
  expect(Math.max(...ledger.questions.map((question) => question.ids.length))).toBe(5_000);
  const apart = ledger.questions.slice(1).map(({ atMs }, index) => atMs - (ledger.questions[index]?.atMs ?? 0));
  expect(Math.min(...apart)).toBeGreaterThanOrEqual(250);
});

test("drained() waits for the events present when it was called, but not for a batch to fill", async () => {
  const { clock, journal, delivery } = buildWorld();
  journal.begin(1);
  journal.close("a");
  journal.end();
  delivery.start();
  let isDrained = false;
  void delivery.drained().then(() => {
    isDrained = true;
  });
  await clock.pass(1);
  expect(isDrained).toBe(true);
  expect(journal.finished).toEqual([0]);
});

test("after a restore, all retained events are sent again and earlier responses are ignored", async () => {
  const { clock, journal, ledger, delivery } = buildWorld();
  const late = Promise.withResolvers<void>();
  journal.begin(1);
  journal.close("a");
  journal.begin(1);
  delivery.start();
  await clock.pass(500);
  expect(journal.finished).toEqual([0]);

  const settleAtOnce = ledger.answer;
  const deliver = ledger.deliver.bind(ledger);
  ledger.deliver = async (batch) => {
    const answer = await deliver(batch);
    await late.promise;
    return answer;
  };
  journal.close("b");
  await clock.pass(1_000);
  expect(ledger.known).toEqual(new Set(["a", "b"]));
  ledger.known.clear(); // restored from a backup that has neither, while the response for b is in flight
  ledger.deliver = deliver;
  ledger.answer = settleAtOnce;
  delivery.redeliverAll();
  late.resolve();
  await clock.pass(1_000);
  expect(ledger.known).toEqual(new Set(["a", "b"]));
  expect(delivery.backlog).toBe(0);
});

test("a ledger restored to an earlier state is detected, even if it has confirmed more events since", async () => {
  const { clock, journal, ledger, delivery } = buildWorld();
  journal.begin(1);
  journal.close("a");
  delivery.start();
  await clock.pass(2_000);
  journal.close("b");
  await clock.pass(2_000);
  ledger.known.delete("b");
  journal.close("c");
  await clock.pass(7_000);
  expect(ledger.known).toEqual(new Set(["a", "b", "c"]));
});

test("a ledger that lost events confirmed in an earlier run gets all retained events again", async () => {
  const { clock, journal, ledger, delivery } = buildWorld();
  journal.begin(1);
  journal.close("a");
  delivery.start();
  await clock.pass(1_000);
  ledger.known.delete("a");
  delivery.watch(["a"]);
  await clock.pass(11_000);
  expect(ledger.known).toEqual(new Set(["a"]));
});

test("checks events of an earlier run immediately, and finishes no segment before the ledger's answer", async () => {
  const { clock, journal, ledger, delivery } = buildWorld();
  journal.begin(1);
  journal.close("b");
  journal.begin(1);
  ledger.isSilent = true;
  delivery.start();
  delivery.watch(["a"]);
  await clock.pass(20_000);
  expect(ledger.known).toEqual(new Set(["b"]));
  expect(journal.finished).toEqual([]);
  ledger.known.add("a");
  ledger.isSilent = false;
  await clock.pass(10_000);
  expect(journal.finished).toEqual([0]);
});

test("finishes no segment before it has noticed that the ledger was restored", async () => {
  const { clock, journal, ledger, delivery } = buildWorld();
  journal.begin(1);
  journal.close("a");
  delivery.start();
  await clock.pass(2_000);
  ledger.known.clear();
  const finish = journal.finish.bind(journal);
  journal.finish = (segment) => {
    expect(ledger.known).toContain("a");
    return finish(segment);
  };
  journal.begin(1);
  journal.close("b");
  journal.begin(1);
  await clock.pass(4_000);
  expect(ledger.known).toEqual(new Set(["a", "b"]));
  expect(journal.finished).toEqual([0, 1]);
});

test("queries an intact ledger for a few events every ten seconds and resends nothing", async () => {
  const { clock, journal, ledger, delivery } = buildWorld();
  journal.begin(1);
  for (let index = 0; index < 2_000; index += 1) journal.close(`event-${index}`);
  delivery.start();
  await clock.pass(55_000);
  expect(ledger.batches).toHaveLength(4);
  expect(ledger.questions.map(({ ids }) => ids.length)).toEqual([8, 8, 8, 8, 8]);
});

type Fault = "settled" | "lost" | "late" | "failed" | "failed after settling";
const faults = fc.array(fc.constantFrom<Fault>("settled", "lost", "late", "failed", "failed after settling"), {
  maxLength: 30,
});
const journals = fc.array(fc.array(fc.record({ spansSegments: fc.boolean() }), { maxLength: 12 }), {
  minLength: 1,
  maxLength: 6,
});

test("regardless of faults, every event arrives, and no segment is finished before the ledger has all of its events", async () => {
  await fc.assert(
    fc.asyncProperty(journals, faults, fc.nat({ max: 20_000 }), async (segments, script, restoreAfterMs) => {
      const { clock, journal, ledger, delivery } = buildWorld();
      const plan = [...script];
      ledger.answer = (batch) => {
        const fault = plan.shift() ?? "settled";
        if (fault === "settled" || fault === "failed after settling") ledger.settle(batch);
        if (fault === "late") clock.after(7_000, () => ledger.settle(batch));
        if (fault === "failed" || fault === "failed after settling") throw new Error(fault);
        return fault === "settled" ? "settled" : "carried";
      };
      const finish = journal.finish.bind(journal);
      journal.finish = (segment) => {
        for (const entry of journal.segments[segment]?.entries ?? [])
          if (entry.kind === "close") expect(ledger.known).toContain(entry.id);
        return finish(segment);
      };
      delivery.start();
      let carriedOver: string[] = [];
      for (const [number, calls] of segments.entries()) {
        journal.begin(1 + Math.floor(number / 2));
        for (const id of carriedOver) journal.close(id);
        carriedOver = [];
        for (const [index, { spansSegments }] of calls.entries()) {
          const id = `${number}-${index}`;
          journal.open(id);
          if (spansSegments) carriedOver.push(id);
          else journal.close(id);
        }
        await clock.pass(150);
      }
      for (const id of carriedOver) journal.close(id);
      journal.end();
      await clock.pass(restoreAfterMs);
      if (restoreAfterMs % 2 === 0) {
        ledger.known.clear();
        // Segments that were finished before are delivered and finished again.
        journal.finished.length = 0;
        delivery.redeliverAll();
      }
      for (let minutes = 0; minutes < 30 && new Set(journal.finished).size < segments.length; minutes += 1)
        await clock.pass(60_000);
      await clock.pass(60_000);
      const everything = journal.segments.flatMap(({ entries }) => entries.map((entry) => entry.id));
      expect(ledger.known).toEqual(new Set(everything));
      expect(new Set(journal.finished)).toEqual(new Set(segments.keys()));
      expect(delivery.backlog).toBe(0);
    }),
    { numRuns: 200 },
  );
});
