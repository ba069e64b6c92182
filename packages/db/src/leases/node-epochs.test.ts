import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { Client } from "pg";
import { expect } from "vitest";
import { closeLeases } from "./close-leases.ts";
import { heartbeat } from "./heartbeat.ts";
import { writeLeaseRequests } from "./lease-credit.ts";
import { type Bank, budgetOf, buildRequest, type Node, test } from "./leases.fixture.ts";
import { expireSilentNodes, reclaimLeases } from "./reclaim-leases.ts";
import { registerNode } from "./register-node.ts";

const MINUTE_MS = 60_000;

test("each start gets a higher epoch than any epoch known to the database or the node", async ({ bank }) => {
  const node = await bank.startNode();
  expect(node.epoch).toBe(1);
  const register = (knownEpoch: number) =>
    registerNode(bank.gateway, { nodeId: node.nodeId, knownEpoch, host: "there" });
  expect((await register(1)).epoch).toBe(2);
  expect((await register(0)).epoch).toBe(3);
  expect((await register(40)).epoch).toBe(41);
});

test("only the current run of a node is granted credit", async ({ bank }) => {
  const { organizationId } = await bank.addOrganization(100n);
  const node = await bank.startNode();
  await node.requestLease(organizationId, { holds: [10n] });
  const formerEpoch = node.epoch;
  await node.restart();
  node.epoch = formerEpoch;
  expect(await node.send(buildRequest(organizationId, 2, { holds: [10n] }))).toEqual({
    organizationId,
    seq: 2,
    outcome: "fenced",
    allowances: [],
    denial: null,
  });
  expect(await beat(bank, node, 1)).toEqual({ kind: "fenced" });
  node.epoch += 2;
  expect((await node.send(buildRequest(organizationId, 1))).outcome).toBe("fenced");
  expect((await bank.readLease(node, organizationId, formerEpoch))?.outstanding).toBe("10");
});

test("a node restart waits for pending grants to its previous run, so that closing finds them", async ({
  bank,
  database,
}) => {
  const { organizationId } = await bank.addOrganization(100n);
  const node = await bank.startNode();
  const requests = writeLeaseRequests([buildRequest(organizationId, 1, { holds: [40n] })]);
  const former = new Client({ connectionString: database.connectionString });
  await former.connect();
  try {
    await former.query("begin");
    await former.query("select lease_credit($1, $2, 'strict', $3)", [node.nodeId, node.epoch, requests]);
    const restarted = node.restart();
    await waitFor("the start to wait", async () => {
      const waiting = await bank.query(`select from pg_stat_activity where datname = current_database()
                                           and wait_event_type = 'Lock' and query like '%register_node%'`);
      return waiting.length > 0;
    });
    await former.query("commit");
    await restarted;
  } finally {
    await former.end();
  }
  expect(await closeLeases(bank.gateway, node.nodeId, node.epoch, [])).toBe(1);
});

test("a heartbeat returns the number of live nodes and the previous heartbeat number", async ({ bank }) => {
  await bank.silenceAll();
  const node = await bank.startNode();
  await bank.startNode();
  expect(await beat(bank, node, 1)).toEqual({ kind: "alive", liveNodes: 2, previousBeat: 0 });
  expect(await beat(bank, node, 4)).toEqual({ kind: "alive", liveNodes: 2, previousBeat: 1 });
  expect(await beat(bank, node, 5)).toEqual({ kind: "alive", liveNodes: 2, previousBeat: 4 });
});

test("a heartbeat stores the node's reported lease usage and journal state", async ({ bank }) => {
  const { organizationId } = await bank.addOrganization(100n);
  const node = await bank.startNode();
  const oldestUnconfirmedAtMs = Date.parse("2026-11-15T10:00:00.250Z");
  for (const inUse of [9_007_199_254_740_993n, 5n]) {
    const uses = [{ organizationId, inUse, calls: 3 }];
    const { nodeId, epoch } = node;
    await heartbeat(bank.gateway, { nodeId, epoch, beat: 1, oldestUnconfirmedAtMs, uses });
    expect(
      await bank.query(`select in_use, calls, oldest_unconfirmed_at from lease_use join gateway_nodes using (node_id, epoch)
                         where node_id = '${nodeId}'`),
    ).toEqual([{ in_use: inUse.toString(), calls: 3, oldest_unconfirmed_at: new Date(oldestUnconfirmedAtMs) }]);
  }
});

test("a lease expires five seconds after its deadline, retains its credit, and is revived by the next heartbeat", async ({
  bank,
}) => {
  const { organizationId } = await bank.addOrganization(100n);
  const node = await bank.startNode();
  await node.requestLease(organizationId, { holds: [40n] });
  await bank.expireAt(node, 35);
  expect(await bank.readLease(node, organizationId)).toEqual({ outstanding: "40", state: "active" });

  await bank.expireAt(node, 36);
  expect(await bank.readLease(node, organizationId)).toEqual({ outstanding: "40", state: "lapsed" });
  expect((await node.requestLease(organizationId, { holds: [10n] })).outcome).toBe("fenced");

  expect((await beat(bank, node, 1)).kind).toBe("alive");
  expect(await bank.readLease(node, organizationId)).toEqual({ outstanding: "40", state: "active" });
  expect((await node.requestLease(organizationId, { holds: [10n] })).allowances[0]).toMatchObject({
    granted: 50n,
    free: 50n,
  });
});

test("a lease from a previous run expires even if its node is alive, unless the node has just started", async ({
  bank,
}) => {
  const { organizationId } = await bank.addOrganization(100n);
  const node = await bank.startNode();
  const formerEpoch = node.epoch;
  await node.requestLease(organizationId, { holds: [40n] });
  await node.restart();
  await node.requestLease(organizationId, { holds: [5n] });
  await expireSilentNodes(bank.worker);
  expect((await bank.readLease(node, organizationId, formerEpoch))?.state).toBe("active");
  await bank.query(
    `update gateway_nodes set started_at = now() - interval '36 seconds' where node_id = '${node.nodeId}'`,
  );
  await expireSilentNodes(bank.worker);
  expect((await bank.readLease(node, organizationId, formerEpoch))?.state).toBe("lapsed");
  expect((await bank.readLease(node, organizationId))?.state).toBe("active");
  await beat(bank, node, 1);
  expect((await bank.readLease(node, organizationId, formerEpoch))?.state).toBe("lapsed");
});

test("a lease that waits for events expires only if its node stops sending heartbeats, because only that node can deliver the events", async ({
  bank,
}) => {
  const { organizationId } = await bank.addOrganization(100n);
  const node = await bank.startNode();
  const formerEpoch = node.epoch;
  await node.requestLease(organizationId, { holds: [40n] });
  await node.restart();
  const event = { id: makeUuidV7(Date.now()), organizationId, epoch: formerEpoch, fromLease: 25n, budgets: [] };
  await closeLeases(bank.gateway, node.nodeId, node.epoch, [event]);
  await bank.query(`update gateway_nodes set started_at = now() - interval '1 hour' where node_id = '${node.nodeId}'`);
  await expireSilentNodes(bank.worker);
  expect(await bank.readLease(node, organizationId, formerEpoch)).toEqual({ outstanding: "25", state: "closing" });

  await bank.silence(node, 36);
  await expireSilentNodes(bank.worker);
  expect(await bank.readLease(node, organizationId, formerEpoch)).toEqual({ outstanding: "25", state: "lapsed" });
});

test("a heartbeat that arrives after a later one does not decrease the heartbeat number", async ({ bank }) => {
  const node = await bank.startNode();
  await beat(bank, node, 2);
  await beat(bank, node, 1);
  expect(await beat(bank, node, 3)).toMatchObject({ kind: "alive", previousBeat: 2 });
});

test("a heartbeat that arrives after a later one does not replace what the later one reported", async ({ bank }) => {
  const { nodeId, epoch } = await bank.startNode();
  const readOldest = () =>
    bank.query(`select oldest_unconfirmed_at as oldest from gateway_nodes where node_id = '${nodeId}'`);
  const oldestUnconfirmedAtMs = Date.parse("2026-11-15T10:00:00.250Z");
  await heartbeat(bank.gateway, { nodeId, epoch, beat: 2, oldestUnconfirmedAtMs: null, uses: [] });
  await heartbeat(bank.gateway, { nodeId, epoch, beat: 1, oldestUnconfirmedAtMs, uses: [] });
  expect(await readOldest()).toEqual([{ oldest: null }]);
  await heartbeat(bank.gateway, { nodeId, epoch, beat: 3, oldestUnconfirmedAtMs, uses: [] });
  expect(await readOldest()).toEqual([{ oldest: new Date(oldestUnconfirmedAtMs) }]);
});

test("an expired lease's credit is reclaimed after a delay, reported once, and never granted to that run again", async ({
  bank,
}) => {
  const { organizationId, keyId } = await bank.addOrganization(100n);
  const node = await bank.startNode();
  await node.requestLease(organizationId, { allowances: [{}, budgetOf("key", keyId, 70n)], holds: [40n] });
  await bank.silence(node, 60);
  await expireSilentNodes(bank.worker);
  expect(await reclaimLeases(bank.worker, 15 * MINUTE_MS)).toEqual([]);

  await bank.query(
    `update credit_leases set lapsed_at = now() - interval '15 minutes 1 second' where node_id = '${node.nodeId}'`,
  );
  const { nodeId, epoch } = node;
  expect(await reclaimLeases(bank.worker, 15 * MINUTE_MS)).toEqual([
    { organizationId, nodeId, epoch, amount: 40n, budgetAmount: 40n },
  ]);
  expect(await reclaimLeases(bank.worker, 15 * MINUTE_MS)).toEqual([]);
  expect(
    await bank.query(
      `select data from outbox where organization_id = '${organizationId}' and type = 'lease.reclaimed'`,
    ),
  ).toEqual([{ data: { nodeId, epoch, amount: "40", budgetAmount: "40" } }]);
  expect(await bank.readLease(node, organizationId)).toEqual({ outstanding: "0", state: "reclaimed" });

  expect((await beat(bank, node, 1)).kind).toBe("alive");
  expect((await node.requestLease(organizationId, { holds: [10n] })).outcome).toBe("fenced");
  await node.restart();
  const allowances = [{}, budgetOf("key", keyId, 70n)];
  expect((await node.requestLease(organizationId, { allowances })).allowances).toMatchObject([
    { free: 100n },
    { free: 70n },
  ]);
  expect(await bank.findDifferences()).toEqual([]);
});

test("an event from a reclaimed lease is still charged and takes nothing from other leases", async ({ bank }) => {
  const tenant = await bank.addOrganization(100n);
  const { organizationId } = tenant;
  const [dead, other] = [await bank.startNode(), await bank.startNode()];
  await dead.requestLease(organizationId, { holds: [40n] });
  await other.requestLease(organizationId, { holds: [30n] });
  await bank.silence(dead, 60);
  await expireSilentNodes(bank.worker);
  await reclaimLeases(bank.worker, 0);
  await bank.settle(tenant, { cost: 25n, fromLease: 25n, nodeId: dead.nodeId, epoch: dead.epoch });
  expect((await other.requestLease(organizationId)).allowances[0]).toMatchObject({ balance: 75n, free: 45n });
  expect(await bank.findDifferences()).toEqual([]);
});

test("no process can write the lease tables directly or call another role's functions", async ({ bank, database }) => {
  const roles = ["tollgate_gateway", "tollgate_platform", "tollgate_worker"];
  const tables = ["gateway_nodes", "credit_leases", "lease_use", "budget_windows", "budget_leases"];
  const rights = await bank.query(`
    select role, name, right_ from unnest(array[${list(roles)}]) as role, unnest(array[${list(tables)}]) as name,
           unnest(array['insert', 'update', 'delete', 'truncate']) as right_
     where has_table_privilege(role, name, right_)`);
  expect(rights).toEqual([]);
  await expect(registerNode(bank.worker, { nodeId: "n", knownEpoch: 0, host: "" })).rejects.toThrow(
    "permission denied",
  );
  await expect(expireSilentNodes(bank.gateway)).rejects.toThrow("permission denied");
  await expect(reclaimLeases(database.connect("tollgate_platform"), 0)).rejects.toThrow("permission denied");
});

function beat(bank: Bank, node: Node, number: number) {
  const { nodeId, epoch } = node;
  return heartbeat(bank.gateway, { nodeId, epoch, beat: number, oldestUnconfirmedAtMs: null, uses: [] });
}

function list(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(", ");
}
