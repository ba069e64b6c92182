import type { FailureClass } from "./failure-class.ts";
import type { FallbackLists, RouterRules, RoutingOptions } from "./route-types.ts";

const ANY_GROUP = "*";

/** Groups to try in order. */
export interface FallbackPlan {
  readonly groups: readonly string[];
  /** True if the caller named the groups, so access must be checked. Configured groups are trusted. */
  readonly isFromRequest: boolean;
}

/**
 * Returns the groups to try after all attempts in a group have failed, the last attempt with this failure; null if
 * there are none.
 */
export function planFallbacks(
  group: string,
  kind: FailureClass,
  options: RoutingOptions,
  rules: RouterRules,
): FallbackPlan | null {
  if (options.disableFallbacks || !leadsToFallbacks(kind)) return null;
  if (options.fallbacks !== null) return { groups: options.fallbacks, isFromRequest: true };
  const asked = findList(askedLists(kind, options), group);
  if (asked !== null) return { groups: asked, isFromRequest: true };
  const groups =
    findList(configuredLists(kind, rules), group) ?? findList(rules.fallbacks, group) ?? rules.defaultFallbacks;
  return { groups, isFromRequest: false };
}

/** Reports whether other groups are worth trying. No other group would accept an invalid request. */
export function leadsToFallbacks(kind: FailureClass): boolean {
  return kind !== "bad_request" && kind !== "local";
}

/**
 * Returns the fallback list for a group: the list for its name, else the list for its name without the provider, else
 * the default list, else null.
 */
export function findList(lists: FallbackLists | null, group: string): readonly string[] | null {
  if (lists === null) return null;
  if (Object.hasOwn(lists, group)) return lists[group] ?? null;
  const bareName = group.slice(group.indexOf("/") + 1);
  if (Object.hasOwn(lists, bareName)) return lists[bareName] ?? null;
  return Object.hasOwn(lists, ANY_GROUP) ? (lists[ANY_GROUP] ?? null) : null;
}

function askedLists(kind: FailureClass, options: RoutingOptions): FallbackLists | null {
  if (kind === "context_window") return options.contextWindowFallbacks;
  return kind === "content_policy" ? options.contentPolicyFallbacks : null;
}

function configuredLists(kind: FailureClass, rules: RouterRules): FallbackLists | null {
  if (kind === "context_window") return rules.contextWindowFallbacks;
  return kind === "content_policy" ? rules.contentPolicyFallbacks : null;
}
