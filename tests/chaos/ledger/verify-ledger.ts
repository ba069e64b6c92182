import type { Database } from "@tollgate/db/connect.ts";
import {
  findBrokenInvariants,
  type VerifyOptions,
  type VerifyReport,
} from "@tollgate/db/ledger/verify/find-broken-invariants.ts";

/** Result of the ledger verification, as reported by a cell. */
export interface LedgerVerdict {
  readonly differences: number;
  readonly overspendNano: bigint;
  /** IDs of the failed checks. */
  readonly failed: readonly string[];
  /** Failed checks, each with its first difference. */
  readonly problems: readonly string[];
  readonly explained: VerifyReport["explained"];
}

/** Verifies all ledger invariants while the system runs. */
export async function verifyLedger(ledger: Database, options: VerifyOptions): Promise<LedgerVerdict> {
  const report = await findBrokenInvariants(ledger, options);
  const failed = report.checks.filter(({ ok }) => !ok);
  const overdrafts = failed.filter(({ id }) => id === "R12").flatMap(({ differences }) => differences);
  return {
    differences: failed.reduce((sum, { differing }) => sum + differing, 0),
    overspendNano: overdrafts.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n),
    failed: failed.map(({ id }) => id),
    problems: failed.map(({ id, title, differing, differences }) => {
      const [first] = differences;
      const shown = first === undefined ? "" : `: ${first.subject} is ${first.found}, expected ${first.expected}`;
      return `${id} (${title}) differs ${differing} times${shown}`;
    }),
    explained: report.explained,
  };
}
