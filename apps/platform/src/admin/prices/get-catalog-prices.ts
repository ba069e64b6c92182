import { type Catalog, loadCatalog } from "@tollgate/catalog/catalog.ts";
import { CatalogPrices } from "@tollgate/contracts/management/catalog-prices.ts";
import { usdOf } from "@tollgate/contracts/management/money.ts";
import { listEditions } from "@tollgate/db/catalog/editions.ts";
import { runAsAdministrator, type TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { ServedDeployment } from "../../deployments/deployment-source.ts";
import { readStoredModels } from "../../deployments/read-stored-models.ts";
import { operation, read } from "../../operation.ts";

const MAX_EDITIONS = 100;
/** One pico-USD per unit is a thousand nano-USD per million units. */
const NANO_PER_MILLION = 1_000n;

/** Returns the catalog edition that this process uses, with its history and its disputed prices. */
export const getCatalogPrices = operation({
  ...read,
  id: "getCatalogPrices",
  summary: "Get the catalog edition in effect, applied editions, and disputed prices",
  tag: "admin",
  path: "/api/admin/prices",
  auth: "administrator",
  scope: "own",
  answers: { 200: { description: "The catalog's prices", schema: CatalogPrices } },
  handle: async ({ caller }, { db, deployments }) => {
    const readAll = async (transaction: TenantTransaction) => ({
      stored: await readStoredModels(transaction),
      editions: await listEditions(transaction, MAX_EDITIONS),
    });
    const { stored, editions } = await runAsAdministrator(db, readAll, caller.userId);
    const catalog = loadCatalog();
    const used = groupsByModel(deployments.list(stored, new Map()), catalog);
    const body: CatalogPrices = {
      edition: catalog.version,
      pricesAsOf: catalog.pricesAsOf,
      sources: Object.entries(catalog.sources).map(([id, { name, url, asOf }]) => ({
        id,
        name,
        url: url ?? null,
        asOf,
      })),
      history: editions.map(({ edition, pricesAsOf, sha256, signedBy, origin, isPinned, appliedAt }) => ({
        edition,
        pricesAsOf,
        sha256,
        signedBy,
        origin,
        pinned: isPinned,
        appliedAt,
      })),
      disputes: describeDisputes(catalog, used),
    };
    return { status: 200, body };
  },
});

/** Models in use come first. */
function describeDisputes(catalog: Catalog, used: ReadonlyMap<string, readonly string[]>): CatalogPrices["disputes"] {
  const disputed = catalog.models().filter(({ disputes }) => disputes.length > 0);
  const described = disputed.map(({ id, isRefused, disputes }) => ({
    model: id,
    usedBy: [...(used.get(id) ?? [])],
    refused: isRefused,
    prices: disputes.map(({ field, ...amounts }) => {
      const rates = {
        first: perMillion(amounts.first),
        second: perMillion(amounts.second),
        applied: isRefused ? null : perMillion(amounts.applied),
      };
      return { field, ...rates, usd: usdOf(rates) };
    }),
  }));
  return described.sort((one, other) => Number(other.usedBy.length > 0) - Number(one.usedBy.length > 0));
}

function groupsByModel(
  deployments: readonly ServedDeployment[],
  catalog: Catalog,
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const { group, model, providerKind, priceSource, isPattern } of deployments) {
    if (isPattern || priceSource === "override") continue;
    const id = catalog.find([`${providerKind}/${model}`, model])?.id;
    if (id !== undefined) groups.set(id, [...(groups.get(id) ?? []), group]);
  }
  return groups;
}

function perMillion(pico: bigint | null): bigint | null {
  return pico === null ? null : pico * NANO_PER_MILLION;
}
