import type { StorageLimits } from "./stored-bytes.ts";

/** Limits that no test reaches. */
export const AMPLE_STORAGE: StorageLimits = {
  perKey: 1_000_000_000,
  perOrganization: 1_000_000_000,
  withoutCredit: null,
};
