import { anthropic } from "./anthropic/anthropic.ts";
import { gemini } from "./gemini/gemini.ts";
import { openAiWire } from "./openai/openai.ts";
import { openAiWires } from "./openai/wires.ts";
import type { Provider } from "./provider.ts";
import { sim } from "./sim/sim.ts";

/** Every upstream dialect this gateway speaks. A deployment's model names one: `<provider>/<upstream model>`. */
export const providers: ReadonlyMap<string, Provider> = new Map(
  [sim, anthropic, gemini, ...openAiWires.map(openAiWire)].map((provider) => [provider.name, provider]),
);
