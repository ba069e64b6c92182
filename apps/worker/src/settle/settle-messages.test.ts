import { connect } from "@tollgate/db/connect.ts";
import { ensurePriceVersions } from "@tollgate/db/ledger/price-versions.ts";
import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { encodeUsageBatch } from "@tollgate/event-log/usage-batch.ts";
import type { LogMessage } from "@tollgate/event-log/usage-consumer.ts";
import { encodeClose, recordSpace } from "@tollgate/journal/encode-record.ts";
import type { JournaledCall } from "@tollgate/journal/journaled-call.ts";
import { encodeIdentity, encodeTarget } from "@tollgate/journal/record-blocks.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import fc from "fast-check";
import { expect } from "vitest";
import { COST, type CostBySource, connectWorker, openBooks } from "../ledger.fixture.ts";
import { settleMessages } from "./settle-messages.ts";

class Message implements LogMessage {
  readonly data: Uint8Array;
  readonly deliveries: number;
  readonly reported: string[] = [];

  constructor(data: Uint8Array, deliveries = 1) {
    this.data = data;
    this.deliveries = deliveries;
  }

  ack(): void {
    this.reported.push("ack");
  }

  retry(afterMs: number): void {
    this.reported.push(`retry after ${afterMs}`);
  }

  drop(): void {
    this.reported.push("drop");
  }
}

function encode(books: CostBySource, calls: readonly JournaledCall[]): Buffer {
  const space = recordSpace(Buffer.alloc(64 * 1_024));
  let end = 0;
  for (const call of calls) end = encodeClose(space, end, call, books.closing());
  const records = space.bytes.subarray(0, end);
  return encodeUsageBatch({ nodeId: books.nodeId, epoch: 1, count: calls.length, records });
}

test("redelivering a message that was committed but not acknowledged changes nothing", async ({ database }) => {
  const books = await openBooks(database);
  const db = connectWorker(database);
  const call = books.makeCall();
  const before = await books.totalUsed();
  const message = encode(books, [call]);
  const messages = [new Message(message), new Message(message, 2)];
  for (const each of messages) expect((await settleMessages(db, [each])).kind).toBe("settled");
  expect(messages.map(({ reported }) => reported)).toEqual([["ack"], ["ack"]]);
  expect((await books.count()).get(call.id)).toBe(1);
  expect((await books.totalUsed()) - before).toBe(COST);
  await db.destroy();
});

test("settles both a record with units other than tokens and a record without timings", async ({ database }) => {
  const books = await openBooks(database);
  const db = connectWorker(database);
  const [plain, spoken] = [books.makeCall(), books.makeCall()];
  const price = tokenPrice(0n, 0n, { perCharacter: 15_000_000n, perSecond: 100_000_001n });
  const version = { id: priceVersionId("openai/voice", price), model: "openai/voice", price };
  await ensurePriceVersions(db, [version]);
  const usage = { ...NO_USAGE, characters: 120, audioMs: 8_437 };
  const cost = priceCall(usage, price);
  const target = encodeTarget({
    endpoint: "/v1/audio/speech",
    modelGroup: "voice",
    deploymentId: "voice-1",
    provider: "openai",
    priceVersionId: version.id,
  });
  const times = { gatewayBeforeUs: 410, queueUs: 0, failedUs: 90_000, gatewayAfterUs: 55 };
  const reported = { attempts: 2, fallbackFrom: "better-voice", endUser: "ann", ...times };
  const space = recordSpace(Buffer.alloc(64 * 1_024));
  const facts = { ...books.closing(), ...reported, usage, cost, fromLease: 0n };
  const middle = encodeClose(space, 0, { ...spoken, target }, facts);
  const end = encodeClose(space, middle, plain, books.closing());
  const records = space.bytes.subarray(0, end);
  const message = new Message(encodeUsageBatch({ nodeId: books.nodeId, epoch: 1, count: 2, records }));
  expect((await settleMessages(db, [message])).kind).toBe("settled");
  const rows = await querySql(
    database.connectionString,
    `select characters::int, audio_ms::int, cost::text, attempts, fallback_from, end_user,
            array[gateway_before_us, queue_us, failed_us, gateway_after_us] as times from usage_events
      where id in ('${spoken.id}', '${plain.id}') order by characters desc`,
  );
  expect(rows).toEqual([
    {
      characters: 120,
      audio_ms: 8_437,
      cost: cost.toString(),
      attempts: 2,
      fallback_from: "better-voice",
      end_user: "ann",
      times: [410, 0, 90_000, 55],
    },
    {
      characters: 0,
      audio_ms: 0,
      cost: COST.toString(),
      attempts: 1,
      fallback_from: null,
      end_user: null,
      times: [null, null, null, null],
    },
  ]);
  await db.destroy();
});

test("settles each event once, even if three concurrent workers receive up to five copies in any order", async ({
  database,
}) => {
  const books = await openBooks(database, 3);
  const workers = [connectWorker(database), connectWorker(database), connectWorker(database)];
  const repeats = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(repeats, fc.infiniteStream(fc.nat()), async (copies, chance) => {
      const before = await books.totalUsed();
      const calls = copies.map(() => books.makeCall());
      const sent = calls.flatMap((call, index) => Array.from({ length: copies[index] as number }, () => call));
      const shuffled = sent
        .map((call) => ({ call, order: chance.next().value as number }))
        .sort((left, right) => left.order - right.order)
        .map(({ call }) => call);
      const lanes = workers.map((_, lane) => shuffled.filter((__, index) => index % workers.length === lane));
      await Promise.all(
        workers.map(async (db, lane) => {
          const mine = lanes[lane] as JournaledCall[];
          for (let at = 0; at < mine.length; at += 4) {
            const pair = [mine.slice(at, at + 2), mine.slice(at + 2, at + 4)].filter((part) => part.length > 0);
            const answer = await settleMessages(
              db,
              pair.map((part) => new Message(encode(books, part))),
            );
            expect(answer.kind).toBe("settled");
          }
        }),
      );
      const counted = await books.count();
      for (const call of calls) expect(counted.get(call.id)).toBe(1);
      expect((await books.totalUsed()) - before).toBe(COST * BigInt(calls.length));
    }),
    { numRuns: 15 },
  );
  await Promise.all(workers.map((db) => db.destroy()));
});

test("parks an event that cannot be settled and settles all other events", async ({ database }) => {
  const books = await openBooks(database);
  const db = connectWorker(database);
  const unknownOrganization = encodeIdentity({
    organizationId: "org_00000000000000000000000000",
    teamId: null,
    keyId: "key",
    userId: null,
  });
  const calls = Array.from({ length: 100 }, () => books.makeCall());
  const poison = { ...books.makeCall(), identity: unknownOrganization };
  calls.splice(37, 0, poison);
  const message = new Message(encode(books, calls));
  expect((await settleMessages(db, [message])).kind).toBe("settled");
  expect(message.reported).toEqual(["ack"]);
  const counted = await books.count();
  for (const { id } of calls) expect(counted.get(id)).toBe(id === poison.id ? undefined : 1);
  expect((await books.parked()).map(({ id }) => id)).toContain(poison.id);
  await db.destroy();
});

test("parks an unreadable message once, regardless of how often it is delivered, and settles all other messages", async ({
  database,
}) => {
  const books = await openBooks(database);
  const db = connectWorker(database);
  const call = books.makeCall();
  const newer = encode(books, [books.makeCall()]);
  newer.writeUInt16LE(9, 4);
  const parkedBefore = (await books.parked()).length;
  for (let round = 0; round < 2; round += 1) {
    const messages = [new Message(Buffer.from("garbage")), new Message(encode(books, [call])), new Message(newer, 12)];
    const answer = await settleMessages(db, messages);
    expect(answer).toMatchObject({ kind: "settled", unreadable: [expect.anything(), "its schema version is 9"] });
    expect(messages.map(({ reported }) => reported)).toEqual([["drop"], ["ack"], ["drop"]]);
  }
  expect((await books.count()).get(call.id)).toBe(1);
  const parked = (await books.parked()).slice(parkedBefore);
  expect(parked.map(({ reason }) => reason).sort()).toEqual([
    "it is not a batch of usage events",
    "its schema version is 9",
  ]);
  await db.destroy();
});

test("retries a message from a later release before parking it", async ({ database }) => {
  const books = await openBooks(database);
  const db = connectWorker(database);
  const call = books.makeCall();
  const newer = encode(books, [books.makeCall()]);
  newer.writeUInt16LE(9, 4);
  const parkedBefore = (await books.parked()).length;
  const messages = [new Message(newer, 1), new Message(encode(books, [call])), new Message(newer, 11)];
  expect(await settleMessages(db, messages)).toMatchObject({ kind: "settled", events: 1, unreadable: [] });
  expect(messages.map(({ reported }) => reported)).toEqual([["retry after 500"], ["ack"], ["retry after 30000"]]);
  expect((await books.parked()).length).toBe(parkedBefore);
  await db.destroy();
});

test("while the database is unavailable, retries messages with increasing delays and acknowledges none of them", async ({
  database,
}) => {
  const books = await openBooks(database);
  const away = connect({
    connectionString: "postgres://tollgate@127.0.0.1:1/none",
    role: "tollgate_worker",
    poolSize: 1,
    applicationName: "tests",
  });
  const message = encode(books, [books.makeCall()]);
  const messages = [new Message(message, 1), new Message(message, 3), new Message(message, 60)];
  expect((await settleMessages(away, messages)).kind).toBe("failed");
  expect(messages.map(({ reported }) => reported)).toEqual([
    ["retry after 500"],
    ["retry after 2000"],
    ["retry after 30000"],
  ]);
  await away.destroy();
});
