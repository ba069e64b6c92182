import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { jetstreamManager } from "@nats-io/jetstream";
import { USAGE_STREAM } from "@tollgate/event-log/usage-stream-options.ts";
import type { Carrier } from "@tollgate/gateway/delivery/delivery-messages.ts";
import type { TestEventLog } from "@tollgate/testkit/event-log.ts";
import { needs } from "@tollgate/testkit/needs.ts";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { deliver, openJournal } from "./journaled-calls.fixture.ts";
import { COST, openBooks } from "./ledger.fixture.ts";
import { NATS_SERVER, NatsServer, PACKAGED_NATS_SERVER } from "./nats-server.fixture.ts";
import { startWorker } from "./start-worker.ts";
import { spawnWorker } from "./worker-process.fixture.ts";

const logger = { info: () => {}, warn: () => {}, error: () => {} };

const streamOf = (eventLog: TestEventLog) => ({
  ...USAGE_STREAM,
  streamName: eventLog.streamName,
  subject: `${eventLog.subjectPrefix}.usage`,
});

for (const kind of ["direct", "jetstream"] as const) {
  test(`every closed call is in the ledger once, and its segments are removed (${kind})`, async ({
    database,
    eventLog,
  }) => {
    const books = await openBooks(database, 5);
    const calls = await openJournal(books);
    const { connectionString } = database;
    const stream = streamOf(eventLog);
    const natsUrl = kind === "jetstream" ? eventLog.url : null;
    const worker = startWorker({ connectionString, natsUrl, stream, logger });
    const carrier: Carrier = kind === "jetstream" ? { kind, url: eventLog.url, stream } : { kind };
    const { thread, troubles } = deliver({ connectionString, carrier, calls });

    const before = await books.totalUsed();
    const ids = await calls.close(3_000);
    ids.push(...(await calls.close(10)));
    await calls.journal.close();
    expect(await thread.drain(15_000)).toBe(true);

    const counted = await books.count();
    for (const id of ids) expect(counted.get(id)).toBe(1);
    expect((await books.totalUsed()) - before).toBe(COST * BigInt(ids.length));
    expect((await readdir(calls.directory)).filter((name) => name.endsWith(".seg"))).toEqual([]);
    await waitFor("an empty report", () => thread.backlog === 0 && thread.oldestUnconfirmedAtMs === null);
    expect(troubles).toEqual([]);
    await Promise.all([thread.stop(), worker.stop()]);
    await calls.remove();
  });
}

test("no event is lost if the stream is deleted before settlement", async ({ database, eventLog }) => {
  const books = await openBooks(database);
  const calls = await openJournal(books);
  const { connectionString } = database;
  const stream = streamOf(eventLog);
  const carrier: Carrier = { kind: "jetstream", url: eventLog.url, stream };
  const { thread } = deliver({ connectionString, carrier, calls });
  const ids = await calls.close(700);
  const manager = await jetstreamManager(eventLog.connection);
  const stored = () => manager.streams.info(stream.streamName).then(({ state }) => state.messages);
  await waitFor("the log to have all events", async () => (await stored()) >= 2);
  await waitFor("a report of unconfirmed events", () => thread.backlog === ids.length);
  expect(Date.now() - (thread.oldestUnconfirmedAtMs ?? 0)).toBeLessThan(20_000);
  await manager.streams.delete(stream.streamName);

  const worker = startWorker({ connectionString, natsUrl: eventLog.url, stream, logger });
  ids.push(...(await calls.close(50)));
  await calls.journal.close();
  expect(await thread.drain(18_000)).toBe(true);
  const counted = await books.count();
  for (const id of ids) expect(counted.get(id)).toBe(1);
  await Promise.all([thread.stop(), worker.stop()]);
  await calls.remove();
});

test("a process that takes over a dead process's journal delivers the journal's events", async ({ database }) => {
  const books = await openBooks(database);
  const [own, orphan] = [await openJournal(books), await openJournal(books)];
  const ids = await orphan.close(300);
  await orphan.journal.close();
  const { connectionString } = database;
  const { thread } = deliver({ connectionString, carrier: { kind: "direct" }, calls: own });
  thread.adopt(orphan.directory);
  ids.push(...(await own.close(20)));
  await own.journal.close();
  expect(await thread.drain(15_000)).toBe(true);
  const counted = await books.count();
  for (const id of ids) expect(counted.get(id)).toBe(1);
  expect((await readdir(orphan.directory)).filter((name) => name.endsWith(".seg"))).toEqual([]);
  await thread.stop();
  await Promise.all([own.remove(), orphan.remove()]);
});

test("workers that are killed repeatedly lose no event and settle no event twice", async ({ database, eventLog }) => {
  const books = await openBooks(database, 5);
  const calls = await openJournal(books);
  const { connectionString } = database;
  const stream = streamOf(eventLog);
  const carrier: Carrier = { kind: "jetstream", url: eventLog.url, stream };
  const { thread } = deliver({ connectionString, carrier, calls });
  const before = await books.totalUsed();
  const known = (await books.count()).size;
  const ids: string[] = [];
  for (let round = 1; round <= 4; round += 1) {
    ids.push(...(await calls.close(1_000)));
    const worker = spawnWorker({ connectionString, natsUrl: eventLog.url, stream });
    const exited = new Promise((resolve) => worker.once("exit", resolve));
    // The worker is killed when only part of this round is committed.
    const settled = async () => (await books.count()).size - known;
    await waitFor("some of the round", async () => (await settled()) > (round - 1) * 500, { limitMs: 10_000 });
    worker.kill("SIGKILL");
    await exited;
  }
  const worker = startWorker({ connectionString, natsUrl: eventLog.url, stream, logger });
  await calls.journal.close();
  expect(await thread.drain(20_000)).toBe(true);
  const counted = await books.count();
  for (const id of ids) expect(counted.get(id)).toBe(1);
  expect((await books.totalUsed()) - before).toBe(COST * BigInt(ids.length));
  await Promise.all([thread.stop(), worker.stop()]);
  await calls.remove();
});

for (const [name, program] of [
  ["the current server", NATS_SERVER],
  ["Debian's server 2.9.10", PACKAGED_NATS_SERVER],
] as const) {
  // Each server version is tested only if it is installed. scripts/engines builds the current version, and apt-get
  // installs the oldest supported version.
  test(
    `an event log that starts late, dies, and returns empty loses no event (${name})`,
    needs(program, existsSync(program)),
    async ({ database }) => {
      const books = await openBooks(database);
      const calls = await openJournal(books);
      const server = await NatsServer.prepare(program);
      const { connectionString } = database;
      const carrier: Carrier = { kind: "jetstream", url: server.url, stream: USAGE_STREAM };
      const { thread } = deliver({ connectionString, carrier, calls });
      const worker = startWorker({ connectionString, natsUrl: server.url, logger });
      const ids = await calls.close(600);
      const arrived = async () => {
        const counted = await books.count();
        return ids.every((id) => counted.get(id) === 1);
      };

      await server.start();
      await waitFor("the calls closed before the log started", arrived, { limitMs: 20_000 });
      await server.kill();
      await server.erase();
      ids.push(...(await calls.close(600)));
      await server.start();
      ids.push(...(await calls.close(10)));
      await waitFor("the calls closed around the loss of the log", arrived, { limitMs: 30_000 });

      await calls.journal.close();
      expect(await thread.drain(15_000)).toBe(true);
      await Promise.all([thread.stop(), worker.stop()]);
      await calls.remove();
      await server.remove();
    },
  );
}
