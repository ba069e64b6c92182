import { clientSideCredentials } from "@tollgate/contracts/failures.ts";
import { mapPrices, type OptionalPrices } from "@tollgate/domain/pricing/billing-units.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { soldVersion } from "@tollgate/domain/pricing/price-version.ts";
import { unconditional } from "@tollgate/domain/pricing/rate-card.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { TargetState } from "@tollgate/domain/routing/target-state.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { credentialNames, hasCredential, withoutCredentials } from "@tollgate/runtime/settings/provider-options.ts";
import type { DeploymentParams } from "@tollgate/runtime/settings/settings.ts";
import type { Deployment, OwnKeyTerms } from "../call/deployment.ts";
import type { Provider, TargetSettings } from "../call/provider.ts";
import type { Transports } from "./transports.ts";

const NO_IMAGE_PRICES = new Map();
/** Two keys that stand for any, to find out how a provider would send them. */
const SOME_KEYS = [new Secret("some-key"), new Secret("another-key")] as const;

/**
 * Returns the terms under which a deployment takes callers' own keys; null if it takes none. A provider takes them if it
 * reads a key from a header, rather than from a signature or a token that the gateway gets for itself.
 */
export function ownKeyTerms(
  { ownKeyPrices, upstreamModel }: Pick<DeploymentParams, "ownKeyPrices" | "upstreamModel">,
  id: string,
  provider: Provider,
  target: TargetSettings,
  transports: Transports,
  isGuarded: boolean,
): OwnKeyTerms | null {
  if (ownKeyPrices === null || !takesKeys(provider, target)) return null;
  const price = ownKeyPrice(ownKeyPrices);
  return {
    price,
    ...versionOfOwnKey(`${provider.name}/${upstreamModel}`, price),
    // These connections never carry the operator's key.
    transport: transports.get(provider, target.apiBase ?? null, null, isGuarded),
    // A rejected key says nothing about the deployment, and a cooldown of the operator's key nothing about other keys.
    state: new TargetState(id),
  };
}

/**
 * Returns the price of calls with a caller's own key. Everything that the provider bills separately has a price here,
 * which is 0 unless the operator set one, because the provider bills it to the caller.
 */
function ownKeyPrice(prices: OptionalPrices): Price {
  const { input, output, cacheWrite } = prices;
  return tokenPrice(input ?? 0n, output ?? 0n, {
    ...prices,
    longCacheWrite: prices.longCacheWrite ?? cacheWrite ?? input ?? 0n,
    perWebSearch: prices.perWebSearch ?? 0n,
    perFileSearch: prices.perFileSearch ?? 0n,
    perCodeSession: prices.perCodeSession ?? 0n,
    perToolCall: prices.perToolCall ?? 0n,
  });
}

const NOTHING = unconditional(ownKeyPrice(mapPrices(() => null)));

/** Returns the version of a price for own keys. The provider bills the caller, so such calls cost the operator nothing. */
export function versionOfOwnKey(model: string, price: Price): Pick<OwnKeyTerms, "priceVersionId" | "cost"> {
  return soldVersion(model, unconditional(price), NOTHING);
}

function takesKeys(provider: Provider, target: TargetSettings): boolean {
  const { apiKeyVariable, optionVariables = [], layerOf } = provider;
  // The provider's credential is not a key. Some of them accept a key in addition, but read other forms of it.
  if (apiKeyVariable === null && credentialNames(optionVariables).length > 0) return false;
  const [one, other] = SOME_KEYS.map((key) => targetWith(provider, target, key)) as [TargetSettings, TargetSettings];
  if ((layerOf?.(one) ?? null) !== null) return false;
  // If the headers don't depend on the key, calls have another credential, or none.
  return carriesKey(provider, one, other) && carriesKey(provider, other, one);
}

/** Reports whether all requests to a target contain its key, and not the other target's. */
function carriesKey(provider: Provider, { apiKey, ...target }: TargetSettings, other: TargetSettings): boolean {
  const { headers, streamHeaders } = provider.prepare({ ...target, apiKey });
  const has = (values: readonly string[], key: Secret | null) =>
    key !== null && values.some((value) => value.includes(key.reveal()));
  return [headers, streamHeaders].every((values) => has(values, apiKey) && !has(values, other.apiKey));
}

/** Returns a target with the caller's key as its only credential, because some providers prefer others to a key. */
function targetWith<Target extends TargetSettings>(provider: Provider, target: Target, apiKey: Secret): Target {
  return { ...target, apiKey, options: withoutCredentials(target.options, provider.optionVariables ?? []) };
}

/**
 * Reports whether a deployment that takes callers' keys has no credential of its own. This machine's own cloud identity
 * doesn't count, because the settings don't name it.
 */
export function needsOwnKey(terms: OwnKeyTerms | null, provider: Provider, target: TargetSettings): boolean {
  if (terms === null || provider.apiKeyVariable === null || target.apiKey !== null) return false;
  return !hasCredential(target.options, provider.optionVariables ?? []);
}

/**
 * Returns copies of the deployments for one call with the caller's own key. The key goes to one URL only: deployments of
 * another provider, or at another URL, are left out. Throws if no deployment takes the key.
 */
export function withOwnKey(deployments: readonly Deployment[], apiKey: Secret): readonly Deployment[] {
  const first = deployments.find(({ ownKey }) => ownKey !== null);
  if (first === undefined) throw clientSideCredentials("api_key");
  return deployments.flatMap((deployment) =>
    deployment.ownKey !== null && isSameAccount(deployment, first)
      ? [copyFor(deployment, deployment.ownKey, apiKey)]
      : [],
  );
}

/** Reports whether two deployments belong to the same provider at the same URL. */
export function isSameAccount(one: Deployment, other: Deployment): boolean {
  return one.provider.name === other.provider.name && one.apiBase === other.apiBase;
}

function copyFor(deployment: Deployment, terms: OwnKeyTerms, apiKey: Secret): Deployment {
  const { price, priceVersionId: version, cost, transport, state } = terms;
  const target = targetWith(deployment.provider, deployment, apiKey);
  return {
    ...target,
    transport,
    state,
    prepared: deployment.provider.prepare(target),
    price,
    priceVersionId: version,
    cost,
    providerPrices: null,
    priceSum: price.input + price.output,
    facts: { ...deployment.facts, price, rateCard: null, imagePrices: NO_IMAGE_PRICES },
    usesOwnKey: true,
  };
}
