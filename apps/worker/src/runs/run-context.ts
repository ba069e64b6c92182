import type { Sealer } from "@tollgate/db/assistants/sealed-record.ts";
import type { Database } from "@tollgate/db/connect.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import type { RunLeaseRenewer } from "./lease-keeper.ts";
import type { ModelCaller } from "./model-caller.ts";

/** What a run is worked on with. */
export interface RunContext {
  /** In the worker's own role. */
  readonly db: Database;
  readonly sealer: Sealer;
  readonly models: ModelCaller;
  readonly leases: RunLeaseRenewer;
  readonly logger: Logger;
  /** How long the end of a run waits for the books to tell what calls without an answer used. */
  readonly booksLimitMs: number;
  /** Called at each step that leaves the process, so that a test can end it there. */
  readonly onPoint: (point: RunPoint) => void | Promise<void>;
}

export type RunPoint =
  | "taken"
  | "thread read"
  | "before turn"
  | "turn started"
  | "head came"
  | "first piece"
  | "answer read"
  | "before events"
  | "events written"
  | "before lost turns"
  | "before store"
  | "stored"
  | "before end"
  | "ended"
  | "given back";
