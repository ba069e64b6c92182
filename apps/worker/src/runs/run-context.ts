import type { Sealer } from "@tollgate/db/assistants/sealed-record.ts";
import type { Database } from "@tollgate/db/connect.ts";
import type { StorageLimits } from "@tollgate/domain/assistants/stored-bytes.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import type { ModelCaller } from "./model-caller.ts";
import type { RunLeaseRenewer } from "./run-lease-renewer.ts";

/** Dependencies for executing a run. */
export interface RunContext {
  /** Database connection with the worker's role. */
  readonly db: Database;
  readonly sealer: Sealer;
  readonly models: ModelCaller;
  readonly leases: RunLeaseRenewer;
  readonly logger: Logger;
  readonly storageLimits: () => StorageLimits;
  /** Maximum time that a finished run waits for the ledger to contain the usage of calls without a response. */
  readonly booksLimitMs: number;
  /** Called before each step with external effects, so that a test can kill the process at that point. */
  readonly onPoint: (point: RunPoint) => void | Promise<void>;
}

type RunPoint =
  | "taken"
  | "thread read"
  | "before turn"
  | "turn started"
  | "headers received"
  | "first chunk"
  | "response read"
  | "before events"
  | "events written"
  | "before lost turns"
  | "before store"
  | "stored"
  | "before end"
  | "ended"
  | "released";
