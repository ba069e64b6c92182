import { Failure } from "@tollgate/contracts/failures.ts";
import { describeWhoMay, may } from "@tollgate/domain/roles/permissions.ts";
import type { Caller } from "../caller.ts";

/** Throws if the caller isn't allowed to manage the active organization's webhooks. */
export function checkRole({ organization }: Pick<Caller, "organization">): void {
  if (organization === null || may({ organization: organization.role }, "manage_webhooks")) return;
  throw new Failure("ROLE_REQUIRED", `Only ${describeWhoMay("manage_webhooks")} can manage webhooks.`);
}
