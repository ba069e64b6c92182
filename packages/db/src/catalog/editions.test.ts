import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { listenForNotices, type Notice } from "../change-notifications.ts";
import { runAsAdministrator, runInOrganization } from "../tenancy.ts";
import {
  addEdition,
  confirmPrice,
  findLastEdition,
  listConfirmations,
  listEditions,
  readEditionText,
} from "./editions.ts";

const edition = (name: string) => ({
  edition: name,
  pricesAsOf: "2026-11-01",
  sha256: "0".repeat(64),
  content: `{"version":"${name}"}`,
  signedBy: null,
  origin: "prices.json",
  isPinned: false,
  appliedBy: "operator",
});

test("the edition that was applied last is in effect, and earlier ones remain readable", async ({ database }) => {
  const db = database.connect("tollgate_platform");
  const gateway = database.connect("tollgate_gateway");
  expect(await findLastEdition(gateway)).toBeNull();
  for (const name of ["2026-11.1", "2026-11.2"]) {
    await runAsAdministrator(db, (transaction) => addEdition(transaction, edition(name)));
  }
  const last = await findLastEdition(gateway);
  expect(last).toMatchObject({ edition: "2026-11.2", pricesAsOf: "2026-11-01", signedBy: null, isPinned: false });
  expect((await listEditions(gateway, 9)).map((one) => one.edition)).toEqual(["2026-11.2", "2026-11.1"]);
  expect(await readEditionText(gateway, last?.id ?? 0n)).toBe('{"version":"2026-11.2"}');
  expect(await readEditionText(gateway, "2026-11.1")).toBe('{"version":"2026-11.1"}');
  expect(await readEditionText(gateway, "2026-10.1")).toBeNull();
});

test("a confirmation replaces the earlier one for the same model", async ({ database }) => {
  const db = database.connect("tollgate_platform");
  const one = { model: "acme/chat", digest: "a".repeat(32), confirmedBy: "operator", confirmedAt: new Date(0) };
  await runAsAdministrator(db, async (transaction) => {
    await confirmPrice(transaction, { ...one, choice: "first" });
    await confirmPrice(transaction, { ...one, choice: "second", digest: "b".repeat(32) });
  });
  expect(await listConfirmations(database.connect("tollgate_gateway"))).toEqual([
    { ...one, choice: "second", digest: "b".repeat(32) },
  ]);
});

test("gateways are notified of both", async ({ database }) => {
  const db = database.connect("tollgate_platform");
  const received: Notice[] = [];
  const listener = listenForNotices(
    database.connectionString,
    (notice) => received.push(notice),
    () => {},
  );
  try {
    await listener.listening;
    await runAsAdministrator(db, (transaction) => addEdition(transaction, edition("2026-11.1")));
    await expect.poll(() => received).toEqual([{ kind: "catalog" }]);
    const confirmation = {
      model: "acme/chat",
      digest: "a".repeat(32),
      choice: "higher" as const,
      confirmedBy: "operator",
      confirmedAt: new Date(0),
    };
    await runAsAdministrator(db, (transaction) => confirmPrice(transaction, confirmation));
    await expect.poll(() => received).toHaveLength(2);
  } finally {
    await listener.close();
  }
});

test("only an administrator can add an edition, and no one can change one", async ({ database }) => {
  const db = database.connect("tollgate_platform");
  await expect(
    runInOrganization(db, "org_x", (transaction) => addEdition(transaction, edition("2026-11.1"))),
  ).rejects.toThrow("row-level security");
  await runAsAdministrator(db, (transaction) => addEdition(transaction, edition("2026-11.1")));
  await expect(
    runAsAdministrator(db, (transaction) =>
      transaction.updateTable("catalog_editions").set({ content: "{}" }).execute(),
    ),
  ).rejects.toThrow("permission denied");
});
