import type { Question } from "../question.ts";
import { assistantQuestions } from "./assistants.ts";
import { chatQuestions } from "./chat.ts";
import { chatFailureQuestions } from "./chat-failures.ts";
import { chatRequestQuestions } from "./chat-requests.ts";
import { informationQuestions } from "./information.ts";
import { keyQuestions } from "./keys.ts";
import { mediaQuestions } from "./media.ts";
import { messageQuestions } from "./messages.ts";
import { rerankQuestions } from "./rerank.ts";
import { responseQuestions } from "./responses.ts";
import { spendQuestions } from "./spend.ts";
import { storedModelQuestions } from "./stored-models.ts";
import { teamQuestions } from "./teams.ts";
import { textQuestions } from "./texts.ts";
import { utilityQuestions } from "./utilities.ts";

/** All questions for both gateways. */
export const questions: readonly Question[] = [
  ...informationQuestions,
  ...chatQuestions,
  ...chatRequestQuestions,
  ...chatFailureQuestions,
  ...textQuestions,
  ...mediaQuestions,
  ...rerankQuestions,
  ...messageQuestions,
  ...responseQuestions,
  ...utilityQuestions,
  // The following questions refer to records of earlier ones: keys to a team, and calls to a key.
  ...teamQuestions,
  ...keyQuestions,
  ...spendQuestions,
  ...assistantQuestions,
  ...storedModelQuestions,
];

/** Operations in the original scope that are not compared yet. */
export const notYet: readonly string[] = ["response cache"];
