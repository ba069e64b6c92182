import type { OperationName } from "../../operations/operation-kind.ts";
import type { Translation, Translations } from "../provider.ts";
import { chatTranslation } from "./chat.ts";
import { completionTranslation } from "./completions.ts";
import { embeddingTranslation } from "./embeddings.ts";
import { imageTranslation } from "./images.ts";
import { moderationTranslation } from "./moderations.ts";
import { rerankTranslation } from "./rerank.ts";
import { responseTranslation } from "./responses.ts";
import { speechTranslation } from "./speech.ts";
import { transcriptionTranslation } from "./transcriptions.ts";
import type { OpenAiWire } from "./wire.ts";

/** How each operation is said on this wire, by an upstream's habits. */
const translationOf: Readonly<Partial<Record<OperationName, (wire: OpenAiWire) => Translation>>> = {
  "chat.completions": chatTranslation,
  completions: completionTranslation,
  embeddings: embeddingTranslation,
  moderations: () => moderationTranslation,
  "audio.speech": () => speechTranslation,
  "audio.transcriptions": ({ transcriptFormats }) => transcriptionTranslation(transcriptFormats),
  "images.generations": () => imageTranslation,
  responses: () => responseTranslation,
  rerank: ({ rerank }) => rerankTranslation(rerank ?? {}),
};

/** The operations an upstream offers, in its own way of saying them. */
export function translationsOf(wire: OpenAiWire): Translations {
  return Object.fromEntries(
    wire.operations.flatMap((operation) => {
      const translation = translationOf[operation]?.(wire);
      return translation === undefined ? [] : [[operation, translation]];
    }),
  );
}
