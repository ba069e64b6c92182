import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import type { Tenant } from "@tollgate/testkit/tenants.ts";
import fc from "fast-check";
import { expect } from "vitest";
import { closeLeases } from "./close-leases.ts";
import { heartbeat } from "./heartbeat.ts";
import { type Bank, budgetOf, buildRequest, type LeaseRequestFields, type Node, test } from "./leases.fixture.ts";
import { expireSilentNodes, reclaimLeases } from "./reclaim-leases.ts";

const FOUR_HOLDS = [10n, 10n, 10n, 10n];

test("when two nodes, with four connections each, request a thousand holds, exactly as many holds as fit are granted", async ({
  bank,
}) => {
  const { organizationId } = await bank.addOrganization(7_003n);
  expect(await takeAll(bank, organizationId, { holds: FOUR_HOLDS })).toEqual([7_000n]);
  expect(await bank.findDifferences()).toEqual([]);
});

test("with key and team budgets, the lowest limit applies", async ({ bank }) => {
  const { organizationId, keyId, teamId } = await bank.addOrganization(1_000_000n);
  const allowances = [{}, budgetOf("key", keyId, 6_009n), budgetOf("team", teamId, 8_000n)];
  expect(await takeAll(bank, organizationId, { allowances, holds: FOUR_HOLDS })).toEqual([6_000n, 6_000n, 6_000n]);
  expect(await bank.findDifferences()).toEqual([]);
});

test("after any sequence of operations, reserved credit equals the leases, and strict holds never exceed the credit", async ({
  bank,
}) => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 25 }), async (commands) => {
      const tenant = await bank.addOrganization(1_000n);
      const nodes = [await bank.startNode(), await bank.startNode()];
      const history: History = { bank, tenant, nodes, isReclaimed: false };
      for (const run of commands) {
        await run(history);
        expect(await bank.findDifferences()).toEqual([]);
      }
      const [quota] = await bank.query<{ leased: string; balance: string }>(
        `select leased, balance from organization_quota where organization_id = '${tenant.organizationId}'`,
      );
      // Events from a reclaimed lease are charged to free credit, which may already be leased again.
      if (!history.isReclaimed) expect(Number(quota?.leased)).toBeLessThanOrEqual(Number(quota?.balance));
      await bank.silenceAll();
    }),
    { numRuns: 15 },
  );
});

interface History {
  readonly bank: Bank;
  readonly tenant: Tenant;
  readonly nodes: readonly Node[];
  isReclaimed: boolean;
}

type Command = ((history: History) => Promise<unknown>) & { readonly [fc.toStringMethod]?: () => string };

const amount = fc.bigInt({ min: 0n, max: 400n });
const place = fc.nat({ max: 1 });
const leaseRequest = fc.record({
  holds: fc.array(amount, { maxLength: 4 }),
  returned: amount,
  slice: amount,
  largestHold: fc.bigInt({ min: 0n, max: 20n }),
  hasBudgets: fc.boolean(),
  isRepeated: fc.boolean(),
});

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(place, leaseRequest)
      .map(([at, requested]) => named(`request ${at}`, (history) => request(history, at, requested))),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(place, amount, amount)
      .map(([at, cost, share]) => named(`settle ${at}`, (history) => settle(history, at, cost, share))),
  },
  { weight: 1, arbitrary: place.map((at) => named(`heartbeat ${at}`, (history) => beat(history, at))) },
  { weight: 1, arbitrary: place.map((at) => named(`silence ${at}`, (history) => fallSilent(history, at))) },
  { weight: 1, arbitrary: fc.constant(named("reclaim", reclaim)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(place, amount)
      .map(([at, kept]) => named(`restart ${at}`, (history) => restart(history, at, kept))),
  },
);

function named(name: string, run: (history: History) => Promise<unknown>): Command {
  return Object.assign(run, { [fc.toStringMethod]: () => name });
}

async function request(
  { tenant, nodes }: History,
  at: number,
  requested: typeof leaseRequest extends fc.Arbitrary<infer T> ? T : never,
) {
  const { holds, isRepeated, hasBudgets, ...share } = requested;
  const allowances = hasBudgets
    ? [
        share,
        { ...share, ...budgetOf("key", tenant.keyId, 600n) },
        { ...share, ...budgetOf("team", tenant.teamId, 800n) },
      ]
    : [share];
  const node = nodes[at] as Node;
  const answer = await node.requestLease(tenant.organizationId, { allowances, holds });
  if (!isRepeated || answer.outcome !== "answered") return;
  const again = await node.send(buildRequest(tenant.organizationId, answer.seq, { allowances, holds }));
  expect(again).toEqual({ ...answer, denial: null });
}

/** Settles a call whose cost is within its share of the lease, so that the lease covers it. */
async function settle({ bank, tenant, nodes }: History, at: number, cost: bigint, share: bigint) {
  const node = nodes[at] as Node;
  const outstanding = BigInt((await bank.readLease(node, tenant.organizationId))?.outstanding ?? 0);
  const covered = cost < outstanding ? cost : outstanding;
  const budgets = [
    {
      scope: "key" as const,
      scopeId: tenant.keyId,
      startsAtMs: 0,
      endsAtMs: Number.POSITIVE_INFINITY,
      fromLease: share,
    },
  ];
  await bank.settle(tenant, { cost: covered, fromLease: covered, nodeId: node.nodeId, epoch: node.epoch, budgets });
}

async function beat({ bank, nodes }: History, at: number) {
  const { nodeId, epoch } = nodes[at] as Node;
  await heartbeat(bank.gateway, { nodeId, epoch, beat: 1, oldestUnconfirmedAtMs: null, uses: [] });
}

async function fallSilent({ bank, nodes }: History, at: number) {
  await bank.silence(nodes[at] as Node, 60);
  await expireSilentNodes(bank.worker);
}

async function reclaim(history: History) {
  const reclaimed = await reclaimLeases(history.bank.worker, 0);
  history.isReclaimed ||= reclaimed.length > 0;
}

async function restart({ bank, tenant, nodes }: History, at: number, kept: bigint) {
  const node = nodes[at] as Node;
  const window = { scope: "key" as const, scopeId: tenant.keyId, startsAtMs: 0, endsAtMs: Number.POSITIVE_INFINITY };
  const event = { id: makeUuidV7(Date.now()), organizationId: tenant.organizationId, epoch: node.epoch };
  await node.restart();
  await closeLeases(bank.gateway, node.nodeId, node.epoch, [
    { ...event, fromLease: kept, budgets: [{ window, fromLease: kept }] },
  ]);
}

/**
 * Sends 125 sequential requests for four holds from each of two nodes, repeats each request four times concurrently,
 * and returns the total granted.
 */
async function takeAll(bank: Bank, organizationId: string, requested: LeaseRequestFields): Promise<bigint[]> {
  const nodes = [await bank.startNode("own"), await bank.startNode("own")];
  const granted = await Promise.all(
    nodes.map(async (node) => {
      let totals: bigint[] = [];
      for (let seq = 1; seq <= 125; seq += 1) {
        const request = buildRequest(organizationId, seq, requested);
        const answers = await Promise.all(
          Array.from({ length: 4 }, () => sendUntilAnswered(node, request, requested.admission)),
        );
        totals = answers[0]?.allowances.map((allowance) => allowance.granted) ?? [];
        for (const answer of answers) expect(answer.allowances.map((allowance) => allowance.granted)).toEqual(totals);
      }
      return totals;
    }),
  );
  const [one = [], other = []] = granted;
  return one.map((total, index) => total + (other[index] ?? 0n));
}

async function sendUntilAnswered(node: Node, ...request: Parameters<Node["send"]>) {
  for (;;) {
    const answer = await node.send(...request);
    if (answer.outcome !== "busy") return answer;
  }
}
