import type { ManagementOperation } from "../operation.ts";
import { claimPairing } from "./claim-pairing.ts";
import { createPairing } from "./create-pairing.ts";
import { approvePairing, denyPairing, getPairing } from "./decide-pairing.ts";

export const pairingOperations: readonly ManagementOperation[] = [
  createPairing,
  getPairing,
  approvePairing,
  denyPairing,
  claimPairing,
];
