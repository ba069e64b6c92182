import { type AdmissionPolicy, STRICT_ADMISSION } from "@tollgate/domain/credit/admission.ts";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { sql } from "kysely";
import { Client } from "pg";
import { expect } from "vitest";
import { leaseCredit, writeLeaseRequests } from "./lease-credit.ts";
import { budgetOf, buildRequest, test } from "./leases.fixture.ts";

test.for<[AdmissionPolicy, bigint, bigint, bigint[], bigint]>([
  ["strict", 0n, 100n, [40n, 60n], 100n],
  ["strict", 0n, 100n, [40n, 61n, 10n], 40n],
  ["strict", 0n, 100n, [101n], 0n],
  ["strict", 0n, 0n, [1n], 0n],
  ["strict", 50n, 100n, [40n, 110n, 1n], 150n],
  ["strict", 50n, 100n, [40n, 111n], 40n],
  ["strict", 50n, -20n, [30n, 1n], 30n],
  ["positive", 500n, 100n, [99n, 500n, 1n], 599n],
  ["positive", 498n, 100n, [99n, 500n, 1n], 99n],
  ["positive", 500n, 100n, [100n, 1n], 100n],
  ["positive", 499n, 1n, [500n, 1n], 500n],
  ["positive", 498n, 1n, [500n], 0n],
  ["positive", 500n, 0n, [1n], 0n],
  ["positive", 500n, -1n, [1n], 0n],
  ["nonnegative", 7n, 0n, [7n, 1n], 7n],
  ["nonnegative", 6n, 0n, [7n], 0n],
  ["nonnegative", 5n, 100n, [100n, 5n, 1n], 105n],
  ["nonnegative", 500n, -1n, [1n], 0n],
])(
  "%s with an overdraft of %d grants from %d the longest prefix of %s, which is %d",
  async ([policy, overdraft, credit, holds, granted], { bank }) => {
    const { organizationId } = await bank.addOrganization(credit);
    const node = await bank.startNode();
    const answer = await node.requestLease(organizationId, { holds, admission: { policy, overdraft } });
    expect(answer).toMatchObject({
      outcome: "answered",
      allowances: [{ granted, free: credit - granted, balance: credit }],
    });
    const isWhole = holds.reduce((sum, hold) => sum + hold, 0n) === granted;
    expect(answer.denial?.kind).toBe(isWhole ? undefined : "refused");
    expect(await bank.findDifferences()).toEqual([]);
  },
);

test("a zero hold is granted when no credit is left", async ({ bank }) => {
  const { organizationId } = await bank.addOrganization(-5n);
  const node = await bank.startNode();
  expect(await node.requestLease(organizationId, { holds: [0n, 0n] })).toMatchObject({
    denial: null,
    allowances: [{ granted: 0n }],
  });
});

test("a hold draws from all of its allowances or from none, and a denial names the allowance without enough credit", async ({
  bank,
}) => {
  const { organizationId, keyId, teamId } = await bank.addOrganization(1_000n);
  const node = await bank.startNode();
  const allowances = [{}, budgetOf("team", teamId, 500n), budgetOf("key", keyId, 120n)];
  const answer = await node.requestLease(organizationId, { allowances, holds: [50n, 50n, 50n] });
  expect(answer.allowances).toMatchObject([
    { granted: 100n, free: 900n, balance: 1_000n },
    { granted: 100n, free: 400n, balance: 500n },
    { granted: 100n, free: 20n, balance: 120n },
  ]);
  expect(answer.denial).toMatchObject({ kind: "refused", allowance: 2 });
});

test("a budget ignores the overdraft under the strict policy, and may exceed its limit by the overdraft under the positive policy", async ({
  bank,
}) => {
  const node = await bank.startNode();
  const request = async (policy: AdmissionPolicy, amount: bigint) => {
    const { organizationId, keyId } = await bank.addOrganization(1_000n);
    const allowances = [{}, budgetOf("key", keyId, 100n)];
    return (
      await node.requestLease(organizationId, { allowances, holds: [amount], admission: { policy, overdraft: 50n } })
    ).denial;
  };
  expect(await request("strict", 100n)).toBeNull();
  expect(await request("strict", 101n)).toMatchObject({ kind: "refused", allowance: 1 });
  expect(await request("positive", 150n)).toBeNull();
  expect(await request("positive", 151n)).toMatchObject({ kind: "refused", allowance: 1 });
});

test("the previous rule applies to a gateway from the previous release, which sends no overdraft", async ({ bank }) => {
  const { organizationId } = await bank.addOrganization(1n);
  const node = await bank.startNode();
  const requests = writeLeaseRequests([buildRequest(organizationId, 1, { holds: [500n] })]);
  const { rows } = await sql<{ answers: readonly { readonly denial: unknown }[] }>`
    select lease_credit(${node.nodeId}, ${node.epoch}, 'positive', ${requests}::jsonb) as answers`.execute(
    bank.gateway,
  );
  expect(rows[0]?.answers[0]?.denial).toBeNull();
});

test("a hold names its allowances, so a budget that it doesn't name has no effect", async ({ bank }) => {
  const { organizationId, keyId } = await bank.addOrganization(1_000n);
  const node = await bank.startNode();
  const answer = await node.requestLease(organizationId, {
    allowances: [{}, budgetOf("key", keyId, 0n)],
    holds: [{ amount: 50n, allowances: [0] }],
  });
  expect(answer).toMatchObject({ denial: null, allowances: [{ granted: 50n }, { granted: 0n, free: 0n }] });
});

test("a limit change applies starting with the next request", async ({ bank }) => {
  const { organizationId, keyId } = await bank.addOrganization(1_000n);
  const node = await bank.startNode();
  const request = (limit: bigint) =>
    node.requestLease(organizationId, { allowances: [budgetOf("key", keyId, limit)], holds: [60n] });
  expect((await request(100n)).allowances[0]).toMatchObject({ granted: 60n, free: 40n });
  expect((await request(50n)).allowances[0]).toMatchObject({ granted: 60n, free: -10n });
  expect((await request(120n)).allowances[0]).toMatchObject({ granted: 120n, free: 0n });
});

test("returned credit is free immediately, and never exceeds the granted amount", async ({ bank }) => {
  const { organizationId } = await bank.addOrganization(100n);
  const node = await bank.startNode();
  await node.requestLease(organizationId, { holds: [80n] });
  const answer = await node.requestLease(organizationId, { allowances: [{ returned: 30n }], holds: [50n] });
  expect(answer.allowances[0]).toMatchObject({ granted: 130n, returned: 30n, free: 0n });
  const rest = await node.requestLease(organizationId, { allowances: [{ returned: 1_000n }] });
  expect(rest.allowances[0]).toMatchObject({ granted: 130n, returned: 130n, free: 100n });
});

test("a repeated sequence number changes nothing and returns the totals", async ({ bank }) => {
  const { organizationId, keyId } = await bank.addOrganization(100n);
  const node = await bank.startNode();
  const fields = { allowances: [{ slice: 100n }, budgetOf("key", keyId, 70n)], holds: [30n, 60n] };
  const request = buildRequest(organizationId, 1, fields);
  const first = await node.send(request);
  expect(first.denial?.kind).toBe("refused");
  expect(await node.send(request)).toEqual({ ...first, denial: null });
  expect(await node.send({ ...request, seq: 0 })).toEqual({ ...first, seq: 0, denial: null });
  expect(await bank.findDifferences()).toEqual([]);
});

test("accepts a sequence number that skips ahead, because the database may have been restored", async ({ bank }) => {
  const { organizationId } = await bank.addOrganization(100n);
  const node = await bank.startNode();
  expect((await node.send(buildRequest(organizationId, 57, { holds: [10n] }))).allowances[0]?.granted).toBe(10n);
  expect((await node.send(buildRequest(organizationId, 57, { holds: [10n] }))).allowances[0]?.granted).toBe(10n);
  expect((await node.send(buildRequest(organizationId, 58, { holds: [10n] }))).allowances[0]?.granted).toBe(20n);
});

test("budget-only requests are sequenced like all other requests", async ({ bank }) => {
  const { organizationId, keyId } = await bank.addOrganization(100n);
  const node = await bank.startNode();
  const request = buildRequest(organizationId, 1, { allowances: [budgetOf("key", keyId, 70n)], holds: [30n] });
  expect((await node.send(request)).allowances[0]?.granted).toBe(30n);
  expect((await node.send(request)).allowances[0]?.granted).toBe(30n);
});

test("rejects two requests for one organization in one statement", async ({ bank }) => {
  const { organizationId } = await bank.addOrganization(100n);
  const node = await bank.startNode();
  const requests = [buildRequest(organizationId, 1), buildRequest(organizationId, 2)];
  const asking = leaseCredit(bank.gateway, {
    nodeId: node.nodeId,
    epoch: node.epoch,
    admission: STRICT_ADMISSION,
    requests,
  });
  await expect(asking).rejects.toThrow("asked for twice");
});

test("a request for an organization whose row is locked returns busy and does not block other organizations", async ({
  bank,
  database,
}) => {
  const [used, other] = [await bank.addOrganization(100n), await bank.addOrganization(100n)];
  const node = await bank.startNode();
  const user = new Client({ connectionString: database.connectionString });
  await user.connect();
  try {
    await user.query("begin");
    await user.query("select from organization_quota where organization_id = $1 for update", [used.organizationId]);
    const answers = await leaseCredit(bank.gateway, {
      nodeId: node.nodeId,
      epoch: node.epoch,
      admission: STRICT_ADMISSION,
      requests: [used, other].map((tenant) => buildRequest(tenant.organizationId, 1, { holds: [10n] })),
    });
    expect(answers).toMatchObject([
      { organizationId: used.organizationId, seq: 1, outcome: "busy", allowances: [], denial: null },
      { organizationId: other.organizationId, seq: 1, outcome: "answered", allowances: [{ granted: 10n }] },
    ]);
    expect(await bank.readLease(node, used.organizationId)).toBeUndefined();
  } finally {
    await user.end();
  }
  expect((await node.requestLease(used.organizationId, { holds: [10n] })).outcome).toBe("answered");
});

test.for<[bigint, bigint, bigint]>([
  [1_000_000n, 10_000n, 10_000n],
  [1_000_000n, 900_000n, 50_000n],
  [19n, 19n, 0n],
  [0n, 10n, 0n],
  [-10n, 10n, 0n],
])("with %d free, a request for a slice of %d grants %d", async ([credit, slice, granted], { bank }) => {
  await bank.silenceAll();
  const { organizationId } = await bank.addOrganization(credit);
  const node = await bank.startNode();
  expect((await node.requestLease(organizationId, { allowances: [{ slice }] })).allowances[0]?.granted).toBe(granted);
});

test("no slice exceeds half the balance divided by the number of live nodes", async ({ bank }) => {
  const { organizationId } = await bank.addOrganization(1_000_000n);
  await bank.silenceAll();
  const nodes = await Promise.all(Array.from({ length: 40 }, () => bank.startNode()));
  const [node] = nodes;
  const liveNodes = BigInt((await node?.restart()) ?? 0);
  const answer = await node?.requestLease(organizationId, { allowances: [{ slice: 1_000_000n }] });
  expect(liveNodes).toBe(40n);
  expect(answer?.allowances[0]?.granted).toBe(1_000_000n / (2n * liveNodes));
});

test("an allowance below the threshold grants no slices until its free credit exceeds twice the threshold", async ({
  bank,
}) => {
  const { organizationId } = await bank.addOrganization(2_000n);
  const node = await bank.startNode();
  const request = async () => {
    const answer = await node.requestLease(organizationId, { allowances: [{ slice: 1n, largestHold: 100n }] });
    await node.requestLease(organizationId, { allowances: [{ returned: 1_000n, largestHold: 100n }] });
    return [answer.allowances[0]?.mode, answer.allowances[0]?.free];
  };
  // The slice itself takes the balance below the threshold.
  expect(await request()).toEqual(["exact", 1_999n]);
  for (const [credit, mode, free] of [
    [2_000n, "exact", 2_000n],
    [4_000n, "exact", 4_000n],
    [4_001n, "slices", 4_000n],
    [2_001n, "slices", 2_000n],
    [1_999n, "exact", 1_999n],
  ] as const) {
    await bank.setCredit(organizationId, credit);
    expect(await request()).toEqual([mode, free]);
  }
});

test("the largest hold expires ten minutes after it was last seen", async ({ bank }) => {
  const { organizationId } = await bank.addOrganization(4_000n);
  const node = await bank.startNode();
  expect((await node.requestLease(organizationId, { allowances: [{ largestHold: 500n }] })).allowances[0]?.mode).toBe(
    "exact",
  );
  expect((await node.requestLease(organizationId, { allowances: [{ largestHold: 10n }] })).allowances[0]?.mode).toBe(
    "exact",
  );
  await bank.query(`update organization_quota set largest_hold_at = now() - interval '601 seconds'
                     where organization_id = '${organizationId}'`);
  expect((await node.requestLease(organizationId, { allowances: [{ largestHold: 10n }] })).allowances[0]?.mode).toBe(
    "slices",
  );
});

test("a budget window counts spend from before and after its first request", async ({ bank }) => {
  const tenant = await bank.addOrganization(100_000n);
  const { organizationId, keyId, teamId } = tenant;
  const node = await bank.startNode();
  const hourMs = 3_600_000;
  const startsAtMs = Math.floor(Date.now() / hourMs - 3) * hourMs;
  const spend = (offsetMs: number, cost: bigint) =>
    bank.settle(tenant, { id: makeUuidV7(startsAtMs + offsetMs), userId: "7", cost });
  await spend(-1, 1n);
  await spend(0, 20n);
  await spend(hourMs - 1, 300n);
  await spend(hourMs, 4_000n);
  const window = { startsAtMs, endsAtMs: startsAtMs + hourMs };
  const odd = { startsAtMs, endsAtMs: startsAtMs + 1_000 };
  const allowances = [
    budgetOf("key", keyId, 0n, window),
    budgetOf("team", teamId, 0n, window),
    budgetOf("user", "7", 0n, window),
    budgetOf("organization", organizationId, 0n),
    budgetOf("key", keyId, 0n, { ...odd, startsAtMs: startsAtMs - 1 }),
    budgetOf("key", "key_other", 0n, window),
    budgetOf("user", "8", 0n, window),
  ];
  const readSpent = async () =>
    (await node.requestLease(organizationId, { allowances })).allowances.map((allowance) => -allowance.balance);
  expect(await readSpent()).toEqual([320n, 320n, 320n, 4_321n, 21n, 0n, 0n]);
  await spend(5_000, 50_000n);
  expect(await readSpent()).toEqual([50_320n, 50_320n, 50_320n, 54_321n, 21n, 0n, 0n]);
});
