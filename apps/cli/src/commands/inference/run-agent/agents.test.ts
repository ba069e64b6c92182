import { expect, test } from "vitest";
import { agents, generic } from "./agents.ts";

const connection = { baseUrl: "https://tollgate.example.org", apiKey: "sk-tg-secret", model: "example-large" };

test.for(Object.entries({ ...agents, generic }))(
  "%s gets the key in one variable, never in its arguments",
  ([, agent]) => {
    const environment = Object.entries(agent.environment(connection));
    expect(environment.filter(([, value]) => value.includes(connection.apiKey)).map(([, value]) => value)).toEqual([
      connection.apiKey,
    ]);
    expect(agent.arguments(connection).join(" ")).not.toContain(connection.apiKey);
    const reported = [...environment.map(([, value]) => value), ...agent.arguments(connection)].join(" ");
    expect(reported).toContain(connection.baseUrl);
    expect(reported).toContain(connection.model);
  },
);

test("configures each coding tool in the tool's own format", () => {
  expect(agents.aider?.arguments(connection)).toEqual(["--model", "openai/example-large"]);
  const text = agents.opencode?.environment(connection).OPENCODE_CONFIG_CONTENT as string;
  expect(JSON.parse(text)).toMatchObject({
    model: "tollgate/example-large",
    provider: { tollgate: { options: { baseURL: "https://tollgate.example.org/v1", apiKey: "{env:OPENAI_API_KEY}" } } },
  });
  expect(agents.codex?.arguments(connection)).toContain('model_providers.tollgate.env_key="OPENAI_API_KEY"');
  expect(agents.claude?.environment(connection)).toMatchObject({
    ANTHROPIC_BASE_URL: "https://tollgate.example.org",
    ANTHROPIC_API_KEY: "",
  });
});
