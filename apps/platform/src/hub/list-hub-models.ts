import { Failure } from "@tollgate/contracts/failures.ts";
import { type HubModel, HubModels } from "@tollgate/contracts/management/hub.ts";
import { listPermittedModels } from "@tollgate/db/organizations/list-permitted-models.ts";
import { readPriceList } from "@tollgate/db/organizations/price-list.ts";
import { runInOrganization } from "@tollgate/db/tenancy.ts";
import { settledRequests } from "@tollgate/db/usage/read-performance.ts";
import { describeTerms, type PriceTerms } from "@tollgate/domain/pricing/price-terms.ts";
import { may } from "@tollgate/domain/roles/permissions.ts";
import { findRefusingList, type ModelLists } from "@tollgate/domain/routing/model-permission.ts";
import type { Caller } from "../caller.ts";
import { describeCatalogModel, describeListedPrices } from "../catalog/describe-model.ts";
import { authenticate } from "../http/authenticate.ts";
import { lastOf } from "../http/origin.ts";
import { operation, read, type SignedInInput } from "../operation.ts";
import type { Services } from "../services.ts";
import { adjustListedPrices } from "./adjust-listed-prices.ts";
import type { HubContents } from "./hub.ts";
import { describePerformance } from "./hub-performance.ts";
import type { HubGroup } from "./hub-source.ts";

/** Returns the entire hub in one response. If the hub isn't public, only signed-in users can read it. */
export const listHubModels = operation({
  ...read,
  id: "listHubModels",
  summary: "List model hub entries with prices, limits, parameters, and performance",
  tag: "catalog",
  path: "/api/hub/models",
  // If the hub isn't public, the handler rejects callers without a session.
  auth: "none",
  scope: "own",
  answers: { 200: { description: "The models", schema: HubModels } },
  handle: async ({ headers }, services) => {
    const caller = await findVisitor(headers, services);
    const contents = await services.hub.read();
    const own = caller === null ? null : await readOwn(caller, services);
    const isAdministrator = caller?.role === "admin";
    const models = contents.groups
      .map((group) => ({ group, requests: countRequests(group, contents) }))
      .toSorted((one, other) => other.requests - one.requests || compare(one.group.id, other.group.id))
      .map(({ group }) => describeGroup(group, contents, { ...own, isAdministrator, now: services.now() }));
    return { status: 200, body: { models } };
  },
});

/** Returns the caller; null for an anonymous visitor to a public hub. */
async function findVisitor(
  headers: SignedInInput<unknown, unknown, unknown>["headers"],
  services: Services,
): Promise<Caller | null> {
  try {
    const { authorization, cookie } = headers;
    return await authenticate(
      {
        authorization: lastOf(authorization),
        cookie: lastOf(cookie),
        organizationId: lastOf(headers["x-gw-organization"]),
      },
      services,
    );
  } catch (error) {
    const isStranger = error instanceof Failure && error.status === 401;
    if (isStranger && services.hub.isPublic()) return null;
    throw error;
  }
}

/** What a signed-in visitor's organization changes about the hub. */
interface OwnHub {
  /** Model allowlists of the teams that the caller can use. */
  readonly lists: readonly ModelLists[];
  /** The organization's prices by model group. */
  readonly prices: ReadonlyMap<string, PriceTerms>;
}

/** Returns the model allowlists and the prices of the caller's organization. */
async function readOwn(caller: Caller, { db }: Services): Promise<OwnHub> {
  const { organization, userId } = caller;
  if (organization === null) return { lists: [], prices: new Map() };
  const seesAll = may({ organization: organization.role }, "see_all_teams");
  const { permitted, entries } = await runInOrganization(
    db,
    organization.id,
    async (transaction) => ({
      permitted: await listPermittedModels(transaction, organization.id, seesAll ? null : userId),
      entries: await readPriceList(transaction, organization.id),
    }),
    userId,
  );
  return {
    lists: permitted.map((lists) => ({ key: [], user: [], ...lists })),
    prices: new Map(entries.map(({ modelGroup, terms }) => [modelGroup, terms])),
  };
}

interface Viewer extends Partial<OwnHub> {
  readonly isAdministrator: boolean;
  readonly now: Date;
}

function describeGroup(group: HubGroup, { stored, performance }: HubContents, viewer: Viewer): HubModel {
  const { lists, prices, isAdministrator, now } = viewer;
  const terms = prices?.get(group.id) ?? prices?.get("*");
  const model = group.storedId === null ? undefined : stored.get(group.storedId);
  const known = model === undefined ? null : describeCatalogModel(model);
  return {
    id: group.id,
    providers: [...group.providers],
    mode: group.mode,
    description: known === null || known.description === "" ? null : known.description,
    contextWindow: group.contextWindow,
    maxOutputTokens: group.maxOutputTokens,
    inputModalities: known?.inputModalities ?? [...group.inputModalities],
    outputModalities: known?.outputModalities ?? [...group.outputModalities],
    capabilities: [...group.capabilities],
    supportedParams: [...group.supportedParams],
    unsupportedParams: [...group.unsupportedParams],
    // Use the price that a gateway charges. It may be known even if the stored row has no price.
    pricing: describeListedPrices(terms === undefined ? group.price : adjustListedPrices(group.price, terms)),
    ...(terms !== undefined && { priceAdjustment: describeTerms(terms) }),
    status: known?.status === "deprecated" ? "deprecated" : "active",
    createdAt: known?.createdAt ?? null,
    deprecatedAt: known?.deprecatedAt ?? null,
    limits: group.rpm === null && group.tpm === null ? null : { rpm: group.rpm, tpm: group.tpm },
    fallbacks: [...group.fallbacks],
    pattern: group.examples === null ? null : { examples: [...group.examples] },
    performance: describePerformance(performance.get(group.id) ?? [], now, isAdministrator),
    available: lists?.some((each) => findRefusingList(each, group) === null) ?? null,
    source: isAdministrator ? group.source : null,
  };
}

function countRequests({ id }: HubGroup, { performance }: HubContents): number {
  return (performance.get(id) ?? []).reduce((total, pair) => total + settledRequests(pair), 0);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
