import type { Database } from "@tollgate/db/connect.ts";
import { test as engines } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import type { ContentLog } from "../../accounting/accounting.ts";
import { MASTER_KEY, startTestGateway, type TestGateway } from "../../test-gateway.fixture.ts";

/** Credential that the test gateway uses for its upstreams. */
export const UPSTREAM_KEY = "sk-upstream-0123456789";

export interface StartOptions {
  /**
   * Settings in addition to the groups `alpha` and `beta` and the pattern `fake/*`. If they contain no router settings,
   * the gateway makes no retries.
   */
  readonly yaml?: string;
  readonly database?: Database;
  readonly contents?: ContentLog;
}

/** Extends `test` with gateways whose groups are served by the fake upstreams. */
export const test = engines
  .extend("start", async ({ upstreams }, { onCleanup }) => {
    const started: TestGateway[] = [];
    onCleanup(async () => {
      for (const gateway of started) {
        await gateway.close();
        expect(gateway.unexpected, "errors that no caller should be able to trigger").toEqual([]);
      }
    });
    return async (options: StartOptions = {}): Promise<TestGateway> => {
      const target = (origin: string, model: string, id: string) =>
        `litellm_params: { model: ${model}, api_base: "${origin}/v1", api_key: ${UPSTREAM_KEY} }, model_info: { id: ${id} }`;
      const models = `
model_list:
  - { model_name: alpha, ${target(upstreams.alpha.origin, "openai/upstream-1", "alpha-1")} }
  - { model_name: beta, ${target(upstreams.beta.origin, "openai/upstream-2", "beta-1")} }
  - { model_name: "fake/*", ${target(upstreams.alpha.origin, '"openai_compatible/*"', "fake-1")} }
${options.yaml ?? ""}
${options.yaml?.includes("router_settings") ? "" : "router_settings: { num_retries: 0, disable_cooldowns: true }"}
`;
      const { yaml: _, ...others } = options;
      const gateway = await startTestGateway({ yaml: models, ...others });
      started.push(gateway);
      return gateway;
    };
  })
  .extend("gateway", async ({ start }) => start());

/** Returns the object in a frame as the upstream of the group `alpha` sends it. */
export const chunk = (content: string) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "upstream-1",
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
});

/** Returns the error of a failed response. */
export async function errorOf(answer: Response): Promise<Record<string, unknown>> {
  const body = (await answer.json()) as { error: Record<string, unknown> };
  return body.error;
}

/** Returns the chunks of a streamed response, its error, if any, and whether it ends with `[DONE]`. */
export function chunksOf(text: string): { chunks: Record<string, never>[]; isDone: boolean; error: unknown } {
  const frames = text.split("\n\n").filter((frame) => frame.startsWith("data: "));
  const isDone = frames.at(-1) === "data: [DONE]";
  const values = frames.slice(0, isDone ? -1 : undefined).map((frame) => JSON.parse(frame.slice("data: ".length)));
  const error = values.find((value) => value.error !== undefined)?.error;
  return { chunks: values.filter((value) => value.error === undefined), isDone, error };
}

/** Reads a streamed response as it arrives. */
export async function readerOf(asking: Promise<Response>, leaving = new AbortController()) {
  const answer = await asking;
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  leaving.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}));
  const received = { text: "", done: Promise.resolve() };
  const decoder = new TextDecoder();
  const readAll = async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      received.text += decoder.decode(part.value, { stream: true });
    }
  };
  received.done = readAll().catch(() => {});
  return received;
}

/** Sends a request with the master key to the gateway on this port. */
export function postTo(port: number, fields: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-gw-api-key": MASTER_KEY, ...headers },
    body: JSON.stringify({ messages: [{ role: "user", content: "hello" }], ...fields }),
  });
}
