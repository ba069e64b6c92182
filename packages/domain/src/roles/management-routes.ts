/** Entries of a key's `allowed_routes` for changing records rather than calling models. */
const MANAGEMENT = /^(?:management$|\/(?:key|team|spend|global|user)\/|\/model\/(?:new|update|delete)$)/;

/** Reports whether a key with these routes can manage records. Such a key acts with its creator's role. */
export function reachesManagement(allowedRoutes: readonly string[] | null): boolean {
  return allowedRoutes?.some((route) => MANAGEMENT.test(route)) === true;
}
