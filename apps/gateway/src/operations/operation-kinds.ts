import type { OperationKind } from "../call/operation-kind.ts";
import type { OperationName } from "../call/operation-traits.ts";
import { chat } from "./chat/chat.ts";
import { completions } from "./completions/completions.ts";
import { embeddings } from "./embeddings/embeddings.ts";
import { images } from "./images/images.ts";
import { messages } from "./messages/messages.ts";
import { moderations } from "./moderations/moderations.ts";
import { rerank } from "./rerank/rerank.ts";
import { responses } from "./responses/responses.ts";
import { speech } from "./speech/speech.ts";
import { transcriptions } from "./transcriptions/transcriptions.ts";

/** All inference operations by name. */
export const operationKinds: Readonly<Partial<Record<OperationName, OperationKind>>> = {
  "chat.completions": chat,
  completions,
  embeddings,
  moderations,
  "audio.speech": speech,
  "audio.transcriptions": transcriptions,
  "images.generations": images,
  messages,
  responses,
  rerank,
};
