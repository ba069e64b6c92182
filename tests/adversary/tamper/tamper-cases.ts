import { chainCases } from "./chain-cases.ts";
import { creditCases } from "./credit-cases.ts";
import { objectCases } from "./object-cases.ts";
import { stateCases } from "./state-cases.ts";
import type { TamperCase } from "./tamper-case.ts";
import { usageCases } from "./usage-cases.ts";

/** All cases that `ledger verify --checkpoints` must notice. */
export const tamperCases: readonly TamperCase[] = [
  ...creditCases,
  ...usageCases,
  ...stateCases,
  ...chainCases,
  ...objectCases,
];
