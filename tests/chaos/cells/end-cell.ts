import { setTimeout as pause } from "node:timers/promises";
import type { AdmissionRule } from "@tollgate/domain/credit/admission.ts";
import type { Cell, CellResult } from "../cell.ts";
import { verifyLedger } from "../ledger/verify-ledger.ts";
import type { Stage } from "../stage/stage.ts";
import { LOOSEST_ADMISSION } from "../stage/tollgate.ts";

const LIMIT_MS = 60_000;
/** Comparison result for a cell that makes no calls. */
export const NO_CALLS: CellResult["reckoning"] = {
  calls: 0,
  whole: 0,
  unsent: 0,
  refused: 0,
  left: 0,
  failedByFault: 0,
  failedOtherwise: 0,
  lowCredit503: 0,
  noTrace: 0,
  lost: 0,
  doubled: 0,
  wrongRefusals: 0,
  failures: {},
  examples: [],
};

/** Final cell of every run: after all gateways have stopped gracefully, no credit may stay reserved. */
export const endCell: Cell = {
  id: "END",
  title: "all gateways stop; no credit stays reserved, and the ledger is consistent",
  run: (stage) => endStage(stage),
};

/** Stops all gateways and checks that the ledger is consistent and no credit stays reserved. */
export async function endStage(stage: Stage, admission = LOOSEST_ADMISSION): Promise<CellResult> {
  const code = await stage.tollgate.gateways.stop("SIGTERM", LIMIT_MS);
  const ledger = await awaitDrained(stage, admission);
  const problems = [...ledger.problems, ...(code === 0 ? [] : [`the gateways left with code ${code}`])];
  return { reckoning: NO_CALLS, ledger, settledMs: 0, overspendNano: ledger.overspendNano, problems };
}

/** Waits for the workers, which may not have settled the last events yet. */
async function awaitDrained(stage: Stage, admission: AdmissionRule) {
  const { reclaimAfterSeconds } = stage.tollgate.settings;
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const verdict = await verifyLedger(stage.ledger, {
      admission,
      reclaimAfterSeconds,
      isAtRest: true,
      isDrained: true,
    });
    if (verdict.differences === 0 || performance.now() > deadline) return verdict;
    await pause(1_000);
  }
}
