import { describe, expect } from "vitest";
import { errorOf, test } from "./chat-gateway.fixture.ts";

const PATH = "/v1/images/generations";
const asked = { prompt: "a small lighthouse at dusk" };

const groups = (origin: string) => {
  const group = (name: string, model: string, more = "") =>
    `  - { model_name: "${name}", litellm_params: { model: openai/${model}, api_base: "${origin}/v1", api_key: sk-x${more} }, model_info: { id: "${name}-1" } }\n`;
  return (
    ["gpt-image-1", "gpt-image-1-mini", "gpt-image-1.5"].map((model) => group(`openai/${model}`, model)).join("") +
    group("painter", "gpt-image-1") +
    group("older", "dall-e-3") +
    group("flat", "own-painter", ", output_cost_per_image: 0.02")
  );
};

const pictures = (count: number, usage?: object) => ({
  created: 1,
  data: Array.from({ length: count }, () => ({ b64_json: "iVBORw0KGgo=", revised_prompt: 'said "url": "no"' })),
  ...(usage && { usage }),
});

test("all paths return the same response, for success and failure", async ({ gateway }) => {
  const paths = ["/images/generations", PATH, "/openai/deployments/sim%2Fimage/images/generations"];
  for (const fields of [{ ...asked, n: 2 }, {}, { ...asked, n: 11 }, { ...asked, stream: true }]) {
    const answers = await Promise.all(
      paths.map(async (path) => {
        const answer = await gateway.post(path, { model: "sim/image", ...fields });
        return { status: answer.status, text: (await answer.text()).replace(/"created":\d+|"request_id":"[^"]*"/, "") };
      }),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  }
});

describe("a response", () => {
  test("passes through unchanged, and the request has the upstream's model name", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: groups(upstreams.alpha.origin) });
    const body = JSON.stringify(pictures(2));
    upstreams.alpha.replies(200, body);
    const fields = { ...asked, n: 2, size: "1024x1024", quality: "hd", style: "vivid", user: "u", seed: 5 };
    const answer = await gateway.post(PATH, { model: "older", ...fields, metadata: { a: "b" } });
    expect(await answer.text()).toBe(body);
    expect(upstreams.alpha.requests[0]).toMatchObject({ path: "/v1/images/generations" });
    expect(upstreams.alpha.requests[0]?.json()).toEqual({ model: "dall-e-3", ...fields });
  });

  test("from a simulated model contains images, which are identical for the same prompt", async ({ gateway }) => {
    const paint = async (fields: object) => {
      const answer = await gateway.post(PATH, { model: "sim/image", ...asked, ...fields });
      return (await answer.json()) as { created: number; data: { url?: string; b64_json?: string }[] };
    };
    const { data } = await paint({ n: 2, response_format: "b64_json" });
    const [first, second] = data.map(({ b64_json: base64 }) => Buffer.from(base64 as string, "base64"));
    expect(first?.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n");
    expect(first?.equals(second as Buffer)).toBe(false);
    expect((await paint({ response_format: "b64_json" })).data[0]).toEqual(data[0]);
    expect((await paint({})).data[0]?.url).toBe(`data:image/png;base64,${data[0]?.b64_json}`);
  });

  test("that is malformed upstream becomes a 502", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: groups(upstreams.alpha.origin) });
    for (const body of ["nonsense", "[]", '{"created":1}']) {
      upstreams.alpha.replies(200, body);
      expect((await gateway.post(PATH, { model: "older", ...asked, num_retries: 0 })).status, body).toBe(502);
    }
  });

  test("to a prompt that violates the content policy has a specific error code", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: groups(upstreams.alpha.origin) });
    upstreams.alpha.replies(400, { error: { code: "content_policy_violation", message: "Not that." } });
    const answer = await gateway.post(PATH, { model: "older", ...asked });
    expect(await errorOf(answer)).toMatchObject({ code: "content_policy_violation", message: "Not that." });
  });
});

describe("a request", () => {
  test.for([
    ["without a prompt", { prompt: undefined }, "missing", "prompt"],
    ["with an empty prompt", { prompt: "" }, "too_short", "prompt"],
    ["for zero images", { n: 0 }, "greater_than_equal", "n"],
    ["for eleven images", { n: 11 }, "less_than_equal", "n"],
    ["for a fractional number of images", { n: 1.5 }, "int_parsing", "n"],
    ["with an unknown response format", { response_format: "gif" }, "literal_error", "response_format"],
    ["with an unknown background", { background: "plaid" }, "literal_error", "background"],
  ] as const)("%s is rejected", async ([, fields, type, name], { gateway }) => {
    const answer = await gateway.post(PATH, { model: "sim/image", ...asked, ...fields });
    expect(answer.status).toBe(422);
    const { detail } = (await answer.json()) as { detail: { loc: unknown; type: string }[] };
    expect(detail).toMatchObject([{ loc: ["body", name], type }]);
  });

  test("that names an unknown guardrail is rejected", async ({ gateway }) => {
    const answer = await gateway.post(PATH, { model: "sim/image", ...asked, guardrails: ["pii"] });
    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toMatchObject({ code: "invalid_request", param: "guardrails" });
  });

  test("for a stream is rejected", async ({ gateway }) => {
    for (const [param, fields] of [
      ["stream", { stream: true }],
      ["partial_images", { partial_images: 2 }],
    ] as const) {
      const answer = await gateway.post(PATH, { model: "sim/image", ...asked, ...fields });
      expect(answer.status).toBe(400);
      expect(await errorOf(answer)).toMatchObject({ code: "unsupported_parameter", param });
    }
    expect((await gateway.post(PATH, { model: "sim/image", ...asked, stream: false })).status).toBe(200);
  });

  test("with parameters that its model does not support is rejected, unless drop_params drops them", async ({
    start,
    upstreams,
  }) => {
    const gateway = await start({ yaml: groups(upstreams.alpha.origin) });
    upstreams.alpha.replies(200, pictures(1));
    const fields = { model: "painter", ...asked, response_format: "b64_json" };
    expect(await errorOf(await gateway.post(PATH, fields))).toMatchObject({
      code: "unsupported_parameter",
      param: "response_format",
    });
    expect((await gateway.post(PATH, { ...fields, drop_params: true })).status).toBe(200);
    expect(upstreams.alpha.requests[0]?.json()).toEqual({ model: "gpt-image-1", ...asked });
  });
});

describe("the price", () => {
  const tokens = { input_tokens: 10, output_tokens: 272, input_tokens_details: { image_tokens: 0, text_tokens: 10 } };

  test("is per image received", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: groups(upstreams.alpha.origin) });
    upstreams.alpha.replies(200, pictures(3));
    const answer = await gateway.post(PATH, { model: "flat", ...asked, n: 3 });
    expect(answer.headers.get("x-gw-response-cost-nano-usd")).toBe("60000000");
    expect(gateway.records[0]).toMatchObject({ usage: { images: 3 }, cost: 60_000_000n });
    upstreams.alpha.replies(200, pictures(1));
    await gateway.post(PATH, { model: "flat", ...asked, n: 3 });
    expect(gateway.records[1]).toMatchObject({ usage: { images: 1 }, cost: 20_000_000n });
  });

  test.for([
    ["openai/gpt-image-1", "low", tokens, 10n * 5_000n + 272n * 40_000n],
    // The catalog's source has no price per image for this quality.
    ["openai/gpt-image-1-mini", "high", { ...tokens, output_tokens: 4_160 }, 10n * 2_000n + 4_160n * 8_000n],
    // The provider chooses the quality.
    ["openai/gpt-image-1.5", undefined, { ...tokens, output_tokens: 4_160 }, 10n * 5_000n + 4_160n * 32_000n],
    [
      "openai/gpt-image-1.5",
      "auto",
      { ...tokens, output_tokens: 1_156, output_tokens_details: { image_tokens: 1_056, text_tokens: 100 } },
      10n * 5_000n + 1_056n * 32_000n + 100n * 10_000n,
    ],
  ] as const)("of %s with the quality %s is per token", async ([model, quality, usage, cost], { start, upstreams }) => {
    const gateway = await start({ yaml: groups(upstreams.alpha.origin) });
    upstreams.alpha.replies(200, pictures(1, usage));
    await gateway.post(PATH, { model, ...asked, quality, size: "1024x1024" });
    expect(gateway.records[0]).toMatchObject({ usage: { images: 1, source: "reported" }, cost });
  });

  test("is per token of the requested quality if a response reports no usage", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: groups(upstreams.alpha.origin) });
    upstreams.alpha.replies(200, pictures(2));
    await gateway.post(PATH, { model: "openai/gpt-image-1", ...asked, n: 2, quality: "low" });
    expect(gateway.records[0]).toMatchObject({ usage: { outputTokens: 2 * 408, source: "estimated" } });
  });
});
