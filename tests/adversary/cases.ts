import type { Case } from "./case.ts";
import { abortCases } from "./cases/abort-cases.ts";
import { admissionCases } from "./cases/admission-cases.ts";
import { attemptCases } from "./cases/attempt-cases.ts";
import { audioCases } from "./cases/audio-cases.ts";
import { clockCases } from "./cases/clock-cases.ts";
import { codeCases } from "./cases/code-cases.ts";
import { consoleCases } from "./cases/console-cases.ts";
import { crowdCases } from "./cases/crowd-cases.ts";
import { cutCases, randomCutCase, wholeCutCases } from "./cases/cut-cases.ts";
import { diskCases } from "./cases/disk-cases.ts";
import { fieldCases } from "./cases/field-cases.ts";
import { invitationCases } from "./cases/invitation-cases.ts";
import { keyCases } from "./cases/key-cases.ts";
import { limitCases } from "./cases/limit-cases.ts";
import { mediaCases } from "./cases/media-cases.ts";
import { outageCases } from "./cases/outage-cases.ts";
import { paymentCases } from "./cases/payment-cases.ts";
import { platformCases } from "./cases/platform-cases.ts";
import { priceCases } from "./cases/price-cases.ts";
import { replayCases } from "./cases/replay-cases.ts";
import { runCases } from "./cases/run-cases.ts";
import { sessionCases } from "./cases/session-cases.ts";
import { slowCases } from "./cases/slow-cases.ts";
import { smugglingCases } from "./cases/smuggling-cases.ts";
import { storageCases } from "./cases/storage-cases.ts";
import { usageCases } from "./cases/usage-cases.ts";
import { webhookCases } from "./cases/webhook-cases.ts";

/** All cases, in the order in which they start. */
export const cases: readonly Case[] = [
  ...paymentCases,
  ...priceCases,
  ...cutCases,
  ...wholeCutCases,
  randomCutCase,
  ...abortCases,
  ...admissionCases,
  ...fieldCases,
  ...attemptCases,
  ...replayCases,
  ...usageCases,
  ...audioCases,
  ...mediaCases,
  ...limitCases,
  ...platformCases,
  ...codeCases,
  ...invitationCases,
  ...sessionCases,
  ...webhookCases,
  ...smugglingCases,
  ...slowCases,
  ...keyCases,
  ...storageCases,
  ...runCases,
  ...consoleCases,
  ...crowdCases,
  ...outageCases,
  ...diskCases,
  ...clockCases,
];
