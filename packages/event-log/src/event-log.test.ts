import { jetstreamManager } from "@nats-io/jetstream";
import { watchAwakeTime } from "@tollgate/testkit/awake-time.ts";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { openSettlerConsumer } from "./settler-consumer.ts";
import { decodeUsageBatch } from "./usage-batch.ts";
import { type LogMessage, UsageConsumer } from "./usage-consumer.ts";
import { UsagePublisher } from "./usage-publisher.ts";
import { ensureUsageStream } from "./usage-stream.ts";
import { USAGE_STREAM } from "./usage-stream-options.ts";

const onTrouble = () => {};
/** Newest version of records that the reader knows. */
const NEWEST_VERSION = 4;
const record = Buffer.from("record");
const oneRecord = { nodeId: "node", epoch: 1, count: 1, records: record, nextRecordAt: () => record.length };

test("the stream is created once and updated when its settings change", async ({ eventLog }) => {
  const { streamName, subjectPrefix, connection } = eventLog;
  const stream = { ...USAGE_STREAM, streamName, subject: `${subjectPrefix}.usage` };
  await Promise.all([ensureUsageStream(connection, stream), ensureUsageStream(connection, stream)]);
  await ensureUsageStream(connection, { ...stream, maxBytes: 5_000_000 });
  const manager = await jetstreamManager(connection);
  const { config } = await manager.streams.info(streamName);
  expect(config).toMatchObject({ max_bytes: 5_000_000, num_replicas: 1, storage: "file", retention: "limits" });
  await manager.consumers.add(streamName, { durable_name: "settler", ack_policy: "explicit", max_ack_pending: 7 });
  await Promise.all([openSettlerConsumer(connection, stream), openSettlerConsumer(connection, stream)]);
  expect((await manager.consumers.info(streamName, "settler")).config.max_ack_pending).toBe(8_192);
});

test("a batch published twice under one ID is stored once, and stored again under a new ID", async ({ eventLog }) => {
  const { streamName, subjectPrefix, connection, url } = eventLog;
  const publisher = new UsagePublisher({
    url,
    stream: { ...USAGE_STREAM, streamName, subject: `${subjectPrefix}.usage` },
  });
  const batch = { id: "a", ...oneRecord };
  await publisher.publish(batch);
  await publisher.publish(batch);
  await publisher.publish({ ...batch, id: "b" });
  const { state } = await (await jetstreamManager(connection)).streams.info(streamName);
  expect(state.messages).toBe(2);
  await publisher.close();
});

test("a batch too large for one message arrives complete in several messages", async ({ eventLog }) => {
  const { streamName, subjectPrefix, url } = eventLog;
  const stream = { ...USAGE_STREAM, streamName, subject: `${subjectPrefix}.usage` };
  const publisher = new UsagePublisher({ url, stream });
  const records = Array.from({ length: 300 }, (_, index) => incompressible(10_000, index));
  const nextRecordAt = (_: Uint8Array, offset: number) => offset + 10_000;
  const whole = Buffer.concat(records);
  await publisher.publish({ id: "large", nodeId: "node", epoch: 1, count: 300, records: whole, nextRecordAt });
  const received: Buffer[] = [];
  const handle = async (messages: readonly LogMessage[]) => {
    for (const message of messages) {
      const decoded = decodeUsageBatch(message.data, NEWEST_VERSION);
      if (decoded.kind === "batch") received.push(Buffer.from(decoded.batch.records));
      message.ack();
    }
    return true;
  };
  const consumer = new UsageConsumer({ url, stream, handle, onTrouble });
  await waitFor("every record", () => received.reduce((sum, part) => sum + part.length, 0) === whole.length);
  expect(received.length).toBeGreaterThan(2);
  expect(Buffer.concat(received).equals(whole)).toBe(true);
  await consumer.stop();
  await publisher.close();
});

test("a stopped consumer's messages go to another consumer within two seconds, and a slow consumer keeps its messages", async ({
  eventLog,
}) => {
  const { streamName, subjectPrefix, url } = eventLog;
  const stream = { ...USAGE_STREAM, streamName, subject: `${subjectPrefix}.usage` };
  const publisher = new UsagePublisher({ url, stream });
  await publisher.publish({ id: "slow", ...oneRecord });
  const release = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const slow = new UsageConsumer({
    url,
    stream,
    onTrouble,
    handle: async () => {
      held.resolve();
      await release.promise;
      return true; // without an acknowledgment, as if the process had died
    },
  });
  await held.promise;
  const awakeTime = watchAwakeTime();
  const heldAtMs = performance.now();
  const other: number[] = [];
  const quick = new UsageConsumer({
    url,
    stream,
    onTrouble,
    handle: async (messages) => {
      other.push(performance.now());
      for (const message of messages) message.ack();
      return true;
    },
  });
  // This wait is longer than the acknowledgment timeout.
  await waitFor("three seconds", () => performance.now() - heldAtMs > 3_000);
  // A process that stalls can't keep its messages.
  const stalledMs = performance.now() - heldAtMs - awakeTime(heldAtMs, performance.now());
  if (stalledMs < 1_000) expect(other).toEqual([]);
  const releasedAtMs = performance.now();
  release.resolve();
  await slow.stop();
  const [takenAtMs] = await waitFor("the other consumer", () => other.length > 0 && other);
  expect(awakeTime(releasedAtMs, takenAtMs as number)).toBeLessThan(2_500);
  await quick.stop();
  await publisher.close();
});

/** Returns pseudorandom bytes that are the same in every run. */
function incompressible(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed + 1;
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}
