import { openAiWire } from "../openai/openai.ts";
import type { Provider, TargetSettings, Transport, TransportLayer } from "../provider.ts";
import { loadAdapterPackage } from "./adapter-package.ts";
import { AdapterTransport } from "./adapter-transport.ts";

/**
 * Providers of the long tail, each by a package of the operator's own installation. To the rest of the gateway it is an
 * upstream of the chat wire that lives in this process.
 */
export const aiSdk: Provider = {
  ...openAiWire({
    name: "ai_sdk",
    apiBase: null,
    keyVariable: null,
    operations: ["chat.completions", "embeddings"],
    // What the interface of such packages has words for. What one package then leaves out is in the guide.
    takes: [
      "temperature",
      "top_p",
      "max_tokens",
      "max_completion_tokens",
      "stop",
      "stream",
      "stream_options",
      "tools",
      "tool_choice",
      "response_format",
      "frequency_penalty",
      "presence_penalty",
      "seed",
      "reasoning_effort",
      "user",
    ],
    renames: { max_completion_tokens: "max_tokens" },
    developerIsSystem: true,
    alwaysTellsUsage: true,
  }),
  isOnlyForFiles: true,
  localTransport: () => nowhere,
  layerOf: adapterLayer,
};

function adapterLayer({ apiBase, apiKey, options }: TargetSettings): TransportLayer {
  const { ai_sdk: name } = options;
  // Only the settings file can name one: what comes from a database must not choose what is loaded here.
  if (typeof name !== "string")
    throw new Error("a deployment with provider 'ai_sdk' must name its package in the settings file");
  return {
    identity: JSON.stringify([name, apiBase ?? null]),
    over: (_, open) =>
      new AdapterTransport(open, (fetch) =>
        loadAdapterPackage(name)({
          fetch,
          ...(apiKey !== null && { apiKey: apiKey.reveal() }),
          ...(apiBase != null && { baseURL: apiBase }),
        }),
      ),
  };
}

/** What an adapter stands on has no address of its own: where it calls is for its package to say. */
const nowhere: Transport = {
  send: () => {
    throw new Error("an adapter was called without its package");
  },
  close: async () => {},
};
