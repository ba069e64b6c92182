import type { PendingEvent } from "@tollgate/domain/credit/lease-messages.ts";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import type { Tenant } from "@tollgate/testkit/tenants.ts";
import { expect } from "vitest";
import { closeLeases } from "./close-leases.ts";
import { type Bank, budgetOf, type Node, test } from "./leases.fixture.ts";
import { expireSilentNodes } from "./reclaim-leases.ts";

const WINDOW = { startsAtMs: 0, endsAtMs: Number.POSITIVE_INFINITY };

test("a restarted node returns the leased credit from its previous run", async ({ bank }) => {
  const { tenant, node, allowances } = await setAside(bank);
  const formerEpoch = node.epoch;
  await node.restart();
  await node.requestLease(tenant.organizationId, { allowances, holds: [5n] });
  expect(await closeLeases(bank.gateway, node.nodeId, node.epoch, [])).toBe(1);
  expect(await bank.readLease(node, tenant.organizationId, formerEpoch)).toEqual({ outstanding: "0", state: "closed" });
  expect(await bank.readLease(node, tenant.organizationId)).toEqual({ outstanding: "5", state: "active" });
  const answer = await node.requestLease(tenant.organizationId, { allowances });
  expect(answer.allowances).toMatchObject([{ free: 95n }, { free: 75n }]);
  expect(await closeLeases(bank.gateway, node.nodeId, node.epoch, [])).toBe(0);
});

test("credit for events not yet in the ledger stays leased until they are settled", async ({ bank }) => {
  const { tenant, node, allowances } = await setAside(bank);
  const { organizationId, keyId } = tenant;
  const formerEpoch = node.epoch;
  const event = pendingEvent(tenant, node, 12n);
  await node.restart();
  for (const closing of [event, event]) {
    expect(await closeLeases(bank.gateway, node.nodeId, node.epoch, [closing])).toBe(1);
    expect(await bank.readLease(node, organizationId, formerEpoch)).toEqual({ outstanding: "12", state: "closing" });
  }
  expect((await node.requestLease(organizationId, { allowances })).allowances).toMatchObject([
    { free: 88n },
    { free: 68n },
  ]);

  const budgets = [{ scope: "key" as const, scopeId: keyId, ...WINDOW, fromLease: 12n }];
  await bank.settle(tenant, {
    id: event.id,
    cost: 12n,
    fromLease: 12n,
    nodeId: node.nodeId,
    epoch: formerEpoch,
    budgets,
  });
  expect(await bank.readLease(node, organizationId, formerEpoch)).toEqual({ outstanding: "0", state: "closed" });
  expect((await node.requestLease(organizationId, { allowances })).allowances).toMatchObject([
    { balance: 88n, free: 88n },
    { balance: 68n, free: 68n },
  ]);
  expect(await bank.findDifferences()).toEqual([]);
});

test("no credit stays leased for events that are already settled or belong to another run", async ({ bank }) => {
  const { tenant, node, allowances } = await setAside(bank);
  const { organizationId, keyId } = tenant;
  const formerEpoch = node.epoch;
  const settled = pendingEvent(tenant, node, 12n);
  const budgets = [{ scope: "key" as const, scopeId: keyId, ...WINDOW, fromLease: 12n }];
  await bank.settle(tenant, {
    id: settled.id,
    cost: 12n,
    fromLease: 12n,
    nodeId: node.nodeId,
    epoch: formerEpoch,
    budgets,
  });
  await node.restart();
  const ofAnotherRun = { ...pendingEvent(tenant, node, 20n), epoch: 77 };
  await closeLeases(bank.gateway, node.nodeId, node.epoch, [settled, ofAnotherRun]);
  expect(await bank.readLease(node, organizationId, formerEpoch)).toEqual({ outstanding: "0", state: "closed" });
  expect((await node.requestLease(organizationId, { allowances })).allowances).toMatchObject([
    { free: 88n },
    { free: 68n },
  ]);
  expect(await bank.findDifferences()).toEqual([]);
});

test("no credit stays leased for parked events, whose share was already returned", async ({ bank }) => {
  const { tenant, node } = await setAside(bank);
  const formerEpoch = node.epoch;
  const event = pendingEvent(tenant, node, 12n);
  const share = { cost: 12n, fromLease: 12n, nodeId: node.nodeId, epoch: formerEpoch };
  expect(await bank.deliver(tenant, { id: event.id, ...share })).toBe("parked");
  await node.restart();
  await closeLeases(bank.gateway, node.nodeId, node.epoch, [event]);
  expect(await bank.readLease(node, tenant.organizationId, formerEpoch)).toEqual({ outstanding: "0", state: "closed" });
  expect(await bank.findDifferences()).toEqual([]);
});

test("a budget's share is returned even if the credit lease is already closed", async ({ bank }) => {
  const { tenant, node, allowances } = await setAside(bank);
  const { organizationId } = tenant;
  // The call uses no credit. All of the credit is returned, but the budget's share stays leased until the event is
  // settled.
  const event = { ...pendingEvent(tenant, node, 12n), fromLease: 0n };
  const formerEpoch = node.epoch;
  await node.restart();
  await closeLeases(bank.gateway, node.nodeId, node.epoch, [event]);
  expect(await bank.readLease(node, organizationId, formerEpoch)).toEqual({ outstanding: "0", state: "closed" });
  expect((await node.requestLease(organizationId, { allowances })).allowances).toMatchObject([
    { free: 100n },
    { free: 68n },
  ]);
  await closeLeases(bank.gateway, node.nodeId, node.epoch, []);
  expect((await node.requestLease(organizationId, { allowances })).allowances).toMatchObject([
    { free: 100n },
    { free: 80n },
  ]);
});

test("if events need more than the lease has left, the entire remainder stays leased", async ({ bank }) => {
  const { tenant, node } = await setAside(bank);
  const formerEpoch = node.epoch;
  const events = [pendingEvent(tenant, node, 30n), pendingEvent(tenant, node, 30n)];
  await node.restart();
  await closeLeases(bank.gateway, node.nodeId, node.epoch, events);
  expect(await bank.readLease(node, tenant.organizationId, formerEpoch)).toEqual({
    outstanding: "40",
    state: "closing",
  });
});

test("an expired lease is also closed, and a worker can close leases for a journal that it took over", async ({
  bank,
}) => {
  const { tenant, node } = await setAside(bank);
  await bank.silence(node, 60);
  await expireSilentNodes(bank.worker);
  expect(await closeLeases(bank.worker, node.nodeId, node.epoch + 1, [])).toBe(1);
  expect(await bank.readLease(node, tenant.organizationId)).toEqual({ outstanding: "0", state: "closed" });
});

test("a drained node is granted no more credit", async ({ bank }) => {
  const { tenant, node } = await setAside(bank);
  await closeLeases(bank.gateway, node.nodeId, node.epoch + 1, []);
  expect((await node.requestLease(tenant.organizationId, { holds: [1n] })).outcome).toBe("fenced");
});

/** Starts a node that leases 40 from an organization's credit of 100 and 40 from its key's budget of 80. */
async function setAside(bank: Bank) {
  const tenant = await bank.addOrganization(100n);
  const node = await bank.startNode();
  const allowances = [{}, budgetOf("key", tenant.keyId, 80n)];
  await node.requestLease(tenant.organizationId, { allowances, holds: [40n] });
  return { tenant, node, allowances };
}

function pendingEvent(tenant: Tenant, node: Node, fromLease: bigint): PendingEvent {
  return {
    id: makeUuidV7(Date.now()),
    organizationId: tenant.organizationId,
    epoch: node.epoch,
    fromLease,
    budgets: [{ window: { scope: "key", scopeId: tenant.keyId, ...WINDOW }, fromLease }],
  };
}
