import { createVerify, generateKeyPairSync } from "node:crypto";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import type { FakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { cutBeforeHeaders, reply, replyLate } from "@tollgate/testkit/upstream-behaviors.ts";
import { describe, expect } from "vitest";
import { test as base, chunksOf, errorOf } from "../../http/routes/chat-gateway.fixture.ts";
import { textEvents, wholeText } from "../anthropic/recorded.fixture.ts";
import { recorded, streams } from "../gemini/gemini-answers.fixture.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = privateKey.export({ type: "pkcs8", format: "pem" });
const TOKEN = "ya29.token-of-google";

const serviceAccount = (tokens: FakeUpstream) =>
  JSON.stringify({
    type: "service_account",
    project_id: "acme-prod",
    private_key_id: "key-1",
    private_key: pem,
    client_email: "gateway@acme-prod.iam.gserviceaccount.com",
    token_uri: `${tokens.origin}/token`,
  });

/**
 * Extends `test` with a gateway whose models are on Vertex AI. The upstream `alpha` issues tokens, and `beta` serves
 * the models.
 */
const test = base.extend("google", async ({ start, upstreams }) => {
  upstreams.alpha.replies(200, { access_token: TOKEN, expires_in: 3_599, token_type: "Bearer" });
  const place = `api_base: "${upstreams.beta.origin}", vertex_location: europe-west4`;
  const credentials = `vertex_credentials: '${serviceAccount(upstreams.alpha)}'`;
  const prices = "input_cost_per_token: 0.000001, output_cost_per_token: 0.000004";
  const model = (name: string, upstream: string, more: string) =>
    `  - { model_name: ${name}, litellm_params: { model: "vertex_ai/${upstream}", ${place}, ${prices}, ${more} } }`;
  return start({
    yaml: `
${model("flash", "gemini-2.5-flash", credentials)}
${model("sonnet", "claude-sonnet-4-5@20250929", `${credentials}, vertex_project: other-project`)}
${model("no-account", "gemini-2.5-flash", "vertex_project: acme-prod")}
${model("broken", "gemini-2.5-flash", `vertex_credentials: "/no/such/file", vertex_project: acme-prod`)}
${model("keyed", "gemini-2.5-flash", "api_key: AIzaSyD-0123456789abcdefghij")}
${model('"g/*"', "*", credentials)}
  - { model_name: vectors, litellm_params: { model: vertex_ai/text-embedding-005, ${place}, ${credentials}, input_cost_per_token: 0.000001 }, model_info: { mode: embedding } }
`,
  });
});

const GOOGLE = "/v1beta1/projects/acme-prod/locations/europe-west4/publishers/google/models/gemini-2.5-flash";

describe("Vertex AI model", () => {
  test("is called with an access token that is obtained with a signed JWT and shared by many calls", async ({
    google,
    upstreams,
  }) => {
    upstreams.alpha.behaves(replyLate(30, 200, { access_token: TOKEN, expires_in: 3_599 }));
    upstreams.beta.replies(200, recorded.text);
    const answers = await Promise.all(Array.from({ length: 20 }, () => google.chat({ model: "flash" })));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect((await google.chat({ model: "flash" })).status).toBe(200);
    expect(upstreams.alpha.requests).toHaveLength(1);
    expect(upstreams.beta.requests).toHaveLength(21);
    const { path, headers } = await upstreams.beta.ended(0);
    expect([path, headers.authorization]).toEqual([`${GOOGLE}:generateContent`, `Bearer ${TOKEN}`]);

    const asked = await upstreams.alpha.ended(0);
    const form = new URLSearchParams(asked.body.toString());
    expect([asked.path, form.get("grant_type")]).toEqual(["/token", "urn:ietf:params:oauth:grant-type:jwt-bearer"]);
    const [head = "", claims = "", signature = ""] = form.get("assertion")?.split(".") ?? [];
    const isSigned = createVerify("RSA-SHA256").update(`${head}.${claims}`).verify(publicKey, signature, "base64url");
    expect(isSigned).toBe(true);
    const stated = JSON.parse(Buffer.from(claims, "base64url").toString());
    expect(stated).toMatchObject({
      iss: "gateway@acme-prod.iam.gserviceaccount.com",
      aud: `${upstreams.alpha.origin}/token`,
      scope: "https://www.googleapis.com/auth/cloud-platform",
    });
    expect(stated.exp - stated.iat).toBe(3_600);
  });

  test("streams responses, and calls are charged for the reported usage", async ({ google, upstreams }) => {
    upstreams.beta.streams([streams.text]);
    const answer = await google.chat({ model: "flash", stream: true });
    expect(chunksOf(await answer.text()).isDone).toBe(true);
    expect((await upstreams.beta.ended(0)).path).toBe(`${GOOGLE}:streamGenerateContent?alt=sse`);
    expect(google.records).toMatchObject([{ provider: "vertex_ai", cost: 35_000n, status: "success" }]);
  });

  test("translates chat completions to the Anthropic API for an Anthropic model", async ({ google, upstreams }) => {
    upstreams.beta.replies(200, wholeText);
    const body = { model: "sonnet", max_tokens: 50 };
    expect(await (await google.chat(body)).json()).toMatchObject({ object: "chat.completion", model: "sonnet" });
    upstreams.beta.streams([textEvents.join("")]);
    expect(chunksOf(await (await google.chat({ ...body, stream: true })).text()).isDone).toBe(true);
    const place =
      "/v1/projects/other-project/locations/europe-west4/publishers/anthropic/models/claude-sonnet-4-5%4020250929";
    const [whole, streamed] = [await upstreams.beta.ended(0), await upstreams.beta.ended(1)];
    expect([whole.path, streamed.path]).toEqual([`${place}:rawPredict`, `${place}:streamRawPredict`]);
    expect(whole.json()).toEqual({
      anthropic_version: "vertex-2023-10-16",
      max_tokens: 50,
      messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
    });
    expect(whole.headers).not.toHaveProperty("x-api-key");
  });

  test("accepts Anthropic Messages requests for an Anthropic model", async ({ google, upstreams }) => {
    upstreams.beta.replies(200, wholeText);
    const messages = [{ role: "user", content: "Grüße 😀" }];
    const answer = await google.post("/v1/messages", JSON.stringify({ model: "sonnet", max_tokens: 50, messages }));
    expect(await answer.json()).toMatchObject({ type: "message", model: "sonnet" });
    const { path, headers, ...received } = await upstreams.beta.ended(0);
    expect(path).toMatch(/:rawPredict$/);
    expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(received.json()).toEqual({ anthropic_version: "vertex-2023-10-16", max_tokens: 50, messages });
  });

  test("uses the requested model's API format behind a wildcard name", async ({ google, upstreams }) => {
    upstreams.beta.behaves(reply(200, wholeText), reply(200, recorded.text));
    expect((await google.chat({ model: "g/claude-opus-4-5" })).status).toBe(200);
    expect((await google.chat({ model: "g/gemini-2.5-pro" })).status).toBe(200);
    expect(upstreams.beta.requests.map(({ path }) => path.split("/").at(-1))).toEqual([
      "claude-opus-4-5:rawPredict",
      "gemini-2.5-pro:generateContent",
    ]);
  });

  test("creates embeddings", async ({ google, upstreams }) => {
    const embeddings = { values: [0.25, -1], statistics: { token_count: 3, truncated: false } };
    upstreams.beta.replies(200, { predictions: [{ embeddings }, { embeddings }] });
    const asked = { model: "vectors", input: ["Grüße", "b"], dimensions: 2, task_type: "RETRIEVAL_QUERY" };
    const answer = await google.post("/v1/embeddings", JSON.stringify(asked));
    expect(await answer.json()).toMatchObject({
      data: [{ embedding: [0.25, -1] }, { index: 1 }],
      usage: { prompt_tokens: 6 },
    });
    expect((await upstreams.beta.ended(0)).json()).toEqual({
      instances: [
        { content: "Grüße", task_type: "RETRIEVAL_QUERY" },
        { content: "b", task_type: "RETRIEVAL_QUERY" },
      ],
      parameters: { outputDimensionality: 2 },
    });
  });

  test("accepts an API key instead of a service account, and then needs no project", async ({ google, upstreams }) => {
    upstreams.beta.replies(200, recorded.text);
    expect((await google.chat({ model: "keyed" })).status).toBe(200);
    const { path, headers } = await upstreams.beta.ended(0);
    expect(path).toBe("/v1beta1/publishers/google/models/gemini-2.5-flash:generateContent");
    expect(headers["x-goog-api-key"]).toBe("AIzaSyD-0123456789abcdefghij");
    expect(upstreams.alpha.requests).toHaveLength(0);
  });

  test("rejects requests that reference the operator's stored files", async ({ google, upstreams }) => {
    const stored = { fileData: { fileUri: "gs://acme-private/secret.pdf", mimeType: "application/pdf" } };
    const image = { type: "image_url", image_url: { url: "gs://acme-private/secret.png" } };
    for (const body of [
      { messages: [{ role: "user", content: [image] }] },
      { extra_body: { systemInstruction: { parts: [stored] } } },
    ]) {
      const answer = await google.chat({ model: "flash", ...body });
      expect([answer.status, (await errorOf(answer)).code]).toEqual([400, "invalid_request"]);
    }
    expect(upstreams.beta.requests).toHaveLength(0);
  });
});

describe("Vertex AI request without a valid token", () => {
  test.for([
    ["the token endpoint rejects the account", reply(400, { error: "invalid_grant" }), 500],
    ["the token endpoint is unavailable", reply(503, "later"), 503],
    ["the token endpoint returns an invalid token", reply(200, { access_token: "a b\r\nx: y" }), 503],
    ["the token endpoint closes the connection", cutBeforeHeaders(), 503],
  ] as const)("fails like an upstream error when %s", async ([, behavior, status], { google, upstreams }) => {
    upstreams.alpha.behaves(behavior);
    const answer = await google.chat({ model: "flash" });
    expect(answer.status).toBe(status);
    expect(await answer.text()).not.toContain("BEGIN");
    expect(upstreams.beta.requests).toHaveLength(0);
    // After the token endpoint recovers, calls succeed.
    upstreams.alpha.replies(200, { access_token: TOKEN, expires_in: 3_599 });
    upstreams.beta.replies(200, recorded.text);
    expect((await google.chat({ model: "flash" })).status).toBe(200);
  });

  test("fails with a credential error if the settings contain an invalid account", async ({ google, upstreams }) => {
    const answer = await google.chat({ model: "broken" });
    expect([answer.status, (await errorOf(answer)).message]).toEqual([500, "upstream credential rejected"]);
    expect(upstreams.beta.requests).toHaveLength(0);
  });

  test("fails with 503 if the settings contain no account and Google's library is not installed", async ({
    google,
    upstreams,
  }) => {
    const answer = await google.chat({ model: "no-account" });
    expect([answer.status, (await errorOf(answer)).code]).toEqual([503, "credentials_unavailable"]);
    expect(upstreams.beta.requests).toHaveLength(0);
  });

  test("falls back to another model if the token endpoint is unavailable", async ({ start, upstreams }) => {
    upstreams.alpha.replies(503, "no tokens today");
    upstreams.beta.replies(200, chatAnswer({ content: "from the other" }));
    const gateway = await start({
      yaml: `
  - { model_name: flash, litellm_params: { model: vertex_ai/gemini-2.5-flash, vertex_credentials: '${serviceAccount(upstreams.alpha)}', api_base: "${upstreams.alpha.origin}" } }
router_settings: { num_retries: 0, disable_cooldowns: true, fallbacks: [{ flash: [beta] }] }
`,
    });
    const answer = await gateway.chat({ model: "flash" });
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: "from the other" } }] });
    expect(upstreams.alpha.requests.map(({ path }) => path)).toEqual(["/token"]);
  });

  test("requests a new token after the upstream rejects the current token", async ({ google, upstreams }) => {
    upstreams.beta.replies(401, { error: { status: "UNAUTHENTICATED", message: "expired" } });
    expect((await google.chat({ model: "flash" })).status).toBe(500);
    upstreams.alpha.replies(200, { access_token: "ya29.another", expires_in: 3_599 });
    upstreams.beta.replies(200, recorded.text);
    expect((await google.chat({ model: "flash" })).status).toBe(200);
    expect((await upstreams.beta.ended(1)).headers.authorization).toBe("Bearer ya29.another");
  });
});
