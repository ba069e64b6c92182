import type { CallRow } from "./call-rows.ts";

/** Expected split of a call's cost between the caller and the operator. */
export type Expectation =
  /** The caller pays exactly what the upstream billed, to the nano-USD. */
  | { readonly kind: "exact"; readonly status?: string }
  /** The call is refused before it reaches the upstream. */
  | { readonly kind: "refused" }
  /**
   * The gateway counts tokens itself. The charge is within the tolerance of the bill, or higher if the whole hold is
   * charged.
   */
  | {
      readonly kind: "estimate";
      readonly tolerance: number;
      readonly mayExceed?: boolean;
      /** Limits that can make the gateway stop reading the upstream, as named in the usage row. */
      readonly limits?: readonly string[];
    }
  /**
   * The caller pays this amount, or the hold, and the rest of the bill is recorded as the operator's loss. If the
   * failed attempt reported no usage, the recorded loss is an estimate with this tolerance.
   */
  | { readonly kind: "loss"; readonly charged: bigint | "hold"; readonly tolerance?: number }
  /** The gateway was killed. The uncharged part is the operator's loss. */
  | { readonly kind: "killed" };

/** A call in three records: the upstream's bill, the usage rows, and the expectation. */
export interface Judgment {
  readonly nonce: string;
  readonly billed: bigint;
  readonly charged: bigint;
  readonly loss: bigint;
  readonly lossCause: string | null;
  readonly unpaid: bigint;
  readonly overcharged: bigint;
  /**
   * True for an estimate that the case expects and that is within its tolerance. It is listed but excluded from the
   * sums.
   */
  readonly isListedEstimate: boolean;
  readonly problems: readonly string[];
}

export interface CallFacts {
  readonly nonce: string;
  readonly billed: bigint;
  readonly rows: readonly CallRow[];
  readonly expects: Expectation;
}

/** Compares the upstream's bill with the charge. */
export function judgeCall({ nonce, billed, rows, expects }: CallFacts): Judgment {
  const charged = rows.reduce((sum, { cost }) => sum + cost, 0n);
  const recorded = rows.reduce((sum, row) => sum + row.loss, 0n);
  const open = billed - charged - recorded;
  const problems = findProblems({ nonce, billed, rows, expects }, charged, recorded);
  // Either the killed gateway could not record this loss, or the loss was recorded as accurately as possible.
  const isKilled = expects.kind === "killed" && open > 0n;
  const isEstimatedLoss = expects.kind === "loss" && expects.tolerance !== undefined && problems.length === 0;
  const loss = isKilled || isEstimatedLoss ? recorded + open : recorded;
  const isOpen = !isKilled && !isEstimatedLoss;
  return {
    nonce,
    billed,
    charged,
    loss,
    lossCause:
      loss === 0n ? null : isKilled ? "killed" : (rows.find(({ lossReasons }) => lossReasons)?.lossReasons ?? null),
    unpaid: isOpen && open > 0n ? open : 0n,
    overcharged: isOpen && open < 0n ? -open : 0n,
    isListedEstimate: expects.kind === "estimate" && problems.length === 0 && rows.some(isEstimated),
    problems: problems.map((problem) => `${nonce}: ${problem}`),
  };
}

function findProblems({ billed, rows, expects }: CallFacts, charged: bigint, loss: bigint): string[] {
  const figures = `billed ${billed}, charged ${charged}, loss ${loss}`;
  if (rows.length === 0 && billed > 0n && expects.kind !== "killed") return [`no usage row, ${figures}`];
  if (expects.kind === "exact") return checkExact(expects.status, rows, figures, charged === billed && loss === 0n);
  if (expects.kind === "refused") return billed === 0n && charged === 0n ? [] : [`not refused: ${figures}`];
  if (expects.kind === "loss") return checkLoss(expects, rows, billed, charged, loss);
  if (expects.kind === "killed") return charged + loss <= billed ? [] : [`charged above the bill: ${figures}`];
  return checkEstimate(expects, rows, billed, charged);
}

function checkExact(status: string | undefined, rows: readonly CallRow[], figures: string, isEqual: boolean): string[] {
  const problems = isEqual ? [] : [figures];
  const other = status === undefined ? undefined : rows.find((row) => row.status !== status);
  if (other !== undefined) problems.push(`status ${other.status} instead of ${status}`);
  return problems;
}

function checkLoss(
  { charged: due, tolerance = 0 }: Extract<Expectation, { kind: "loss" }>,
  rows: readonly CallRow[],
  billed: bigint,
  charged: bigint,
  loss: bigint,
): string[] {
  const expected = due === "hold" ? rows.reduce((sum, { hold }) => sum + hold, 0n) : due;
  const allowed = BigInt(Math.ceil(Number(billed) * tolerance));
  const open = billed - charged - loss;
  const isRecorded = open <= allowed && open >= -allowed;
  if (charged === expected && isRecorded) return [];
  return [`expected charge ${expected} and the rest as loss: billed ${billed}, charged ${charged}, loss ${loss}`];
}

function checkEstimate(
  { tolerance, mayExceed, limits }: Extract<Expectation, { kind: "estimate" }>,
  rows: readonly CallRow[],
  billed: bigint,
  charged: bigint,
): string[] {
  const allowed = BigInt(Math.ceil(Number(billed) * tolerance));
  const problems: string[] = [];
  if (charged < billed - allowed) problems.push(`charged ${charged} of ${billed}, at least ${billed - allowed} is due`);
  if (charged > billed + allowed && mayExceed !== true) problems.push(`charged ${charged}, billed ${billed}`);
  const [row] = rows;
  const isReported = rows.every(({ source }) => source === "reported");
  if (isReported && charged !== billed) problems.push(`usage was reported, but ${charged} was charged for ${billed}`);
  if (row !== undefined && limits !== undefined && !isReported && !limits.includes(row.errorCode ?? "")) {
    problems.push(`the row names ${row.errorCode} instead of ${limits.join(" or ")}`);
  }
  return problems;
}

const isEstimated = ({ source }: CallRow): boolean => source === "estimated";
