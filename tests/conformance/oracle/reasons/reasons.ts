import { answerReasons } from "./answers.ts";
import { assistantReasons } from "./assistants.ts";
import { dialectReasons } from "./dialects.ts";
import { errorBodyReasons } from "./error-bodies.ts";
import { informationReasons } from "./information.ts";
import { interfaceReasons } from "./interfaces.ts";
import { managementReasons } from "./management.ts";
import type { Reason } from "./reason.ts";
import { refusedRequestReasons } from "./refused-requests.ts";
import { spendReasons } from "./spend.ts";
import { storedModelReasons } from "./stored-models.ts";
import { upstreamFailureReasons } from "./upstream-failures.ts";
import { upstreamRequestReasons } from "./upstream-requests.ts";
import { utilityReasons } from "./utilities.ts";

/** The first matching reason explains a difference, so specific reasons must come before general reasons. */
export const reasons: readonly Reason[] = [
  ...spendReasons,
  ...assistantReasons,
  ...managementReasons,
  ...storedModelReasons,
  ...informationReasons,
  ...dialectReasons,
  ...utilityReasons,
  ...interfaceReasons,
  ...refusedRequestReasons,
  ...errorBodyReasons,
  ...upstreamFailureReasons,
  ...answerReasons,
  ...upstreamRequestReasons,
];
