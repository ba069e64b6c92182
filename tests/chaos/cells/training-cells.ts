import { SDKS } from "../../../training/conformance/play/subject.ts";
import { findParticipantFaults } from "../../../training/tests/faults/participant-faults.ts";
import type { Cell } from "../cell.ts";
import { verifyLedger } from "../ledger/verify-ledger.ts";
import { LOOSEST_ADMISSION } from "../stage/tollgate.ts";
import { NO_CALLS } from "./end-cell.ts";

/** Time from the kill until a new process responds, including its startup. */
const RECOVERY_LIMIT_MS = 1_000;

export const trainingCells: readonly Cell[] = [
  {
    id: "F50",
    title:
      "training participant: killed during training and during its response, repeated rounds, disconnected clients",
    run: async (stage) => {
      const figures: Record<string, number> = {};
      const problems: string[] = [];
      for (const sdk of SDKS) {
        const found = await findParticipantFaults(sdk);
        figures[`${sdk}RecoveryMs`] = Math.round(found.recoveryMs);
        problems.push(...found.problems);
        if (found.recoveryMs > RECOVERY_LIMIT_MS) problems.push(`${sdk}: back after ${found.recoveryMs} ms`);
      }
      const { reclaimAfterSeconds } = stage.tollgate.settings;
      const ledger = await verifyLedger(stage.ledger, { admission: LOOSEST_ADMISSION, reclaimAfterSeconds });
      problems.push(...ledger.problems);
      return { reckoning: NO_CALLS, ledger, settledMs: 0, overspendNano: ledger.overspendNano, problems, figures };
    },
  },
];
