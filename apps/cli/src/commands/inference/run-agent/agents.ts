/** What a program needs to know to call models here. */
export interface Connection {
  /** Without `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string | null;
}

/** How a coding tool is told where to call. */
export interface Agent {
  /** The interface it speaks; checked before it is started. */
  readonly needs: string;
  readonly needsModel: boolean;
  environment(connection: Connection): Readonly<Record<string, string>>;
  /** Before the words of the caller. */
  arguments(connection: Connection): readonly string[];
}

/** What programs that speak to OpenAI read. */
const openai = ({ baseUrl, apiKey, model }: Connection) => ({
  OPENAI_BASE_URL: `${baseUrl}/v1`,
  OPENAI_API_BASE: `${baseUrl}/v1`,
  OPENAI_API_KEY: apiKey,
  ...(model !== null && { OPENAI_MODEL: model, TOLLGATE_MODEL: model }),
});

/** Any program that reads the usual variables. */
export const generic: Agent = {
  needs: "/v1/chat/completions",
  needsModel: false,
  environment: openai,
  arguments: () => [],
};

/** Tools with habits of their own, by the name of their program. */
export const agents: Readonly<Record<string, Agent>> = {
  aider: {
    needs: "/v1/chat/completions",
    needsModel: true,
    environment: openai,
    // It picks the provider by the part before the first slash.
    arguments: ({ model }) => ["--model", `openai/${model}`],
  },
  opencode: {
    needs: "/v1/chat/completions",
    needsModel: true,
    environment: (connection) => ({
      ...openai(connection),
      // The key stays in its own variable, which this text only names.
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
        // Its search would be run by the provider and charged apart.
        web_search: "disabled",
      }).flatMap(([name, value]) => ["--config", `${name}=${JSON.stringify(value)}`]),
  },
  claude: {
    needs: "/v1/messages",
    needsModel: true,
    environment: ({ baseUrl, apiKey, model }) => ({
      ANTHROPIC_BASE_URL: baseUrl,
      ANTHROPIC_AUTH_TOKEN: apiKey,
      // A key of the provider's own would be used instead.
      ANTHROPIC_API_KEY: "",
      ANTHROPIC_MODEL: model as string,
      // It asks for helpers by the names of the provider's own models.
      ANTHROPIC_DEFAULT_OPUS_MODEL: model as string,
      ANTHROPIC_DEFAULT_SONNET_MODEL: model as string,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model as string,
    }),
    arguments: () => [],
  },
};
