import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readBuiltInCatalog } from "@tollgate/catalog/catalog.ts";
import type { CatalogFile } from "@tollgate/catalog/model.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { addEdition } from "@tollgate/db/catalog/editions.ts";
import { ensurePriceVersions } from "@tollgate/db/ledger/price-versions.ts";
import { settleUsage } from "@tollgate/db/ledger/settle-usage.ts";
import { makeEvent, writeHistory } from "@tollgate/db/ledger/verify/ledger-history.fixture.ts";
import { type PriceListEntry, replacePriceList } from "@tollgate/db/organizations/price-list.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { adjustPrice } from "@tollgate/domain/pricing/adjust-price.ts";
import { mapPrices } from "@tollgate/domain/pricing/billing-units.ts";
import { fixPrice } from "@tollgate/domain/pricing/fix-price.ts";
import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { soldVersion } from "@tollgate/domain/pricing/price-version.ts";
import { type ConditionalPrice, unconditional } from "@tollgate/domain/pricing/rate-card.ts";
import { writeFixedPrice } from "@tollgate/domain/pricing/stored-price-rules.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { apps } from "@tollgate/server/operate-apps.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { ledgerReRate } from "./ledger-re-rate.ts";

const MODEL = "simulated/sold";
const LIST = tokenPrice(2_500_000n, 10_000_000n);
/** The price of calls with a caller's own key, if the operator set none. */
const FREE = tokenPrice(0n, 0n, {
  longCacheWrite: 0n,
  perWebSearch: 0n,
  perFileSearch: 0n,
  perCodeSession: 0n,
  perToolCall: 0n,
});
const NONE = { prices: mapPrices(() => null), rules: [] };
const DAY_MS = 86_400_000;
const tomorrow = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);

interface Sale {
  readonly sold: ConditionalPrice;
  readonly bought?: ConditionalPrice;
  readonly modelGroup?: string;
}

const test = base
  .extend("history", { scope: "file" }, ({ database }) => writeHistory(database))
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the required fixtures from the pattern.
  .extend("folder", async ({}, { onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-re-rate-terms-"));
    onCleanup(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  })
  .extend("platform", ({ database }) => database.connect("tollgate_platform"))
  .extend("tenant", ({ platform }) => addTenant(platform))
  /** Settles one call at a price. Returns its cost and its price version. */
  .extend("sell", ({ database, history, tenant }) => async (model: string, sale: Sale) => {
    const { sold, bought = null, modelGroup = "model" } = { ...sale };
    const db = database.connect("tollgate_worker");
    const { priceVersionId: id, cost } = soldVersion(model, sold, bought);
    const version = { id, model, price: sold.price, condition: sold.condition };
    await ensurePriceVersions(db, [cost === null ? version : { ...version, cost }]);
    const { nodeId, epoch } = history;
    const made = makeEvent({ tenant, atMs: Date.now(), outputTokens: 10, priceVersionId: id, fromLease: 0n });
    const event = { ...made, nodeId, epoch, modelGroup, cost: priceCall(made.usage, sold.price) };
    expect([...(await settleUsage(db, [event])).values()]).toEqual(["settled"]);
    return { id, cost: event.cost, usage: event.usage };
  })
  /** Replaces the price list of the organization, as the management API does. */
  .extend("replaceList", ({ platform, tenant: { organizationId } }) => {
    let before: readonly unknown[] = [];
    return async (entries: readonly PriceListEntry[]) => {
      const after = entries.map(({ modelGroup: model, terms }) =>
        "prices" in terms
          ? { model, percentage: null, fixedPerRequest: 0n, price: writeFixedPrice(terms) }
          : {
              model,
              percentage: `${Number(terms.shareMillionths) / 10_000}`,
              fixedPerRequest: terms.fixedNanoUsd,
              price: null,
            },
      );
      await runAsAdministrator(platform, async (transaction) => {
        await replacePriceList(transaction, organizationId, entries, new Date());
        await writeAudit(transaction, {
          organizationId,
          actor: { type: "system", id: "operator" },
          action: "organization.prices_changed",
          target: { type: "organization", id: organizationId },
          before: { entries: before },
          after: { entries: after },
        });
      });
      before = after;
    };
  })
  .extend("reRate", ({ database, folder, tenant }) => async (...args: string[]) => {
    let [out, err] = ["", ""];
    const stdout = { write: (text: string) => (out += text) };
    const stderr = { write: (text: string) => (err += text) };
    const env = { DATABASE_URL: database.connectionString };
    const period = ["--from", "2020-01-01", "--to", tomorrow, "--organization", tenant.organizationId, "--json"];
    const code = await ledgerReRate([...period, ...args], { stdout, stderr, env, cwd: folder, apps });
    if (code !== 0) throw new Error(err);
    return JSON.parse(out) as {
      charged: number;
      reRated: number;
      lines: { calls: number; callsWithoutPrice: number }[];
    };
  })
  .extend("withBook", ({ folder, reRate }) => (book: Readonly<Record<string, unknown>>) => {
    writeFileSync(join(folder, "prices.yaml"), JSON.stringify(book));
    return reRate("--prices", "prices.yaml");
  });

const NEW = { input: 3, output: 12 };
const newPrice = tokenPrice(3_000_000n, 12_000_000n);

test("a name in a price book applies to calls that were sold at the plain price", async ({ sell, withBook }) => {
  const { usage } = await sell(MODEL, { sold: unconditional(LIST) });
  for (const name of [MODEL, "model"]) {
    expect(await withBook({ [name]: NEW })).toMatchObject({
      reRated: Number(priceCall(usage, newPrice)),
      lines: [{ calls: 1, callsWithoutPrice: 0 }],
    });
  }
});

const fee = tokenPrice(1_000n, 1_000n, { ...FREE });
test.for<[what: string, sale: Sale]>([
  ["a caller's own key", { sold: unconditional(FREE) }],
  ["a caller's own key, with a fee", { sold: unconditional(fee), bought: unconditional(FREE) }],
  ["another service tier", { sold: { price: LIST, condition: "service tier flex" } }],
  [
    "a percentage of the list price",
    {
      sold: unconditional(adjustPrice(LIST, { shareMillionths: 100_000n, fixedNanoUsd: 0n })),
      bought: unconditional(LIST),
    },
  ],
  [
    "a contract price",
    { sold: unconditional(fixPrice(LIST, { ...NONE, prices: { input: 1n } })), bought: unconditional(LIST) },
  ],
])("a name in a price book leaves calls at %s alone, and a version doesn't", async ([, sale], { sell, withBook }) => {
  const { id, cost, usage } = await sell(MODEL, sale);
  for (const name of [MODEL, "model"]) {
    expect(await withBook({ [name]: NEW })).toMatchObject({
      charged: Number(cost),
      reRated: Number(cost),
      lines: [{ calls: 1, callsWithoutPrice: 1 }],
    });
  }
  expect(await withBook({ [id]: NEW })).toMatchObject({ reRated: Number(priceCall(usage, newPrice)) });
});

test("a name leaves calls alone whose organization had a fixed price equal to the list price", async ({
  sell,
  replaceList,
  withBook,
}) => {
  const fixed = { prices: { input: LIST.input, output: LIST.output }, rules: [] };
  await replaceList([{ modelGroup: "model", terms: fixed }]);
  const { id, cost, usage } = await sell(MODEL, { sold: unconditional(LIST) });
  // The list of the time of the calls counts, not the current one.
  await replaceList([]);
  expect(await withBook({ [MODEL]: NEW })).toMatchObject({ reRated: Number(cost), lines: [{ callsWithoutPrice: 1 }] });
  expect(await withBook({ [id]: NEW })).toMatchObject({ reRated: Number(priceCall(usage, newPrice)) });
  const other = await sell("simulated/other", { sold: unconditional(tokenPrice(1n, 2n)) });
  expect(await withBook({ "simulated/other": NEW })).toMatchObject({
    reRated: Number(cost + priceCall(other.usage, newPrice)),
  });
});

test("a name leaves calls alone whose percentage offsets the margin", async ({ sell, replaceList, withBook }) => {
  await replaceList([{ modelGroup: "partner", terms: { shareMillionths: -200_000n, fixedNanoUsd: 0n } }]);
  const { cost } = await sell(MODEL, { sold: unconditional(LIST), modelGroup: "partner" });
  const { usage } = await sell(MODEL, { sold: unconditional(LIST), modelGroup: "model" });
  expect(await withBook({ [MODEL]: NEW })).toMatchObject({
    reRated: Number(cost + priceCall(usage, newPrice)),
    lines: [{ calls: 2, callsWithoutPrice: 1 }],
  });
});

const EMBEDDINGS = "openai/text-embedding-3-small";
const EMBEDDINGS_PRICE = tokenPrice(20_000n, 0n);
const built = JSON.parse(readBuiltInCatalog()) as CatalogFile;

/** Adds an edition in which embeddings cost twice as much, and re-rates the calls of the organization with it. */
const testEdition = test
  .extend("doubled", { scope: "file" }, async ({ database }) => {
    const models = built.models.map((model) =>
      model.id === EMBEDDINGS ? { ...model, prices: { ...model.prices, input: 40_000 } } : model,
    );
    const content = JSON.stringify({ ...built, version: "2026-11.1", models });
    const edition = { edition: "2026-11.1", pricesAsOf: "2026-11-01", sha256: "0".repeat(64), content };
    const platform = database.connect("tollgate_platform");
    await runAsAdministrator(platform, (transaction) =>
      addEdition(transaction, { ...edition, signedBy: null, origin: "test", isPinned: false, appliedBy: "operator" }),
    );
    return edition.edition;
  })
  .extend(
    "withEdition",
    ({ doubled, reRate }) =>
      (...args: string[]) =>
        reRate("--from-edition", built.version, "--edition", doubled, ...args),
  );

const bought = unconditional(EMBEDDINGS_PRICE);
const plusTen = { shareMillionths: 100_000n, fixedNanoUsd: 0n };
const plusTenSold = unconditional(adjustPrice(EMBEDDINGS_PRICE, plusTen));
const doubledPrice = tokenPrice(40_000n, 0n);

testEdition(
  "an edition replaces the catalog's price and keeps a recorded percentage",
  async ({ database, sell, replaceList, withEdition }) => {
    const { usage } = await sell(EMBEDDINGS, { sold: bought, modelGroup: "other" });
    await replaceList([{ modelGroup: "model", terms: plusTen }]);
    const { usage: raised, cost } = await sell(EMBEDDINGS, { sold: plusTenSold, bought });
    const plain = priceCall(usage, doubledPrice);
    // The list began during the period, so it doesn't follow that the call had its percentage.
    expect(await withEdition()).toMatchObject({ reRated: Number(plain + cost), lines: [{ callsWithoutPrice: 1 }] });
    await querySql(
      database.connectionString,
      `alter table audit_log disable trigger user, no force row level security;
       update audit_log set at = at - interval '3 hours' where action = 'organization.prices_changed';
       alter table audit_log enable trigger user, force row level security`,
    );
    const since = new Date(Date.now() - 90 * 60_000).toISOString();
    expect(await withEdition("--from", since)).toMatchObject({
      reRated: Number(plain + priceCall(raised, adjustPrice(doubledPrice, plusTen))),
      lines: [{ callsWithoutPrice: 0 }],
    });
  },
);

testEdition.for<[what: string, terms: PriceListEntry["terms"] | null, sold: ConditionalPrice]>([
  ["a contract price", { prices: { input: 15_000n }, rules: [] }, unconditional(tokenPrice(15_000n, 0n))],
  ["a contract price equal to the catalog's", { prices: { input: 20_000n }, rules: [] }, bought],
  ["a configured price", null, unconditional(tokenPrice(24_000n, 0n))],
  ["a margin that the ledger doesn't record", null, plusTenSold],
  ["another percentage than the recorded one", plusTen, unconditional(tokenPrice(24_000n, 0n))],
])("an edition keeps the cost of calls at %s", async ([, terms, sold], { sell, replaceList, withEdition }) => {
  if (terms !== null) await replaceList([{ modelGroup: "model", terms }]);
  const { cost } = await sell(EMBEDDINGS, { sold, bought });
  expect(await withEdition()).toMatchObject({
    charged: Number(cost),
    reRated: Number(cost),
    lines: [{ calls: 1, callsWithoutPrice: 1 }],
  });
});
