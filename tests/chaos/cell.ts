import type { Random } from "../random.ts";
import type { Reckoning } from "./books/reconcile.ts";
import type { BooksVerdict } from "./books/verify-books.ts";
import type { Schedule } from "./schedule.ts";
import type { Stage } from "./stage/stage.ts";

/** What a cell is given besides the stage. */
export interface CellContext {
  readonly schedule: Schedule;
  readonly random: Random;
  /** How long the fault goes on under load. */
  readonly seconds: number;
  /** Calls per second. */
  readonly rate: number;
  readonly isQuick: boolean;
  /** The beginning of every nonce of this cell. */
  readonly prefix: string;
  readonly print: (line: string) => void;
}

/** What a cell found. Empty `problems` mean that it holds. */
export interface CellResult {
  readonly reckoning: Reckoning;
  readonly books: BooksVerdict;
  /** How long after the load ended everything was in the books. */
  readonly settledMs: number | null;
  /** Nano-USD that were served beyond what there was, as the cell itself counted. */
  readonly overspendNano: bigint;
  readonly problems: readonly string[];
  /** Further numbers that belong to this cell alone. */
  readonly figures?: Readonly<Record<string, number>>;
  /** Set when this machine cannot do what the cell needs. */
  readonly skipped?: string;
}

/** One kind of fault, and what must hold while it happens and afterwards. */
export interface Cell {
  readonly id: string;
  readonly title: string;
  /** Whether a short run includes it. */
  readonly isQuick?: boolean;
  run(stage: Stage, context: CellContext): Promise<CellResult>;
}
