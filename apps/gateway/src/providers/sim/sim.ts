import type { Provider } from "../../call/provider.ts";
import { openAiWire } from "../openai/openai.ts";
import { isSimModel } from "./sim-model.ts";
import { simTranscriptFormats } from "./sim-transcription.ts";
import { createSimTransport } from "./sim-transport.ts";

/**
 * Simulated models with deterministic output, configurable pacing, and failures on request. They use the OpenAI format,
 * so the whole call path is real.
 */
export const sim: Provider = {
  ...openAiWire({
    name: "sim",
    apiBase: null,
    keyVariable: null,
    operations: [
      "chat.completions",
      "completions",
      "embeddings",
      "moderations",
      "audio.speech",
      "audio.transcriptions",
      "images.generations",
      "rerank",
    ],
    completesText: true,
    takesTokens: true,
    transcriptFormats: simTranscriptFormats,
  }),
  hasModel: isSimModel,
  localTransport: createSimTransport,
};
