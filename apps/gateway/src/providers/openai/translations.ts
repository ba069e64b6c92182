import type { OperationName } from "../../call/operation-traits.ts";
import type { Translation, Translations } from "../../call/provider.ts";
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

/** Creates each operation's translation from the upstream's settings. */
const translationOf: Readonly<Partial<Record<OperationName, (wire: OpenAiWire) => Translation>>> = {
  "chat.completions": chatTranslation,
  completions: completionTranslation,
  embeddings: embeddingTranslation,
  moderations: () => moderationTranslation,
  "audio.speech": () => speechTranslation,
  "audio.transcriptions": (wire) => transcriptionTranslation(wire),
  "images.generations": () => imageTranslation,
  responses: () => responseTranslation,
  rerank: ({ rerank }) => rerankTranslation(rerank ?? {}),
};

/** Returns the translations for the operations that an upstream offers. */
export function translationsOf(wire: OpenAiWire): Translations {
  return Object.fromEntries(
    wire.operations.flatMap((operation) => {
      const translation = translationOf[operation]?.(wire);
      return translation === undefined ? [] : [[operation, translation]];
    }),
  );
}
