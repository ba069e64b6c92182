import OpenAI, { APIError, OpenAIError } from "openai";
import { labelOf, type Mode, modes, type Observation, sides, type Target } from "./observation.ts";
import { askFor } from "./play-scenarios.ts";
import type { Scenario } from "./scenario.ts";

/** Runs every scenario in every mode on both sides with the stock Node client. */
export async function observeWithNode(
  scenarios: readonly Scenario[],
  targets: Readonly<Record<Observation["side"], Target>>,
): Promise<Observation[]> {
  const observations: Observation[] = [];
  for (const side of sides) {
    const { baseUrl, apiKey, model } = targets[side];
    const client = new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0 });
    for (const scenario of scenarios) {
      for (const mode of modes) {
        const seen = { scenario: scenario.name, mode, side };
        const body = {
          model,
          messages: [{ role: "user" as const, content: askFor(scenario.name) }],
          user: labelOf("node", seen),
          ...scenario.request,
        };
        observations.push({ ...seen, value: await ask(client, body, mode) });
      }
    }
  }
  return observations;
}

type Body = Omit<OpenAI.Chat.ChatCompletionCreateParamsNonStreaming, "stream">;

async function ask(client: OpenAI, body: Body, mode: Mode): Promise<unknown> {
  try {
    return toPlain(await decode(client, body, mode));
  } catch (error) {
    if (!(error instanceof OpenAIError)) throw error;
    return { raised: error.constructor.name, status: error instanceof APIError ? (error.status ?? null) : null };
  }
}

async function decode({ chat: { completions } }: OpenAI, body: Body, mode: Mode): Promise<unknown> {
  switch (mode) {
    case "whole":
      return completions.create(body);
    case "streamed":
      return collect(await completions.create({ ...body, stream: true }));
    case "streamed with usage":
      return collect(await completions.create({ ...body, stream: true, stream_options: { include_usage: true } }));
    case "gathered":
      return completions.stream(body).finalChatCompletion();
  }
}

async function collect(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Removes the client's helper methods and request IDs, which are not part of the response body. */
function toPlain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
