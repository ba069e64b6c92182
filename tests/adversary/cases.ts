import type { Case } from "./case.ts";
import { abortCases } from "./cases/abort-cases.ts";
import { admissionCases } from "./cases/admission-cases.ts";
import { attemptCases } from "./cases/attempt-cases.ts";
import { cutCases, wholeCutCases } from "./cases/cut-cases.ts";
import { fieldCases } from "./cases/field-cases.ts";
import { replayCases } from "./cases/replay-cases.ts";
import { usageCases } from "./cases/usage-cases.ts";

/** Every case, in the order they start. */
export const cases: readonly Case[] = [
  ...cutCases,
  ...wholeCutCases,
  ...abortCases,
  ...admissionCases,
  ...fieldCases,
  ...attemptCases,
  ...replayCases,
  ...usageCases,
];
