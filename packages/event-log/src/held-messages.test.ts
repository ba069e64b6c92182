import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { HeldMessages } from "./held-messages.ts";
import { encodeUsageBatch } from "./usage-batch.ts";

const OPTIONS = { maxEvents: 40, maxMessages: 6, eventsTogether: 10, gatherMs: 200 };

class Message {
  readonly data: Uint8Array;
  reports = 0;

  constructor(count: number) {
    this.data = encodeUsageBatch({ nodeId: "node", epoch: 1, count, records: Buffer.from("records") });
  }

  working(): void {
    this.reports += 1;
  }
}

/** Returns how the promise ended, or `pending`. */
async function stateOf(promise: Promise<unknown>): Promise<unknown> {
  await vi.advanceTimersByTimeAsync(0);
  return Promise.race([promise, Promise.resolve("pending")]);
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("small messages are settled together, 200 ms after the first of them arrived", async () => {
  const held = new HeldMessages<Message>(OPTIONS);
  const group = held.takeGroup();
  const messages = [new Message(2), new Message(3)];
  await held.add(messages[0] as Message);
  await vi.advanceTimersByTimeAsync(150);
  await held.add(messages[1] as Message);
  await vi.advanceTimersByTimeAsync(49);
  expect(await stateOf(group)).toBe("pending");
  await vi.advanceTimersByTimeAsync(1);
  expect(await group).toEqual(messages);
  const next = held.takeGroup();
  await held.add(new Message(1));
  await vi.advanceTimersByTimeAsync(199);
  expect(await stateOf(next)).toBe("pending");
  await vi.advanceTimersByTimeAsync(1);
  expect(await next).toHaveLength(1);
});

test("a transaction that is full does not wait, and the rest waits for the next one", async () => {
  const held = new HeldMessages<Message>(OPTIONS);
  for (const count of [4, 4, 4, 1]) await held.add(new Message(count));
  expect(await held.takeGroup()).toHaveLength(3);
  const next = held.takeGroup();
  expect(await stateOf(next)).toBe("pending");
  await vi.advanceTimersByTimeAsync(200);
  expect(await next).toHaveLength(1);
});

test("messages that arrived while a group was settled do not wait again", async () => {
  const held = new HeldMessages<Message>(OPTIONS);
  await held.add(new Message(10));
  expect(await held.takeGroup()).toHaveLength(1);
  await held.add(new Message(1));
  await vi.advanceTimersByTimeAsync(250);
  expect(await held.takeGroup()).toHaveLength(1);
});

test("no more messages are added than the limits of events and of messages allow", async () => {
  for (const count of [20, 1]) {
    const held = new HeldMessages<Message>(OPTIONS);
    const limit = count === 20 ? 2 : OPTIONS.maxMessages;
    for (let index = 1; index < limit; index += 1) await held.add(new Message(count));
    const last = held.add(new Message(count));
    expect(await stateOf(last)).toBe("pending");
    expect(await held.takeGroup()).not.toBeNull();
    expect(await stateOf(last)).toBeUndefined();
  }
});

test("at the end, the waiting messages are taken immediately", async () => {
  const held = new HeldMessages<Message>(OPTIONS);
  await held.add(new Message(1));
  held.end();
  expect(await held.takeGroup()).toHaveLength(1);
  expect(await held.takeGroup()).toBeNull();
});

test("waiting and taken messages are reported as in progress", async () => {
  const held = new HeldMessages<Message>(OPTIONS);
  const messages = [new Message(10), new Message(1)];
  for (const message of messages) await held.add(message);
  await held.takeGroup();
  held.keepAlive();
  expect(messages.map(({ reports }) => reports)).toEqual([1, 1]);
});
