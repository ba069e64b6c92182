import { expect, test } from "vitest";
import { CollectorQueue, type Delivery, MAX_WAITING } from "./collector-queue.ts";

test("counts items that a full queue drops, and reports an outage once", async () => {
  const received: string[] = [];
  const listener = { onAway: () => received.push("away"), onBack: () => received.push("back") };
  const queue = new CollectorQueue<number>(
    async () => "away",
    listener,
    () => 0,
    1_000_000,
  );
  for (let item = 0; item < MAX_WAITING + 10; item += 1) queue.add(item);
  expect(queue.counts).toEqual({ sent: 0, dropped: 10 });
  await queue.close();
  expect(queue.counts).toEqual({ sent: 0, dropped: MAX_WAITING + 10 });
  expect(received).toEqual(["away"]);
});

test("sends all waiting items in batches on close and drops a rejected batch", async () => {
  const batches: number[] = [];
  const answers: Delivery[] = ["taken", "refused", "taken"];
  const send = async (items: readonly number[]): Promise<Delivery> => {
    batches.push(items.length);
    return answers[batches.length - 1] ?? "taken";
  };
  const queue = new CollectorQueue<number>(send, { onAway: () => {}, onBack: () => {} }, () => 0, 1_000_000);
  for (let item = 0; item < 1_200; item += 1) queue.add(item);
  await queue.close();
  expect(batches).toEqual([512, 512, 176]);
  expect(queue.counts).toEqual({ sent: 688, dropped: 512 });
});
