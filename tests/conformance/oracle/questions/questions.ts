import type { Question } from "../question.ts";
import { chatQuestions } from "./chat.ts";
import { chatFailureQuestions } from "./chat-failures.ts";
import { chatRequestQuestions } from "./chat-requests.ts";
import { informationQuestions } from "./information.ts";
import { mediaQuestions } from "./media.ts";
import { textQuestions } from "./texts.ts";
import { utilityQuestions } from "./utilities.ts";

/** Everything both gateways are asked. */
export const questions: readonly Question[] = [
  ...informationQuestions,
  ...chatQuestions,
  ...chatRequestQuestions,
  ...chatFailureQuestions,
  ...textQuestions,
  ...mediaQuestions,
  ...utilityQuestions,
];

/** Of the seed, and not answered by Tollgate yet. They are in no count. */
export const notYet: readonly string[] = ["assistants", "threads", "messages of a thread", "runs"];
