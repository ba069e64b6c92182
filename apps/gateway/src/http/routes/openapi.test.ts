import { expect, test } from "vitest";
import { startApi } from "../api.fixture.ts";

interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly "x-product-version": string;
  readonly servers: readonly { url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId: string; security: object[] }>>>>;
  readonly components: { readonly securitySchemes: Record<string, object>; readonly schemas: Record<string, object> };
}

test("describes the gateway's API without a key", async () => {
  await using rest = await startApi();
  const response = await rest.get("/openapi.json", { key: null });
  expect(response.status).toBe(200);
  const document = (await response.json()) as Document;
  expect(document.openapi).toBe("3.1.0");
  expect(document.info.version).toBe("1.84.0");
  expect(document["x-product-version"]).toBe("0.2.0");
  const forModels = (path: string) => [
    path,
    `/v1${path}`,
    `/engines/{model}${path}`,
    `/openai/deployments/{model}${path}`,
  ];
  const versionedPaths = (path: string) => [path, `/v1${path}`];
  expect(Object.keys(document.paths).toSorted()).toEqual(
    [
      ...forModels("/chat/completions"),
      ...versionedPaths("/messages"),
      ...versionedPaths("/messages/count_tokens"),
      ...forModels("/completions"),
      ...forModels("/embeddings"),
      ...versionedPaths("/moderations"),
      ...versionedPaths("/rerank"),
      "/v2/rerank",
      ...["/audio/speech", "/audio/transcriptions", "/images/generations"].flatMap((path) => [
        ...versionedPaths(path),
        `/openai/deployments/{model}${path}`,
      ]),
      ...["token_counter", "transform_request", "cost_quote", "supported_openai_params"].flatMap((name) =>
        versionedPaths(`/utils/${name}`),
      ),
      ...versionedPaths("/models"),
      ...versionedPaths("/models/{model_id}"),
      ...versionedPaths("/model/info"),
      ...versionedPaths("/model_group/info"),
      ...versionedPaths("/assistants"),
      ...versionedPaths("/assistants/{assistant_id}"),
      ...versionedPaths("/responses"),
      ...["", "/cancel", "/input_items"].flatMap((below) => versionedPaths(`/responses/{response_id}${below}`)),
      ...versionedPaths("/threads"),
      ...versionedPaths("/threads/runs"),
      ...["", "/messages", "/messages/{message_id}"].flatMap((below) => versionedPaths(`/threads/{thread_id}${below}`)),
      ...versionedPaths("/threads/{thread_id}/runs"),
      ...["", "/cancel", "/submit_tool_outputs", "/steps", "/steps/{step_id}"].flatMap((below) =>
        versionedPaths(`/threads/{thread_id}/runs/{run_id}${below}`),
      ),
      ...["/ping", "/delete", "/flushall"].map((below) => `/cache${below}`),
      ...["/list", "/apply_guardrail"].map((below) => `/guardrails${below}`),
      ...["generate", "update", "delete", "block", "unblock", "{key}/regenerate", "info", "list"].map(
        (name) => `/key/${name}`,
      ),
      ...["new", "update", "delete", "block", "unblock", "info", "list", "daily/activity"].map(
        (name) => `/team/${name}`,
      ),
      ...["member_add", "member_update", "member_delete"].map((name) => `/team/${name}`),
      ...["/spend/logs", "/spend/calculate", "/global/spend/report", "/user/daily/activity"],
      ...["/model/new", "/model/update", "/model/delete", "/v2/model/info"],
      "/health/drain",
      "/health/liveliness",
      "/health/liveness",
      "/health/readiness",
      "/health/startup",
      "/health/readiness/details",
      "/health",
      "/metrics",
      "/metrics/ledger",
    ].toSorted(),
  );
  expect(document.components.securitySchemes.APIKeyHeader).toMatchObject({
    type: "apiKey",
    in: "header",
    name: "x-gw-api-key",
  });
  expect(document.paths["/v1/models"]?.get?.security).toEqual([{ APIKeyHeader: [] }]);
  expect(document.paths["/health/liveness"]?.get?.security).toEqual([]);
  expect(Object.keys(document.components.schemas)).toEqual(
    expect.arrayContaining([
      "ErrorResponse",
      "HTTPValidationError",
      "ChatRequest",
      "ModelList",
      "TokenCountRequest",
      "TokenCountResponse",
      "TransformRequestBody",
      "RawRequestTypedDict",
    ]),
  );
});

test("every path that requires a key returns 401 without one, and all other paths respond", async () => {
  await using rest = await startApi();
  const { paths } = await rest.read<Document>("/openapi.json");
  for (const [template, methods] of Object.entries(paths)) {
    for (const [method, { security }] of Object.entries(methods)) {
      if (method !== "get") continue;
      const { status } = await rest.get(template.replace(/\{\w+\}/g, "x"), { key: null });
      expect(status, template).toBe(security.length > 0 ? 401 : 200);
    }
  }
});

test("the server URL is the instance's root path", async () => {
  await using rest = await startApi({ yaml: "general_settings: { server_root_path: /gateway }" });
  expect((await rest.read<Document>("/gateway/openapi.json")).servers).toEqual([{ url: "/gateway" }]);
});
