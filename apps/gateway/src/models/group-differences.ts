import type { Deployment } from "../call/deployment.ts";
import type { OperationName } from "../call/operation-traits.ts";

/** What the deployments of a group don't have in common for one operation. */
interface GroupDifferences {
  /** Parameters that at least one deployment doesn't support. */
  readonly params: ReadonlySet<string>;
  /** Features that at least one deployment lacks, as bits. */
  readonly features: number;
  /** The smallest output limit; infinite if no deployment has one. */
  readonly smallestOutput: number;
  /** False if a deployment doesn't offer the operation at all. */
  readonly isOfferedByAll: boolean;
}

type ByOperation = Map<OperationName, GroupDifferences | null>;
const known = new WeakMap<readonly Deployment[], ByOperation>();

/**
 * Returns what distinguishes the deployments of a group, or null if all of them can serve the same requests. The result
 * is computed once per model list.
 */
export function differencesAmong(targets: readonly Deployment[], operation: OperationName): GroupDifferences | null {
  if (targets.length < 2) return null;
  let found = known.get(targets);
  if (found === undefined) {
    found = new Map();
    known.set(targets, found);
  }
  let differences = found.get(operation);
  if (differences === undefined) {
    differences = compare(targets, operation);
    found.set(operation, differences);
  }
  return differences;
}

function compare(targets: readonly Deployment[], operation: OperationName): GroupDifferences | null {
  const offers = targets.map((target) => target.offers[operation]);
  const abilities = targets.map((target) => abilitiesOf(target, operation));
  if (abilities.every((each) => each === abilities[0])) return null;
  return {
    params: new Set(offers.flatMap((offered) => [...(offered?.unsupportedParams ?? [])])),
    features: offers.reduce((all, offered) => all | (offered?.missingFeatures ?? 0), 0),
    smallestOutput: Math.min(...targets.map(({ facts }) => facts.maxOutputTokens ?? Number.POSITIVE_INFINITY)),
    isOfferedByAll: offers.every((offered) => offered !== undefined),
  };
}

/** Returns a text that is the same for two deployments if they can serve the same requests. */
export function abilitiesOf(target: Deployment, operation: OperationName): string {
  const offered = target.offers[operation];
  if (offered === undefined) return "";
  return JSON.stringify([
    [...offered.unsupportedParams].sort(),
    offered.missingFeatures,
    target.facts.maxOutputTokens,
    target.dropsParams,
    [...target.allowedParams].sort(),
  ]);
}
