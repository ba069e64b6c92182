import type { CallSteps } from "../../pipeline/steps.ts";
import type { InferenceOperation } from "../route-table.ts";
import { createSpeech } from "./audio-speech.ts";
import { createTranscription } from "./audio-transcriptions.ts";
import { chatCompletions } from "./chat-completions.ts";
import { textCompletions } from "./completions.ts";
import { createMessage } from "./create-message.ts";
import { createResponse } from "./create-response.ts";
import { createEmbeddings } from "./embeddings.ts";
import { createImages } from "./image-generations.ts";
import { createModerations } from "./moderations.ts";
import { createRerank } from "./rerank.ts";

/**
 * Returns every inference operation. The order matters, because a path that ends in chat/completions also ends in
 * completions.
 */
export function inferenceOperations(steps: CallSteps): readonly InferenceOperation[] {
  return [
    chatCompletions(steps),
    textCompletions(steps),
    createEmbeddings(steps),
    createModerations(steps),
    createSpeech(steps),
    createTranscription(steps),
    createImages(steps),
    createMessage(steps),
    createResponse(steps),
    createRerank(steps),
  ];
}
