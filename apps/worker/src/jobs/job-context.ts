import type { Database } from "@tollgate/db/connect.ts";
import type { VerifyOptions } from "@tollgate/db/ledger/verify/find-broken-invariants.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import type { SecretBox } from "@tollgate/runtime/secret-box.ts";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import type { PaymentSource } from "./sweep-purchases.ts";

/** What a background job works with. */
export interface JobContext {
  /** In the worker's own role. */
  readonly db: Database;
  /** The same for statements that may take minutes; one at a time. */
  readonly patientDb: Database;
  readonly settings: () => PlatformSettings;
  readonly secrets: SecretBox;
  /** Null when no payments are taken. */
  readonly payments: PaymentSource | null;
  /** What the proof of the books must know of how they are kept. */
  readonly verify: Pick<VerifyOptions, "admission" | "reclaimAfterSeconds">;
  readonly logger: Logger;
  readonly now: () => Date;
}
