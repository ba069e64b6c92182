import { STRICT_ADMISSION } from "@tollgate/domain/credit/admission.ts";
import type { BillingSettings } from "@tollgate/runtime/settings/settings.ts";

/** Settings with which a hold is the estimate, without a practical maximum. */
export const BILLING: BillingSettings = {
  provider: "fake",
  admission: STRICT_ADMISSION,
  maxHoldNanoUsd: 10n ** 15n,
  outputStep: 100,
  capOutput: true,
  holdFactor: 1,
  exposeBalance: false,
  failOpen: false,
};
