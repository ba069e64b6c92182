import { OMITTED_FIELDS } from "@tollgate/domain/credit/usage-event.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import type { CloseRecord, JournalRecord } from "./decode-record.ts";
import { encodeCheckpoint, encodeClose, encodeOpen, recordSpace } from "./encode-record.ts";
import { finalizeGroup, GROUP_HEADER_BYTES } from "./group.ts";
import type { ClosingFacts, JournaledCall } from "./journaled-call.ts";
import { encodeIdentity, encodeTarget } from "./record-blocks.ts";
import { encodeHeader, type SegmentHeader } from "./segment-header.ts";

export const testHeader: SegmentHeader = {
  nodeId: "node_test",
  epoch: 7,
  createdAtMs: 1_763_000_000_000,
  salt: 0x5eed1234,
};

const testIdentity = encodeIdentity({ organizationId: "org_1", teamId: "team_1", keyId: "key_1", userId: null });

const testTarget = encodeTarget({
  endpoint: "chat.completions",
  modelGroup: "fast-model",
  deploymentId: "deployment_1",
  provider: "openai",
  priceVersionId: "price_1",
});

/** Returns the ID of the nth call. */
export const testId = (index: number): string => `01999999-0000-7000-8000-${index.toString(16).padStart(12, "0")}`;

/** Creates a valid call with these changes. */
export function testCall(index: number, changes: Partial<JournaledCall> = {}): JournaledCall {
  const id = testId(index);
  return {
    id,
    identity: testIdentity,
    target: testTarget,
    requestId: id,
    isStream: false,
    hold: 1_000n,
    isBilled: true,
    epoch: 7,
    budgets: [],
    lostAttempts: [],
    ...changes,
  };
}

/** Creates valid data for a closing record, with these changes. */
export function testFacts(changes: Partial<ClosingFacts> = {}): ClosingFacts {
  return {
    status: "success",
    httpStatus: 200,
    errorCode: null,
    usage: { ...NO_USAGE, inputTokens: 12, outputTokens: 3 },
    cost: 600n,
    fromLease: 600n,
    budgetShares: [],
    endedAtMs: 1_763_000_001_000,
    latencyMs: 250,
    firstTokenMs: null,
    ...OMITTED_FIELDS,
    ...changes,
  };
}

export type TestRecord =
  | { readonly kind: "open"; readonly call: JournaledCall }
  | { readonly kind: "checkpoint"; readonly id: string; readonly cost: bigint; readonly outputTokens: number }
  | { readonly kind: "close"; readonly call: JournaledCall; readonly facts: ClosingFacts };

export const openOf = (index: number, changes?: Partial<JournaledCall>): TestRecord => ({
  kind: "open",
  call: testCall(index, changes),
});

export const closeOf = (
  index: number,
  facts?: Partial<ClosingFacts>,
  changes?: Partial<JournaledCall>,
): TestRecord => ({
  kind: "close",
  call: testCall(index, changes),
  facts: testFacts(facts),
});

export const checkpointOf = (index: number, cost: bigint, outputTokens = 1): TestRecord => ({
  kind: "checkpoint",
  id: testId(index),
  cost,
  outputTokens,
});

/** Encodes a segment with these groups, followed by zeros. */
export function segmentOf(groups: readonly (readonly TestRecord[])[], zeros = 4_096, header = testHeader): Buffer {
  const parts = groups.map((records) => groupOf(records, header.salt));
  return Buffer.concat([encodeHeader(header), ...parts, Buffer.alloc(zeros)]);
}

/** Encodes one finalized group. */
export function groupOf(records: readonly TestRecord[], salt: number): Buffer {
  const space = recordSpace(Buffer.alloc(GROUP_HEADER_BYTES + (records.length + 1) * 32 * 1_024));
  let end = GROUP_HEADER_BYTES;
  for (const record of records) {
    if (record.kind === "open") end = encodeOpen(space, end, record.call);
    else if (record.kind === "close") end = encodeClose(space, end, record.call, record.facts);
    else {
      const usage = { ...testFacts().usage, outputTokens: record.outputTokens };
      end = encodeCheckpoint(space, end, record.id, usage, record.cost);
    }
  }
  finalizeGroup(space.bytes, space.view, end - GROUP_HEADER_BYTES, salt);
  return Buffer.from(space.bytes.subarray(0, end));
}

/** Returns the call ID of a record. */
export const idOf = (record: JournalRecord | CloseRecord): string =>
  record.kind === "checkpoint" ? record.id : record.call.id;
