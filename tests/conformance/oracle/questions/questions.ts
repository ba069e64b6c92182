import type { Question } from "../question.ts";
import { chatQuestions } from "./chat.ts";
import { chatFailureQuestions } from "./chat-failures.ts";
import { chatRequestQuestions } from "./chat-requests.ts";
import { informationQuestions } from "./information.ts";
import { mediaQuestions } from "./media.ts";
import { messageQuestions } from "./messages.ts";
import { rerankQuestions } from "./rerank.ts";
import { responseQuestions } from "./responses.ts";
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
];

/** Operations in the original scope that Tollgate does not support yet. Questions about them are not counted. */
export const notYet: readonly string[] = [
  "assistants",
  "threads",
  "thread messages",
  "runs",
  "response cache",
  "and keys, teams, and spend, for which LiteLLM needs its own database",
];
