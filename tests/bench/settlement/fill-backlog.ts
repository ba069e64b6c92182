import { randomBytes } from "node:crypto";
import { OMITTED_FIELDS } from "@tollgate/domain/credit/usage-event.ts";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { publishUsageBatch } from "@tollgate/event-log/publish-usage-batch.ts";
import { ensureUsageStream } from "@tollgate/event-log/usage-stream.ts";
import type { UsageStreamOptions } from "@tollgate/event-log/usage-stream-options.ts";
import { nextRecordAt } from "@tollgate/journal/delivery/record-range.ts";
import { encodeClose, recordSpace } from "@tollgate/journal/encode-record.ts";
import { encodeIdentity, encodeTarget } from "@tollgate/journal/record-blocks.ts";
import type { TestEventLog } from "@tollgate/testkit/event-log.ts";
import type { Tenant } from "@tollgate/testkit/tenants.ts";
import { TEST_NODE, TEST_PRICE } from "@tollgate/testkit/usage-events.ts";

const RECORD_ROOM_BYTES = 2_048;

const TARGET = encodeTarget({
  endpoint: "/v1/chat/completions",
  modelGroup: "fast",
  deploymentId: "fast-1",
  provider: "openai",
  priceVersionId: TEST_PRICE.id,
});

/** Publishes this many calls from these tenants, as a gateway would. Every second call belongs to the first tenant. */
export async function fillBacklog(
  { connection }: TestEventLog,
  stream: UsageStreamOptions,
  tenants: readonly Tenant[],
  events: number,
  eventsInMessage: number,
): Promise<void> {
  await ensureUsageStream(connection, stream);
  const identities = tenants.map(({ organizationId, teamId, keyId }) =>
    encodeIdentity({ organizationId, teamId, keyId, userId: null }),
  );
  const space = recordSpace(Buffer.alloc(RECORD_ROOM_BYTES));
  let made = 0;
  const makeRecord = (): Buffer => {
    const turn = made % 2 === 0 ? 0 : ((made - 1) / 2) % identities.length;
    const cost = 100 + (made % 900);
    made += 1;
    return encodeCall(space, identities[turn] as Buffer, cost);
  };
  for (let message = 0; made < events; message += 1) {
    const count = Math.min(eventsInMessage, events - made);
    const records = Buffer.concat(Array.from({ length: count }, makeRecord));
    const batch = { nodeId: TEST_NODE, epoch: 1, count, records, nextRecordAt };
    await publishUsageBatch(connection, stream, { id: String(message), ...batch });
  }
}

function encodeCall(space: ReturnType<typeof recordSpace>, identity: Buffer, tokens: number): Buffer {
  const id = makeUuidV7(Date.now(), randomBytes(10));
  const cost = BigInt(tokens);
  const call = { id, identity, target: TARGET, requestId: id, isStream: true, hold: cost, isBilled: true, epoch: 1 };
  const end = encodeClose(
    space,
    0,
    { ...call, budgets: [], lostAttempts: [] },
    {
      ...OMITTED_FIELDS,
      status: "success",
      httpStatus: 200,
      errorCode: null,
      usage: { ...NO_USAGE, inputTokens: tokens },
      cost,
      fromLease: cost,
      budgetShares: [],
      endedAtMs: Date.now(),
      latencyMs: 1_200,
      firstTokenMs: 300,
      gatewayBeforeUs: 400,
      queueUs: 0,
      failedUs: 0,
      gatewayAfterUs: 120,
    },
  );
  return Buffer.from(space.bytes.subarray(0, end));
}
