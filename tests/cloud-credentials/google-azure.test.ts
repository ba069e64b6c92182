import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { describe, expect } from "vitest";
import { googleMetadata, managedIdentity } from "./fake-sources.ts";
import { test } from "./machine.fixture.ts";

const vertex = (upstream: FakeUpstream, more = "") =>
  `model: vertex_ai/gemini-2.5-flash, vertex_location: europe-west4, api_base: "${upstream.origin}"${more}`;
const azure = (upstream: FakeUpstream, more = "") => `model: azure/gpt, api_base: "${upstream.origin}"${more}`;
const geminiAnswer = {
  candidates: [{ content: { role: "model", parts: [{ text: "yes" }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
};
const openAiAnswer = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt",
  choices: [{ index: 0, message: { role: "assistant", content: "yes" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

describe("Vertex AI deployment without credentials", () => {
  test("uses the token and the project of the metadata server", async ({ machine, start, upstreams }) => {
    upstreams.alpha.behaves(googleMetadata("metadata-token", "acme-prod"));
    upstreams.beta.replies(200, geminiAnswer);
    machine.set({
      GCE_METADATA_HOST: upstreams.alpha.origin.slice("http://".length),
      METADATA_SERVER_DETECTION: "assume-present",
    });
    const gateway = await start(vertex(upstreams.beta));
    const answers = await Promise.all([gateway.chat({ model: "cloud" }), gateway.chat({ model: "cloud" })]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { path, headers } = await upstreams.beta.ended(0);
    expect(headers.authorization).toBe("Bearer metadata-token");
    expect(path).toMatch(/^\/v1beta1\/projects\/acme-prod\/locations\/europe-west4\//);
    const tokens = upstreams.alpha.requests.filter(({ path: asked }) => asked.includes("/token"));
    expect(tokens).toHaveLength(1);
  });

  test.for([
    [401, 2],
    [403, 1],
  ] as const)(
    "after a response with %d, the metadata server has been asked for %d tokens",
    async ([status, count], { machine, start, upstreams }) => {
      upstreams.alpha.behaves(googleMetadata("metadata-token", "acme-prod"));
      upstreams.beta.behaves(reply(status, { error: { code: status, message: "no" } }), reply(200, geminiAnswer));
      machine.set({
        GCE_METADATA_HOST: upstreams.alpha.origin.slice("http://".length),
        METADATA_SERVER_DETECTION: "assume-present",
      });
      const gateway = await start(vertex(upstreams.beta));
      expect((await gateway.chat({ model: "cloud" })).status).not.toBe(200);
      expect((await gateway.chat({ model: "cloud" })).status).toBe(200);
      expect(upstreams.alpha.requests.filter(({ path }) => path.includes("/token"))).toHaveLength(count);
    },
  );

  test("fails with 503 if no source has credentials", async ({ start, upstreams }) => {
    const gateway = await start(vertex(upstreams.beta, ", vertex_project: acme-prod"));
    const answer = await gateway.chat({ model: "cloud" });
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({
      error: {
        code: "credentials_unavailable",
        message: "The gateway could not get Google Cloud credentials for this model.",
      },
    });
    expect(upstreams.beta.requests).toHaveLength(0);
  });
});

describe("Vertex AI deployment with a federated identity", () => {
  test("uses the project in the document", async ({ machine, start, upstreams }) => {
    upstreams.alpha.replies(200, {
      access_token: "federated-token",
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      token_type: "Bearer",
      expires_in: 3_600,
    });
    upstreams.beta.replies(200, geminiAnswer);
    const subject = join(machine.home, "subject");
    writeFileSync(subject, "subject-token");
    const document = join(machine.home, "federated.json");
    const content = {
      type: "external_account",
      audience: "//iam.googleapis.com/locations/global/workforcePools/pool/providers/provider",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      token_url: `${upstreams.alpha.origin}/v1/token`,
      credential_source: { file: subject },
      quota_project_id: "acme-quota",
    };
    writeFileSync(document, JSON.stringify(content));
    const gateway = await start(vertex(upstreams.beta, `, vertex_credentials: "${document}"`));
    expect((await gateway.chat({ model: "cloud" })).status).toBe(200);
    const { path, headers } = await upstreams.beta.ended(0);
    expect(headers.authorization).toBe("Bearer federated-token");
    expect(path).toMatch(/^\/v1beta1\/projects\/acme-quota\//);
  });
});

describe("Azure deployment without a key", () => {
  test("uses a token of the managed identity", async ({ machine, start, upstreams }) => {
    upstreams.alpha.behaves(managedIdentity("entra-token"));
    upstreams.beta.replies(200, openAiAnswer);
    machine.set({ IDENTITY_ENDPOINT: `${upstreams.alpha.origin}/msi/token`, IDENTITY_HEADER: "identity-header" });
    const gateway = await start(azure(upstreams.beta));
    const answers = await Promise.all([gateway.chat({ model: "cloud" }), gateway.chat({ model: "cloud" })]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { headers } = await upstreams.beta.ended(0);
    expect(headers.authorization).toBe("Bearer entra-token");
    expect(headers).not.toHaveProperty("api-key");
    expect(upstreams.alpha.requests).toHaveLength(1);
    const asked = upstreams.alpha.requests[0];
    expect(asked?.headers["x-identity-header"]).toBe("identity-header");
    expect(new URL(String(asked?.path), upstreams.alpha.origin).searchParams.get("resource")).toBe(
      "https://cognitiveservices.azure.com",
    );

    // Microsoft's library returns a rejected token again, because it caches the tokens of managed identities.
    upstreams.beta.behaves(reply(401, { error: { code: "401", message: "no" } }), reply(200, openAiAnswer));
    expect((await gateway.chat({ model: "cloud" })).status).toBe(500);
    expect((await gateway.chat({ model: "cloud" })).status).toBe(200);
    expect((await upstreams.beta.ended(3)).headers.authorization).toBe("Bearer entra-token");
    expect(upstreams.alpha.requests).toHaveLength(1);
  });

  test("fails with 503 if the identity has no token", async ({ machine, start, upstreams }) => {
    upstreams.alpha.behaves(reply(400, { error: "invalid_request", error_description: "Identity not found" }));
    machine.set({ IDENTITY_ENDPOINT: `${upstreams.alpha.origin}/msi/token`, IDENTITY_HEADER: "identity-header" });
    // Microsoft's library caches tokens per identity in this process, so this identity is a different one.
    const gateway = await start(azure(upstreams.beta, ", client_id: 00000000-0000-0000-0000-000000000002"));
    const answer = await gateway.chat({ model: "cloud" });
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ error: { code: "credentials_unavailable" } });
    expect(upstreams.beta.requests).toHaveLength(0);
  });

  test("keeps sending a key from the settings", async ({ start, upstreams }) => {
    upstreams.beta.replies(200, openAiAnswer);
    const gateway = await start(azure(upstreams.beta, ", api_key: azure-key-0123456789"));
    expect((await gateway.chat({ model: "cloud" })).status).toBe(200);
    const { headers } = await upstreams.beta.ended(0);
    expect(headers["api-key"]).toBe("azure-key-0123456789");
    expect(headers).not.toHaveProperty("authorization");
  });
});
