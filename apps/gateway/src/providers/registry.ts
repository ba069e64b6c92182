import type { Provider } from "../call/provider.ts";
import { aiSdk } from "./ai-sdk/ai-sdk.ts";
import { anthropic } from "./anthropic/anthropic.ts";
import { bedrock } from "./bedrock/bedrock.ts";
import { cohere, cohereChat } from "./cohere/cohere.ts";
import { gemini } from "./gemini/gemini.ts";
import { openAiWire } from "./openai/openai.ts";
import { openAiWires, rerankWires } from "./openai/wires.ts";
import { sim } from "./sim/sim.ts";
import { vertex } from "./vertex/vertex.ts";

/** All supported providers. A deployment's model names its provider, as in `<provider>/<upstream model>`. */
export const providers: ReadonlyMap<string, Provider> = new Map(
  [
    sim,
    aiSdk,
    anthropic,
    gemini,
    bedrock,
    vertex,
    cohere,
    cohereChat,
    ...[...openAiWires, ...rerankWires].map(openAiWire),
  ].map((provider) => [provider.name, provider]),
);
