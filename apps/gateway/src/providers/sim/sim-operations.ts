import { makeSimAnswer, type SimRequest } from "./sim-answer.ts";
import { completion } from "./sim-completion.ts";
import { embedding } from "./sim-embedding.ts";
import { image } from "./sim-image.ts";
import { moderation } from "./sim-moderation.ts";
import { eventReply, jsonReply, readJson, type SimOperation } from "./sim-operation.ts";
import { reranking } from "./sim-rerank.ts";
import { speech } from "./sim-speech.ts";
import { textModels } from "./sim-text.ts";
import { transcription } from "./sim-transcription.ts";
import { writeAnswer, writeFrames } from "./sim-wire.ts";

const chat: SimOperation<SimRequest> = {
  models: textModels,
  read: (request) => readJson(request, "messages"),
  reply: (model, request, nowMs) => {
    const answer = makeSimAnswer(model, request, nowMs);
    return request.stream === true
      ? eventReply(writeFrames(model, answer, request))
      : jsonReply(writeAnswer(model, answer));
  },
};

/** The simulated upstream's operations by path. */
export const simOperations: Readonly<Record<string, SimOperation>> = {
  "/chat/completions": chat,
  "/completions": completion,
  "/embeddings": embedding,
  "/moderations": moderation,
  "/audio/speech": speech,
  "/audio/transcriptions": transcription,
  "/images/generations": image,
  "/rerank": reranking,
};
