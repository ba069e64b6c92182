/** What a key's `allowed_routes` may name that changes records rather than makes calls. */
const MANAGEMENT = /^(?:management$|\/(?:key|team|spend|global|user)\/|\/model\/(?:new|update|delete)$)/;

/** Whether a key with these routes can manage: whoever holds its secret acts with the role of its maker. */
export function reachesManagement(allowedRoutes: readonly string[] | null): boolean {
  return allowedRoutes?.some((route) => MANAGEMENT.test(route)) === true;
}
