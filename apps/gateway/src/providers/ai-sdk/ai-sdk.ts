import type { Provider, TargetSettings, Transport, TransportLayer } from "../../call/provider.ts";
import { openAiWire } from "../openai/openai.ts";
import { loadAdapterPackage } from "./adapter-package.ts";
import { AdapterTransport } from "./adapter-transport.ts";

/**
 * Supports less common providers through packages that the operator installs. The rest of the gateway treats such a
 * provider as an upstream in this process that uses the chat completions format.
 */
export const aiSdk: Provider = {
  ...openAiWire({
    name: "ai_sdk",
    apiBase: null,
    keyVariable: null,
    operations: ["chat.completions", "embeddings"],
    // Parameters that the package interface supports. The guide lists the parameters that individual packages drop.
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
    alwaysSendsUsage: true,
  }),
  isOnlyForFiles: true,
  localTransport: () => nowhere,
  layerOf: adapterLayer,
};

function adapterLayer({ apiBase, apiKey, options }: TargetSettings): TransportLayer {
  const { ai_sdk: name } = options;
  // Only the settings file can name a package, because data from a database must not choose the code that is loaded
  // here.
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

/** Placeholder transport for providers without a URL. The adapter's package determines where requests go. */
const nowhere: Transport = {
  send: () => {
    throw new Error("an adapter was called without its package");
  },
  close: async () => {},
};
