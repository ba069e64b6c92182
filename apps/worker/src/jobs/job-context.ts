import type { Database } from "@tollgate/db/connect.ts";
import type { VerifyOptions } from "@tollgate/db/ledger/verify/find-broken-invariants.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import type { SecretBox } from "@tollgate/runtime/secret-box.ts";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import type { PaymentSource } from "./payment-source.ts";

/** Dependencies of a background job. */
export interface JobContext {
  /** Database connection with the worker's role. */
  readonly db: Database;
  /** Database connection for statements that can take minutes. It runs one statement at a time. */
  readonly patientDb: Database;
  readonly settings: () => PlatformSettings;
  readonly secrets: SecretBox;
  /** Null if payments are disabled. */
  readonly payments: PaymentSource | null;
  /** Ledger settings that verification depends on. */
  readonly verify: Pick<VerifyOptions, "admission" | "reclaimAfterSeconds">;
  readonly logger: Logger;
  readonly now: () => Date;
}
