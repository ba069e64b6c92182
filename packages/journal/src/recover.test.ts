import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { expect, test } from "vitest";
import { type CloseRecord, decodeRecord } from "./decode-record.ts";
import { encodeClose, recordSpace } from "./encode-record.ts";
import { encodeIdentity, encodeTarget } from "./record-blocks.ts";
import { MAX_RECORD_BYTES } from "./record-layout.ts";
import { checkpointOf, closeOf, openOf, segmentOf, type TestRecord, testId } from "./records.fixture.ts";
import { Recovery } from "./recover.ts";
import { scanSegment } from "./scan-segment.ts";

const ENDED_AT_MS = 1_763_000_009_000;

function recover(segments: readonly { records: readonly TestRecord[]; isDone?: boolean }[]) {
  const recovery = new Recovery();
  for (const { records, isDone } of segments) recovery.add(scanSegment(segmentOf([records])).records, isDone ?? false);
  return recovery.finish(ENDED_AT_MS);
}

test("a call without any response byte is closed as a failure at no cost", () => {
  const { closings } = recover([{ records: [openOf(1)] }]);
  expect(closings).toMatchObject([
    {
      call: { id: testId(1), hold: 1_000n },
      facts: { status: "failure", errorCode: "gateway_stopped", cost: 0n, fromLease: 0n, endedAtMs: ENDED_AT_MS },
    },
  ]);
});

test("a call is charged according to its last checkpoint, and the lease covers at most the call's hold", () => {
  const { closings, pending } = recover([
    { records: [openOf(1), openOf(2), checkpointOf(1, 300n, 5)] },
    { records: [checkpointOf(1, 400n, 9), checkpointOf(2, 5_000n, 50)] },
  ]);
  expect(closings.map(({ facts }) => [facts.cost, facts.fromLease, facts.usage.outputTokens])).toEqual([
    [400n, 400n, 9],
    [5_000n, 1_000n, 50],
  ]);
  expect(closings.every(({ facts }) => facts.usage.source === "estimated" && facts.status === "failure")).toBe(true);
  expect(pending.map(({ id, fromLease }) => [id, fromLease])).toEqual([
    [testId(1), 400n],
    [testId(2), 1_000n],
  ]);
});

test("a call that moved to another deployment is not charged for the previous deployment's checkpoint", () => {
  const { closings } = recover([{ records: [openOf(1), checkpointOf(1, 300n, 5), openOf(1, { hold: 2_000n })] }]);
  expect(closings).toMatchObject([{ call: { hold: 2_000n }, facts: { cost: 0n, fromLease: 0n } }]);
});

test("an interrupted call retains the lost attempts from its last open record", () => {
  const lost = {
    reason: "retry" as const,
    deploymentId: "deployment_2",
    provider: "openai",
    priceVersionId: "price_1",
  };
  const lostAttempts = [{ ...lost, usage: { ...NO_USAGE, outputTokens: 3 }, cost: 300n }];
  const { closings } = recover([{ records: [openOf(1), checkpointOf(1, 300n, 3), openOf(1, { lostAttempts })] }]);
  expect(closings).toMatchObject([{ call: { lostAttempts }, facts: { cost: 0n, loss: 0n } }]);
  const space = recordSpace(Buffer.alloc(MAX_RECORD_BYTES));
  const [{ call, facts }] = closings as [CloseRecord];
  const { identity, target } = call;
  const again = { ...call, identity: encodeIdentity(identity), target: encodeTarget(target) };
  encodeClose(space, 0, again, facts);
  expect(decodeRecord(space.bytes, 0)).toEqual(closings[0]);
});

test("rewriting an earlier open record removes no lost attempts", () => {
  const lost = {
    reason: "retry" as const,
    deploymentId: "deployment_2",
    provider: "openai",
    priceVersionId: "price_1",
  };
  const lostAttempts = [{ ...lost, usage: { ...NO_USAGE, outputTokens: 3 }, cost: 300n }];
  const reopened = openOf(1, { lostAttempts });
  const { closings } = recover([{ records: [openOf(1), reopened, checkpointOf(1, 70n)] }, { records: [openOf(1)] }]);
  expect(closings).toMatchObject([{ call: { lostAttempts }, facts: { cost: 70n } }]);
});

test("the cost of an interrupted call is charged to its budgets as well as to its credit", () => {
  const budgets = [{ scope: "team" as const, scopeId: "team_1", startsAtMs: 0, endsAtMs: Number.POSITIVE_INFINITY }];
  const { closings, pending } = recover([{ records: [openOf(1, { budgets }), checkpointOf(1, 70n)] }]);
  expect(closings[0]?.facts.budgetShares).toEqual([70n]);
  expect(pending[0]?.budgets).toEqual([{ window: budgets[0], fromLease: 70n }]);
});

test("closed calls stay unchanged and are pending until their segment is finished", () => {
  const { closings, pending } = recover([
    { records: [openOf(1), closeOf(1), openOf(2)] },
    { records: [closeOf(2)], isDone: true },
    { records: [openOf(3), closeOf(3, { fromLease: 77n }, { epoch: 4 })] },
  ]);
  expect(closings).toEqual([]);
  expect(pending).toEqual([
    { id: testId(1), organizationId: "org_1", epoch: 7, fromLease: 600n, budgets: [] },
    { id: testId(3), organizationId: "org_1", epoch: 4, fromLease: 77n, budgets: [] },
  ]);
});

test("a group that was written twice counts once", () => {
  const records = [openOf(1), closeOf(1), openOf(2)];
  const { closings, pending } = recover([{ records }, { records }]);
  expect(closings.map(({ call }) => call.id)).toEqual([testId(2)]);
  expect(pending.map(({ id }) => id)).toEqual([testId(1), testId(2)]);
});

test("calls with the operator's own key are closed but reserve no credit", () => {
  const identity = encodeIdentity({ organizationId: null, teamId: null, keyId: "key_operator", userId: null });
  const { closings, pending } = recover([{ records: [openOf(1, { identity }), closeOf(2, {}, { identity })] }]);
  expect(closings.map(({ call }) => call.id)).toEqual([testId(1)]);
  expect(pending).toEqual([]);
});
