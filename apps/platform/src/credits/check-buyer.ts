import { Failure } from "@tollgate/contracts/failures.ts";
import { may } from "@tollgate/domain/roles/permissions.ts";
import type { Caller } from "../caller.ts";

/** Returns the organization that the caller may buy credit for. */
export function checkBuyer({ organization }: Caller): NonNullable<Caller["organization"]> {
  if (organization === null) {
    throw new Failure(
      "NO_ACTIVE_ORGANIZATION",
      "You are not a member of any organization. Create one, or ask for an invitation.",
    );
  }
  if (!may({ organization: organization.role }, "buy_credits")) {
    throw new Failure("ROLE_REQUIRED", "Only an organization owner or administrator can buy credits.");
  }
  return organization;
}
