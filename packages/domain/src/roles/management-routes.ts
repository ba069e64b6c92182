/** Entries of a key's `allowed_routes` that change records rather than call models. */
const MANAGEMENT = /^(?:management$|\/(?:key|team|spend|global|user)\/|\/model\/(?:new|update|delete)$)/;

/** Reports whether a key with these routes can manage records. Such a key acts with the role of its creator. */
export function reachesManagement(allowedRoutes: readonly string[] | null): boolean {
  return allowedRoutes?.some((route) => MANAGEMENT.test(route)) === true;
}
