import type { Random } from "../random.ts";
import type { Reckoning } from "./ledger/reconcile.ts";
import type { LedgerVerdict } from "./ledger/verify-ledger.ts";
import type { Schedule } from "./schedule.ts";
import type { Stage } from "./stage/stage.ts";

/** Inputs to a cell, other than the stage. */
export interface CellContext {
  readonly schedule: Schedule;
  readonly random: Random;
  /** Duration of the fault under load. */
  readonly seconds: number;
  /** Calls per second. */
  readonly rate: number;
  readonly isQuick: boolean;
  /** Prefix of all nonces in this cell. */
  readonly prefix: string;
  readonly print: (line: string) => void;
}

/** Result of a cell. It passes if `problems` is empty. */
export interface CellResult {
  readonly reckoning: Reckoning;
  readonly ledger: LedgerVerdict;
  /** Time from the end of the load until the ledger contained every call. */
  readonly settledMs: number | null;
  /** Nano-USD served beyond the available credit, as counted by the cell itself. */
  readonly overspendNano: bigint;
  readonly problems: readonly string[];
  /** Additional figures for this cell. */
  readonly figures?: Readonly<Record<string, number>>;
  /** Reason why the cell was skipped, if this machine cannot run it. */
  readonly skipped?: string;
}

/** One kind of fault, and the invariants that must hold during and after it. */
export interface Cell {
  readonly id: string;
  readonly title: string;
  /** True if a short run includes the cell. */
  readonly isQuick?: boolean;
  run(stage: Stage, context: CellContext): Promise<CellResult>;
}
