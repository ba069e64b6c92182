import { gatewayCodes } from "@tollgate/contracts/failure-table.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { CallFilter } from "@tollgate/db/usage/call-filter.ts";
import { resolveSearch } from "@tollgate/db/usage/resolve-search.ts";

/** Replaces a search for a request ID or an error code with indexed conditions where possible. */
export function narrowSearch(
  transaction: TenantTransaction,
  filter: CallFilter,
  search: string | undefined,
): Promise<CallFilter> {
  return resolveSearch(transaction, filter, codesWith(search ?? ""));
}

/** Returns the error codes that contain the text. */
function codesWith(text: string): string[] {
  return gatewayCodes.filter((code) => code.toLowerCase().includes(text.toLowerCase()));
}
