/** Connection settings that a program needs to call models. */
interface Connection {
  /** Gateway URL without `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string | null;
}

/** Configuration for a coding tool. */
export interface Agent {
  /** API path that the tool requires. The CLI checks it before the tool starts. */
  readonly needs: string;
  readonly needsModel: boolean;
  environment(connection: Connection): Readonly<Record<string, string>>;
  /** Returns the arguments to insert before the user's arguments. */
  arguments(connection: Connection): readonly string[];
}

/** Returns the environment variables that OpenAI clients read. */
const openai = ({ baseUrl, apiKey, model }: Connection) => ({
  OPENAI_BASE_URL: `${baseUrl}/v1`,
  OPENAI_API_BASE: `${baseUrl}/v1`,
  OPENAI_API_KEY: apiKey,
  ...(model !== null && { OPENAI_MODEL: model, TOLLGATE_MODEL: model }),
});

/** Configuration for any program that reads the OpenAI environment variables. */
export const generic: Agent = {
  needs: "/v1/chat/completions",
  needsModel: false,
  environment: openai,
  arguments: () => [],
};

/** Tools that need a specific configuration, by program name. */
export const agents: Readonly<Record<string, Agent>> = {
  aider: {
    needs: "/v1/chat/completions",
    needsModel: true,
    environment: openai,
    // aider uses the part of the model name before the first slash as the provider.
    arguments: ({ model }) => ["--model", `openai/${model}`],
  },
  opencode: {
    needs: "/v1/chat/completions",
    needsModel: true,
    environment: (connection) => ({
      ...openai(connection),
      // The configuration contains the name of the key's environment variable, not the key.
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        provider: {
          tollgate: {
            npm: "@ai-sdk/openai-compatible",
            name: "Tollgate",
            options: { baseURL: `${connection.baseUrl}/v1`, apiKey: "{env:OPENAI_API_KEY}" },
            models: { [connection.model as string]: { name: connection.model } },
          },
        },
        model: `tollgate/${connection.model}`,
      }),
    }),
    arguments: () => [],
  },
  codex: {
    needs: "/v1/responses",
    needsModel: true,
    environment: openai,
    arguments: ({ baseUrl, model }) =>
      Object.entries({
        model,
        model_provider: "tollgate",
        "model_providers.tollgate.name": "Tollgate",
        "model_providers.tollgate.base_url": `${baseUrl}/v1`,
        "model_providers.tollgate.env_key": "OPENAI_API_KEY",
        "model_providers.tollgate.wire_api": "responses",
        // If web search were enabled, the provider would run it and bill it separately.
        web_search: "disabled",
      }).flatMap(([name, value]) => ["--config", `${name}=${JSON.stringify(value)}`]),
  },
  claude: {
    needs: "/v1/messages",
    needsModel: true,
    environment: ({ baseUrl, apiKey, model }) => ({
      ANTHROPIC_BASE_URL: baseUrl,
      ANTHROPIC_AUTH_TOKEN: apiKey,
      // Clear this variable so that Claude Code doesn't use the user's Anthropic key.
      ANTHROPIC_API_KEY: "",
      ANTHROPIC_MODEL: model as string,
      // Claude Code calls its helper models by Anthropic's model names, so map these names to the chosen model.
      ANTHROPIC_DEFAULT_OPUS_MODEL: model as string,
      ANTHROPIC_DEFAULT_SONNET_MODEL: model as string,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model as string,
    }),
    arguments: () => [],
  },
};
