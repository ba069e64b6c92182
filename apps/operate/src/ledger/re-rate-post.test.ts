import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadCatalog, readBuiltInCatalog } from "@tollgate/catalog/catalog.ts";
import type { CatalogFile } from "@tollgate/catalog/model.ts";
import { priceOfModel } from "@tollgate/catalog/price-of-model.ts";
import { addEdition } from "@tollgate/db/catalog/editions.ts";
import { ensurePriceVersions } from "@tollgate/db/ledger/price-versions.ts";
import { readQuota } from "@tollgate/db/ledger/read-quota.ts";
import { settleUsage } from "@tollgate/db/ledger/settle-usage.ts";
import { findBrokenInvariants } from "@tollgate/db/ledger/verify/find-broken-invariants.ts";
import { makeEvent, writeHistory } from "@tollgate/db/ledger/verify/ledger-history.fixture.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { apps } from "@tollgate/server/operate-apps.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { ledgerReRate } from "./ledger-re-rate.ts";

const test = base
  .extend("history", { scope: "file" }, ({ database }) => writeHistory(database))
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the required fixtures from the pattern.
  .extend("folder", async ({}, { onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-re-rate-"));
    onCleanup(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  })
  .extend("reRate", ({ database, folder }) => async (...args: string[]) => {
    let [out, err] = ["", ""];
    const stdout = { write: (text: string) => (out += text) };
    const stderr = { write: (text: string) => (err += text) };
    const env = { DATABASE_URL: database.connectionString };
    const code = await ledgerReRate(args, { stdout, stderr, env, cwd: folder, apps });
    return { code, out, err };
  });

const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
const GPT_4O = "openai/gpt-4o";

test("posts the reported difference of each organization once, and the ledger stays consistent", async ({
  history,
  database,
  folder,
  reRate,
}) => {
  const { organizationId } = history.payer;
  const db = database.connect("tollgate_worker");
  const balance = async () => (await readQuota(db, organizationId))?.balance ?? 0n;
  writeFileSync(join(folder, "prices.yaml"), "simulated/model: { input: 3, output: 12 }");
  const asked = ["--from", "2020-01-01", "--to", tomorrow, "--prices", "prices.yaml", "--organization", organizationId];
  const before = await balance();
  const { out } = await reRate(...asked, "--json");
  const { difference } = JSON.parse(out) as { difference: number };
  expect(difference).toBeGreaterThan(0);

  expect(await reRate(...asked, "--post")).toMatchObject({ code: 2, err: expect.stringContaining("Not posted") });
  expect(await balance()).toBe(before);
  const posted = await reRate(...asked, "--post", "--yes");
  expect(posted).toMatchObject({ code: 0, err: expect.stringContaining(" posted") });
  // The report comes before the posting.
  expect(posted.out).toContain("total");
  expect(await balance()).toBe(before - BigInt(difference));
  const again = await reRate(...asked, "--post", "--yes");
  expect(again).toMatchObject({ code: 0, err: expect.stringContaining("was posted before") });
  const part = ["--from", "2020-01-02", ...asked.slice(2)];
  expect(await reRate(...part, "--post", "--yes")).toMatchObject({
    code: 8,
    err: expect.stringContaining("part of the period was re-rated before"),
  });
  expect(await balance()).toBe(before - BigInt(difference));
  expect((await findBrokenInvariants(db)).ok).toBe(true);
});

test("maps the prices of one edition to those of another, and leaves configured prices alone", async ({
  history,
  database,
  reRate,
}) => {
  const db = database.connect("tollgate_worker");
  const { debtor } = history;
  const former = priceOfModel(loadCatalog().find([GPT_4O]) as never);
  if (former === null) throw new Error("the catalog has no price for this model");
  const own = { ...former, input: former.input * 9n };
  const versions = [former, own].map((price) => ({ id: priceVersionId(GPT_4O, price), model: GPT_4O, price }));
  await ensurePriceVersions(db, versions);
  const events = versions.map(({ id, price }) => {
    const event = makeEvent({ tenant: debtor, atMs: Date.now(), outputTokens: 10, priceVersionId: id, fromLease: 0n });
    return { ...event, nodeId: history.nodeId, epoch: history.epoch, cost: priceCall(event.usage, price) };
  });
  await settleUsage(db, events);

  const file = JSON.parse(readBuiltInCatalog()) as CatalogFile;
  const models = file.models.map((model) =>
    model.id === GPT_4O ? { ...model, prices: { ...model.prices, input: Number(former.input) * 2 } } : model,
  );
  const content = JSON.stringify({ ...file, version: "2026-11.1", models });
  await runAsAdministrator(database.connect("tollgate_platform"), (transaction) =>
    addEdition(transaction, {
      edition: "2026-11.1",
      pricesAsOf: "2026-11-01",
      sha256: "0".repeat(64),
      content,
      signedBy: null,
      origin: "test",
      isPinned: false,
      appliedBy: "operator",
    }),
  );
  const asked = ["--from", "2020-01-01", "--to", tomorrow, "--organization", debtor.organizationId];
  const editions = ["--from-edition", file.version, "--edition", "2026-11.1"];
  const { code, out } = await reRate(...asked, ...editions, "--json");
  expect(code).toBe(0);
  const lines = (JSON.parse(out) as { lines: { model: string }[] }).lines.filter(({ model }) => model === GPT_4O);
  const [usage] = events.map((event) => event.usage);
  const added = priceCall(usage as never, { ...former, input: former.input * 2n }) - priceCall(usage as never, former);
  expect(lines).toMatchObject([{ calls: 2, callsWithoutPrice: 1, difference: Number(added) }]);
  expect((await reRate(...asked, "--from-edition", "2020-01.1", "--edition", "2026-11.1")).err).toContain(
    "Unknown edition '2020-01.1'",
  );
});
