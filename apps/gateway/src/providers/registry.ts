import { openAiWire } from "./openai/openai.ts";
import type { Provider } from "./provider.ts";
import { sim } from "./sim/sim.ts";

/** Every upstream dialect this gateway speaks. A deployment's model names one: `<provider>/<upstream model>`. */
export const providers: ReadonlyMap<string, Provider> = new Map(
  [
    sim,
    openAiWire({
      name: "openai",
      apiBase: "https://api.openai.com/v1",
      keyVariable: "OPENAI_API_KEY",
      outputLimitParam: "max_completion_tokens",
    }),
    openAiWire({ name: "openai_compatible", apiBase: null, keyVariable: null }),
    openAiWire({ name: "hosted_vllm", apiBase: null, keyVariable: "HOSTED_VLLM_API_KEY" }),
  ].map((provider) => [provider.name, provider]),
);
