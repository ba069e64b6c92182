import { expect } from "vitest";
import { listenForNotices, type Notice } from "../change-notifications.ts";
import { type Bank, test as base, budgetOf, type LeaseRequestFields, type Node } from "./leases.fixture.ts";

const test = base.extend("recalls", async ({ database }, { onCleanup }) => {
  const notices: Notice[] = [];
  const listener = listenForNotices(
    database.connectionString,
    (notice) => notice.kind === "recall" && notices.push(notice),
    () => {},
  );
  onCleanup(() => listener.close());
  await listener.listening;
  return notices;
});

const HOLD: LeaseRequestFields = { holds: [60n] };

test("a hold waits while another node may have idle credit, and is granted once that credit returns", async ({
  bank,
  recalls,
}) => {
  const { organizationId, rich, poor } = await setAsideElsewhere(bank);
  const first = await poor.requestLease(organizationId, HOLD);
  expect(first).toMatchObject({ denial: { kind: "wait", allowance: 0 }, allowances: [{ granted: 0n, mode: "exact" }] });
  const recall = first.denial?.recall ?? 0;
  expect(first.allowances[0]?.recall).toBe(recall);
  const nodes = [rich.nodeId];
  const sent = { kind: "recall", organizationId, recall, allowance: { kind: "credit" }, nodes };
  await expect.poll(() => recalls).toEqual([sent]);

  // The same recall is still in progress, so there is no second notification.
  const again = await poor.requestLease(organizationId, { ...HOLD, afterRecall: recall });
  expect(again.denial).toEqual({ kind: "wait", allowance: 0, recall });

  await rich.requestLease(organizationId, { allowances: [{ returned: 50n, recallSeen: recall }] });
  const granted = await poor.requestLease(organizationId, { ...HOLD, afterRecall: recall });
  expect(granted).toMatchObject({ denial: null, allowances: [{ granted: 60n, free: 0n }] });
  expect(recalls.length).toBe(1);
});

test("a hold is refused if it still does not fit after every live node has responded to the recall", async ({
  bank,
}) => {
  const { organizationId, rich, poor } = await setAsideElsewhere(bank);
  const recall = (await poor.requestLease(organizationId, HOLD)).denial?.recall ?? 0;
  await rich.requestLease(organizationId, { allowances: [{ returned: 10n, recallSeen: recall }] });
  const answer = await poor.requestLease(organizationId, { ...HOLD, afterRecall: recall });
  expect(answer).toMatchObject({ denial: { kind: "refused", allowance: 0 }, allowances: [{ granted: 0n, free: 20n }] });
});

test("as long as an allowance stays exact, a node is recalled once", async ({ bank, recalls }) => {
  const { organizationId, rich, poor } = await setAsideElsewhere(bank);
  const recall = (await poor.requestLease(organizationId, HOLD)).denial?.recall ?? 0;
  await rich.requestLease(organizationId, { allowances: [{ recallSeen: recall }] });
  // The rest of the credit is in running calls of the other node, which returns what they leave without being asked.
  expect((await poor.requestLease(organizationId, HOLD)).denial).toEqual({ kind: "refused", allowance: 0, recall });
  expect(recalls).toHaveLength(1);
});

test("a node that has not responded is asked again for each new hold, under the same number", async ({
  bank,
  recalls,
}) => {
  const { organizationId, rich, poor } = await setAsideElsewhere(bank);
  const recall = (await poor.requestLease(organizationId, HOLD)).denial?.recall ?? 0;
  expect((await poor.requestLease(organizationId, HOLD)).denial).toEqual({ kind: "wait", allowance: 0, recall });
  await expect.poll(() => recalls.length).toBe(2);
  await rich.requestLease(organizationId, { allowances: [{ recallSeen: recall }] });
  expect((await poor.requestLease(organizationId, HOLD)).denial?.kind).toBe("refused");
});

test("a response to a recall holds for a second", async ({ bank }) => {
  const { organizationId, rich, poor } = await setAsideElsewhere(bank);
  const first = (await poor.requestLease(organizationId, HOLD)).denial?.recall ?? 0;
  await rich.requestLease(organizationId, { allowances: [{ recallSeen: first }] });
  await bank.query(`update organization_quota set recall = recall - 1100 where organization_id = '${organizationId}'`);
  const later = (await poor.requestLease(organizationId, HOLD)).denial;
  expect(later?.kind).toBe("wait");
  expect(later?.recall).toBeGreaterThanOrEqual(first);
});

test("after an allowance was granted in slices, a response to an earlier recall does not count", async ({ bank }) => {
  const { organizationId, rich, poor } = await setAsideElsewhere(bank);
  const first = (await poor.requestLease(organizationId, HOLD)).denial?.recall ?? 0;
  await rich.requestLease(organizationId, { allowances: [{ recallSeen: first }] });
  await bank.setCredit(organizationId, 10_000n);
  expect((await rich.requestLease(organizationId, { allowances: [{ slice: 100n }] })).allowances[0]?.mode).toBe(
    "slices",
  );
  const second = (await poor.requestLease(organizationId, { holds: [20_000n] })).denial;
  expect(second?.kind).toBe("wait");
  expect(second?.recall).toBeGreaterThan(first);
});

test("a response to the recall of one allowance does not count for another allowance", async ({ bank }) => {
  const { organizationId, keyId } = await bank.addOrganization(1_000n);
  const [rich, poor] = [await bank.startNode(), await bank.startNode()];
  const allowances = [{}, budgetOf("key", keyId, 100n)];
  await rich.requestLease(organizationId, { allowances, holds: [90n] });
  const answer = await poor.requestLease(organizationId, { ...HOLD, allowances, afterRecall: 5 });
  expect(answer.denial).toMatchObject({ kind: "wait", allowance: 1 });
  expect(answer.denial?.recall).toBeGreaterThan(5);
});

test.for<[string, (bank: Bank, rich: Node, organizationId: string) => Promise<unknown>]>([
  ["is silent", (bank, rich) => bank.silence(rich, 31)],
  ["has started anew", (_, rich) => rich.restart()],
  [
    "has given all back",
    (_, rich, organizationId) => rich.requestLease(organizationId, { allowances: [{ returned: 90n }], holds: [] }),
  ],
])("a hold does not wait for a node that %s", async ([, change], { bank, recalls }) => {
  const { organizationId, rich, poor } = await setAsideElsewhere(bank);
  await change(bank, rich, organizationId);
  const answer = await poor.requestLease(organizationId, { holds: [101n] });
  expect(answer.denial).toMatchObject({ kind: "refused", allowance: 0 });
  expect(recalls).toEqual([]);
});

test("a node does not wait for its own response to a recall", async ({ bank }) => {
  const { organizationId } = await bank.addOrganization(100n);
  const node = await bank.startNode();
  await node.requestLease(organizationId, { holds: [90n] });
  expect((await node.requestLease(organizationId, HOLD)).denial?.kind).toBe("refused");
});

test("a budget recall names its window", async ({ bank, recalls }) => {
  const { organizationId, teamId } = await bank.addOrganization(1_000n);
  const [rich, poor] = [await bank.startNode(), await bank.startNode()];
  const window = { startsAtMs: 1_793_491_200_000, endsAtMs: 1_796_083_200_000 };
  const allowances = [{}, budgetOf("team", teamId, 100n, window)];
  await rich.requestLease(organizationId, { allowances, holds: [90n] });
  const denial = (await poor.requestLease(organizationId, { ...HOLD, allowances })).denial;
  expect(denial).toMatchObject({ kind: "wait", allowance: 1 });
  const recall = denial?.recall ?? 0;
  const allowance = { kind: "budget", scope: "team", scopeId: teamId, startsAtMs: window.startsAtMs };
  await expect
    .poll(() => recalls)
    .toEqual([{ kind: "recall", organizationId, recall, allowance, nodes: [rich.nodeId] }]);

  await rich.requestLease(organizationId, {
    allowances: [{}, { ...allowances[1], returned: 90n, recallSeen: recall }],
  });
  expect((await poor.requestLease(organizationId, { ...HOLD, allowances, afterRecall: recall })).denial).toBeNull();
  expect(await bank.findDifferences()).toEqual([]);
});

/** Creates an organization with a credit of 100, a node that has leased 90 of it, and a node without a lease. */
async function setAsideElsewhere(bank: Bank) {
  const { organizationId } = await bank.addOrganization(100n);
  const [rich, poor] = [await bank.startNode(), await bank.startNode()];
  await rich.requestLease(organizationId, { holds: [90n] });
  return { organizationId, rich, poor };
}
