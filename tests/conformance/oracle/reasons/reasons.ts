import { answerReasons } from "./answers.ts";
import { dialectReasons } from "./dialects.ts";
import { errorBodyReasons } from "./error-bodies.ts";
import { informationReasons } from "./information.ts";
import { interfaceReasons } from "./interfaces.ts";
import type { Reason } from "./reason.ts";
import { refusedRequestReasons } from "./refused-requests.ts";
import { upstreamFailureReasons } from "./upstream-failures.ts";
import { upstreamRequestReasons } from "./upstream-requests.ts";
import { utilityReasons } from "./utilities.ts";

/** The first matching reason explains a difference, so specific reasons must come before general reasons. */
export const reasons: readonly Reason[] = [
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
