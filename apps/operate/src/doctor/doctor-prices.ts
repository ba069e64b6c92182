import { openCatalog, readBuiltInCatalog } from "@tollgate/catalog/catalog.ts";
import { connect } from "@tollgate/db/connect.ts";
import { compareReportedCosts } from "@tollgate/db/ledger/compare-reported-costs.ts";
import { listPriceLists, type OrganizationPrices } from "@tollgate/db/organizations/price-list.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { findLosses, type Loss } from "@tollgate/domain/pricing/find-losses.ts";
import { findUnitsBelow } from "@tollgate/domain/pricing/find-units-below.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { type PriceSet, sellAtTerms } from "@tollgate/domain/pricing/price-terms.ts";
import type { RateCard } from "@tollgate/domain/pricing/rate-card.ts";
import type { DeploymentSettings, Settings } from "@tollgate/runtime/settings/settings.ts";
import type { DeploymentPricing, OperatorIo } from "../operator-io.ts";
import { listDeployments } from "../prices/with-prices.ts";
import {
  type DatabaseProbeResult,
  type DoctorContext,
  type Finding,
  failed,
  type PricesInUse,
  passed,
  warned,
} from "./doctor-finding.ts";
import { plural } from "./doctor-settings.ts";
import { findDisputed, isDisputed, type Priced } from "./find-disputed.ts";
import { findReportedDifferences, MAX_REPORTED_REQUESTS, REPORTED_DAYS } from "./find-reported-differences.ts";

const SHOWN_NAMES = 5;
const DAY_MS = 86_400_000;
const STATEMENT_LIMIT_MS = 30_000;
const NAME = "prices";

/** Reads the edition in effect and the deployments. Without a database of this schema, only the settings count. */
export async function readPricesInUse(
  settings: Settings,
  database: DatabaseProbeResult,
  connectionString: string | null,
  io: OperatorIo,
): Promise<PricesInUse> {
  const isReadable = database.kind === "seen" && database.facts.schemaNumber >= database.facts.knownSchemaNumber;
  if (!isReadable || database.facts.isTooNew || connectionString === null) {
    const policy = { rule: settings.prices.disputed, confirmations: new Map() };
    const catalog = openCatalog(readBuiltInCatalog(), policy);
    return { catalog, deployments: settings.deployments, priceLists: [], reportedCosts: [] };
  }
  const db = connect({
    connectionString,
    role: "tollgate_platform",
    poolSize: 1,
    applicationName: "tollgate doctor",
    // The comparison with reported costs reads many rows.
    statementLimitMs: STATEMENT_LIMIT_MS,
  });
  try {
    const catalog = await io.apps.gateway.openCatalog(db, settings.prices);
    const since = new Date(Date.now() - REPORTED_DAYS * DAY_MS);
    const { priceLists, reportedCosts } = await runAsAdministrator(db, async (transaction) => ({
      priceLists: await listPriceLists(transaction),
      reportedCosts: await compareReportedCosts(transaction, { since, limit: MAX_REPORTED_REQUESTS }),
    }));
    return { catalog, deployments: await listDeployments(db, settings, io), priceLists, reportedCosts };
  } finally {
    await db.destroy();
  }
}

/**
 * Fails if a price in use is disputed, older than the settings allow, or below the provider's price or reported
 * charge. Warns about deployments without a price, whose calls are refused if billing is enabled, and about disputed models of patterns,
 * which may never be called.
 */
export async function checkPrices(context: DoctorContext): Promise<Finding[]> {
  const { settings, apps } = context;
  if (settings === null) return [];
  const { catalog, deployments, priceLists, reportedCosts } = await context.prices(settings);
  const priced = deployments.map(
    (deployment: DeploymentSettings): Priced => ({
      name: deployment.modelName,
      pricing: apps.gateway.pricingOf(deployment, catalog, settings.gateway),
    }),
  );
  const concrete = priced.filter(({ pricing }) => !pricing.isPattern);
  const patterns = priced.filter(({ pricing }) => pricing.isPattern);
  const findings = [
    ...findDisputed(concrete, Object.keys(catalog.sources)),
    ...findStale(priced, catalog.pricesAsOf, settings),
    ...findBelowCost(concrete),
    ...findListsBelowCost(concrete, priceLists),
    ...findReportedDifferences(reportedCosts),
    ...findUnpriced(concrete, settings),
    ...findDisputedPatterns(patterns),
  ];
  if (findings.length > 0 || concrete.length === 0) return findings;
  return [
    passed(
      NAME,
      `${plural(concrete.length, "deployment")} priced, catalog ${catalog.version} from ${catalog.pricesAsOf}`,
    ),
  ];
}

/**
 * Finds catalog prices that may have changed since the edition was made. Its age counts from the date on which its prices
 * were compared with the sources. The warning comes at half the limit, so that a check of a new release doesn't fail
 * before an operator could have read it.
 */
function findStale(priced: readonly Priced[], pricesAsOf: string, { prices: { maxAgeDays } }: Settings): Finding[] {
  const pricesAtMs = Date.parse(pricesAsOf);
  const ageDays = Math.floor((Date.now() - pricesAtMs) / DAY_MS);
  if (ageDays <= maxAgeDays / 2) return [];
  // Free models have no price that a provider could change.
  const stale = priced.filter(
    ({ pricing: { isFromCatalog, listed } }) => isFromCatalog && listed.some(({ free }) => free === null),
  );
  if (stale.length === 0) return [];
  const age = `catalog prices are from ${pricesAsOf}, ${ageDays} days ago`;
  const fix = "Run tollgate prices update with a newer edition, or compare the prices with the provider's.";
  if (ageDays > maxAgeDays) {
    return [failed(NAME, `${age}, and prices.maxAgeDays is ${maxAgeDays}, used by ${listNames(stale)}`, fix)];
  }
  const last = new Date(pricesAtMs + maxAgeDays * DAY_MS).toISOString().slice(0, 10);
  return [warned(NAME, `${age}, used by ${listNames(stale)}\nThis check fails after ${last} (prices.maxAgeDays)`, fix)];
}

function findBelowCost(concrete: readonly Priced[]): Finding[] {
  const below = concrete.flatMap(({ name, pricing }) => {
    const losses = lossesOf(pricing.sold, pricing);
    return losses.length === 0 ? [] : [`${name} (${losses.map(describeLoss).join("; ")})`];
  });
  if (below.length === 0) return [];
  return [
    failed(
      NAME,
      `${plural(below.length, "deployment")} sold below the provider's price: ${shorten(below)}`,
      "Raise the prices, remove the discount, or set prices_are_costs if the provider charges less than its list.",
    ),
  ];
}

/** Returns the rates that are below the provider's under any condition, or for images of any size. */
function lossesOf(sold: PriceSet, { bought, alwaysSearches }: DeploymentPricing): readonly Loss[] {
  const { price } = sold;
  if (price === null || bought.price === null) return [];
  const losses = findLosses(cardOf(price, sold), cardOf(bought.price, bought), alwaysSearches);
  const ofImages = [...bought.imagePrices].flatMap(([size, cost]) => {
    const units = findUnitsBelow(sold.imagePrices.get(size) ?? price, cost);
    return units.length === 0 ? [] : [{ condition: `image ${size}`, units }];
  });
  return [...losses, ...ofImages];
}

function cardOf(price: Price, { rateCard }: PriceSet): RateCard {
  return rateCard ?? { base: price, rules: [] };
}

function describeLoss({ condition, units }: Loss): string {
  return `${condition === null ? "" : `${condition}: `}${units.join(", ")}`;
}

/** Finds organizations whose own prices are below the provider's, although the standard prices aren't. */
function findListsBelowCost(concrete: readonly Priced[], priceLists: readonly OrganizationPrices[]): Finding[] {
  const below = priceLists.flatMap(({ organizationId, entries }) => {
    const byModel = new Map(entries.map((entry) => [entry.modelGroup, entry]));
    return concrete.flatMap(({ name, pricing }) => {
      const entry = byModel.get(name) ?? byModel.get("*");
      if (entry === undefined) return [];
      const isBelow = (sold: PriceSet) => lossesOf(sold, pricing).length > 0;
      const own = sellAtTerms(pricing.sold, entry.terms);
      return isBelow(own) && !isBelow(pricing.sold) ? [`${name} for ${organizationId}`] : [];
    });
  });
  if (below.length === 0) return [];
  return [
    failed(
      NAME,
      `${plural(below.length, "price")} of organizations below the provider's price: ${shorten(below)}`,
      "Change the organization's prices: PUT /api/admin/organizations/{id}/prices.",
    ),
  ];
}

function findUnpriced(concrete: readonly Priced[], { billing }: Settings): Finding[] {
  const unpriced = concrete.filter(({ pricing }) => pricing.sold.price === null && !isDisputed(pricing));
  if (unpriced.length === 0) return [];
  const effect = billing.provider === "off" ? "" : ", so their requests are refused";
  return [
    warned(
      NAME,
      `${plural(unpriced.length, "deployment")} without a price${effect}: ${listNames(unpriced)}`,
      "Set input_cost_per_token and output_cost_per_token.",
    ),
  ];
}

function findDisputedPatterns(patterns: readonly Priced[]): Finding[] {
  const models = patterns.flatMap(({ pricing }) => (isDisputed(pricing) ? pricing.listed : []));
  const disputed = models.filter(({ disputes }) => disputes.length > 0);
  if (disputed.length === 0) return [];
  return [
    warned(
      NAME,
      `${plural(disputed.length, "model")} with a disputed catalog price can be called through wildcards`,
      "Run tollgate prices review.",
    ),
  ];
}

const listNames = (deployments: readonly Priced[]): string => shorten(deployments.map(({ name }) => name));

function shorten(names: readonly string[]): string {
  return names.length > SHOWN_NAMES ? `${names.slice(0, SHOWN_NAMES).join(", ")}, …` : names.join(", ");
}
