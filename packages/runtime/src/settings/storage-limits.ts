import type { StorageLimits } from "@tollgate/domain/assistants/stored-bytes.ts";
import type { Settings } from "./settings.ts";

const BYTES_PER_MB = 1_000_000;

/** Returns the limits of stored bytes. Without billing, no organization has credit, so the limit without credit is left out. */
export function storageLimitsOf({ assistants, billing }: Pick<Settings, "assistants" | "billing">): StorageLimits {
  return {
    perKey: assistants.storedMbPerKey * BYTES_PER_MB,
    perOrganization: assistants.storedMbPerOrganization * BYTES_PER_MB,
    withoutCredit: billing.provider === "off" ? null : assistants.storedMbWithoutCredit * BYTES_PER_MB,
  };
}
