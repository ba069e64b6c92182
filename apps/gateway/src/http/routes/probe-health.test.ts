import { HealthReport } from "@tollgate/contracts/health.ts";
import { compileCheck } from "@tollgate/contracts/validation/compile-check.ts";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { hang, reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { MASTER_KEY, type TestGateway } from "../../test-gateway.fixture.ts";
import { test } from "./chat-gateway.fixture.ts";

const isReport = compileCheck(HealthReport);

async function ask(
  gateway: TestGateway,
  query = "",
  key = MASTER_KEY,
): Promise<{ status: number; report: HealthReport }> {
  const answer = await fetch(`${gateway.url}/health${query}`, { headers: { "x-gw-api-key": key } });
  const report = (await answer.json()) as HealthReport;
  if (answer.status !== 404) expect(isReport(report), JSON.stringify(report)).toBe(true);
  return { status: answer.status, report };
}

test("reports which deployments respond to a one-token call, and why other deployments do not", async ({
  gateway,
  upstreams,
}) => {
  upstreams.alpha.replies(200, chatAnswer());
  upstreams.beta.replies(503, { error: { message: "secret reason at 10.0.0.1" } });
  const { status, report } = await ask(gateway);
  expect(status).toBe(200);
  expect(report.healthy_endpoints).toEqual([
    { model: "alpha", model_id: "alpha-1", api_base: `${upstreams.alpha.origin}/v1` },
  ]);
  expect(report.unhealthy_endpoints).toMatchObject([{ model: "beta", model_id: "beta-1" }]);
  expect(report.unhealthy_endpoints[0]?.error).not.toContain("10.0.0.1");
  expect(report).toMatchObject({ healthy_count: 1, unhealthy_count: 1 });
  const probe = upstreams.alpha.requests[0]?.json() as Record<string, unknown>;
  expect(probe.max_tokens ?? probe.max_completion_tokens).toBe(1);
  // Wildcard patterns don't name a specific model, so they are not probed.
  expect(upstreams.alpha.requests).toHaveLength(1);
  expect(gateway.records).toEqual([]);
});

test("returns 503 for a model that does not respond and 404 for an unknown model", async ({ gateway, upstreams }) => {
  upstreams.alpha.replies(200, chatAnswer());
  upstreams.beta.behaves(reply(401, { error: { message: "bad key" } }));
  expect((await ask(gateway, "?model=alpha")).status).toBe(200);
  expect((await ask(gateway, "?model=beta")).status).toBe(503);
  expect((await ask(gateway, "?model_id=beta-1")).status).toBe(503);
  expect((await ask(gateway, "?model_id=nope")).status).toBe(404);
  expect((await ask(gateway, "?model=nope")).status).toBe(404);
});

test("concurrent and repeated requests share one probe", async ({ gateway, upstreams }) => {
  upstreams.alpha.replies(200, chatAnswer());
  await Promise.all(Array.from({ length: 8 }, () => ask(gateway, "?model=alpha")));
  expect((await ask(gateway, "?model=alpha")).report.healthy_count).toBe(1);
  expect(upstreams.alpha.requests).toHaveLength(1);
});

test("probes a wildcard with its health_check_model, within its health_check_timeout", async ({ start, upstreams }) => {
  upstreams.beta.behaves(hang());
  const gateway = await start({
    yaml: `
  - model_name: "some/*"
    litellm_params: { model: "openai_compatible/*", api_base: "${upstreams.beta.origin}/v1" }
    model_info: { id: some-1, health_check_model: openai_compatible/small, health_check_timeout: 2 }`,
  });
  const { report } = await ask(gateway, "?model_id=some-1");
  expect(upstreams.beta.requests[0]?.json()).toMatchObject({ model: "small" });
  expect(report.unhealthy_endpoints[0]?.error).toContain("2 seconds");
});

test("callers who are not administrators see only models that they can use, without URLs and provider calls", async ({
  start,
  upstreams,
  database,
}) => {
  upstreams.alpha.replies(200, chatAnswer());
  const { apiKey } = await addTenant(database.connect("tollgate_platform"), { key: { models: ["alpha"] } });
  const gateway = await start({ database: database.connect("tollgate_gateway") });
  for (const query of ["", "?model=alpha", "?model_id=alpha-1"]) {
    expect(await ask(gateway, query, apiKey)).toEqual({
      status: 200,
      report: {
        healthy_endpoints: [{ model: "alpha", model_id: "alpha-1" }],
        unhealthy_endpoints: [],
        healthy_count: 1,
        unhealthy_count: 0,
      },
    });
  }
  expect(upstreams.alpha.requests).toEqual([]);
  expect((await ask(gateway, "?model_id=beta-1", apiKey)).status).toBe(404);
});

test("other callers get the result of an administrator's check, or the router's state", async ({
  start,
  upstreams,
  database,
}) => {
  const { apiKey } = await addTenant(database.connect("tollgate_platform"), { key: { models: ["alpha", "beta"] } });
  const gateway = await start({
    database: database.connect("tollgate_gateway"),
    yaml: "router_settings: { num_retries: 0, allowed_fails: 0, cooldown_time: 60 }",
  });
  upstreams.alpha.behaves(reply(401, { error: { message: "bad key" } }));
  expect((await ask(gateway, "?model=alpha")).status).toBe(503);
  const checked = await ask(gateway, "?model=alpha", apiKey);
  expect(checked.status).toBe(503);
  expect(checked.report.unhealthy_endpoints).toMatchObject([{ model_id: "alpha-1", error: expect.any(String) }]);
  expect(upstreams.alpha.requests).toHaveLength(1);

  upstreams.beta.replies(500, {});
  await gateway.chat({ model: "beta" });
  const called = upstreams.beta.requests.length;
  const cooled = await ask(gateway, "?model=beta", apiKey);
  expect(cooled.status).toBe(503);
  expect(cooled.report.unhealthy_endpoints[0]?.error).toContain("cooldown");
  expect(upstreams.beta.requests).toHaveLength(called);
});

test("models that are billed per item are called only if an administrator names them", async ({ start, upstreams }) => {
  upstreams.alpha.replies(200, { data: [{ b64_json: "AA==" }] });
  upstreams.beta.replies(200, chatAnswer());
  const entry = (id: string, mode: string) =>
    `  - { model_name: ${id}, litellm_params: { model: openai/${id}, api_base: "${upstreams.alpha.origin}/v1" }, model_info: { id: ${id}, mode: ${mode} } }`;
  const modes = ["image_generation", "audio_speech", "audio_transcription", "rerank"];
  const gateway = await start({ yaml: modes.map((mode) => entry(`one-${mode}`, mode)).join("\n") });
  const { report } = await ask(gateway);
  expect(report.healthy_endpoints.map(({ model }) => model)).toContain("one-image_generation");
  expect(upstreams.alpha.requests.map(({ path }) => path)).toEqual(["/v1/chat/completions"]);
  await ask(gateway, "?model=one-image_generation");
  await ask(gateway, "?model_id=one-image_generation");
  expect(upstreams.alpha.requests.map(({ path }) => path)).toEqual(["/v1/chat/completions", "/v1/images/generations"]);
});

test("every operation has its own minimal probe", async ({ start }) => {
  const modes = [
    "chat",
    "completion",
    "embedding",
    "moderation",
    "audio_speech",
    "audio_transcription",
    "image_generation",
    "rerank",
  ];
  const names: Record<string, string> = {
    moderation: "moderation",
    audio_speech: "speech",
    audio_transcription: "transcribe",
    image_generation: "image",
    embedding: "embed",
    rerank: "rerank",
  };
  const entries = modes.map(
    (mode) =>
      `  - { model_name: ${mode}, litellm_params: { model: sim/${names[mode] ?? "echo"} }, model_info: { id: ${mode}, mode: ${mode} } }`,
  );
  const gateway = await start({ yaml: entries.join("\n") });
  for (const mode of modes) {
    const { report } = await ask(gateway, `?model_id=${mode}`);
    expect(report, mode).toMatchObject({ healthy_count: 1, unhealthy_endpoints: [] });
  }
});

test("background checks probe all deployments periodically, and requests return the latest results", async ({
  start,
  upstreams,
}) => {
  upstreams.alpha.replies(200, chatAnswer());
  upstreams.beta.replies(500, {});
  const gateway = await start({
    yaml: "general_settings: { background_health_checks: true, health_check_interval: 0.1 }",
  });
  await waitFor("a third round", () => (upstreams.alpha.requests.length >= 3 ? true : null));
  expect((await ask(gateway, "?model=alpha")).report).toMatchObject({ healthy_count: 1 });
  expect((await ask(gateway, "?model=beta")).status).toBe(503);
  upstreams.beta.replies(200, chatAnswer());
  await waitFor("beta is back", async () => ((await ask(gateway, "?model=beta")).status === 200 ? true : null));
});
