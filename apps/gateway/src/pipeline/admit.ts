import { Failure } from "@tollgate/contracts/failures.ts";
import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import type { Caller } from "./caller.ts";

/** Route groups that a key without route restrictions may use. */
const defaultGroups: readonly string[] = ["inference", "information", "public"];

/** Throws if a caller isn't allowed to use an operation. Runs before the body is read. */
export function admitCaller(caller: Caller, operation: OperationDescription): void {
  if (caller.isTeamBlocked && operation.routeGroup === "inference") {
    throw new Failure(
      "TEAM_BLOCKED",
      caller.isBlockedByAdministrator === true
        ? "The team is blocked by an administrator. Ask them to unblock it."
        : "The team is blocked because the organization's balance is negative. Buy credits to continue.",
    );
  }
  const allowed = caller.allowedRoutes ?? defaultGroups;
  if (caller.role === "proxy_admin" || allowed.includes(operation.routeGroup)) return;
  if (operation.routeGroup === "self" || allowed.some((route) => operation.paths.includes(route))) return;
  throw new Failure(
    "route_not_allowed",
    "This key cannot use this operation. Ask its administrator to allow the route.",
  );
}
