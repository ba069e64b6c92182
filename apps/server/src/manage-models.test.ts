import { randomBytes } from "node:crypto";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { test } from "./managed-platform.fixture.ts";

/** Maximum time for a change to reach every gateway. */
const REACH_MS = 10_000;
const CANARY = `sk-canary-${randomBytes(12).toString("hex")}`;

test("a model can be created, called with its own key, repriced, deleted, and created again", async ({
  scene,
  upstream,
}) => {
  const { call, master } = scene;
  const ada = await scene.addPerson();
  await scene.hosted.addCredit(ada, 1_000_000_000n);
  const { token } = await scene.hosted.createKey(ada);
  const reaches = (status: number) =>
    waitFor(`an answer of ${status}`, async () => (await scene.chat(token, "acme/fresh")).status === status, {
      limitMs: REACH_MS,
    });
  upstream.replies(200, chatAnswer({ inputTokens: 10, outputTokens: 5 }));
  const request = {
    model_name: "acme/fresh",
    litellm_params: {
      model: "openai_compatible/up-1",
      api_base: `${upstream.origin}/v1`,
      api_key: CANARY,
      input_cost_per_token: 2.5e-6,
      output_cost_per_token: "0.00001",
      rpm: 60,
    },
    model_info: { max_input_tokens: 8_000 },
  };
  expect(await call("POST", "/model/new", ada.managing, request)).toMatchObject({ status: 403 });
  const made = await call("POST", "/model/new", master, request);
  expect(made.status, made.text).toBe(200);
  const id = made.body.model_id as string;
  expect(made.body).toMatchObject({ model_name: "acme/fresh", model_info: { id, db_model: true, mode: "chat" } });
  await reaches(200);
  expect(upstream.requests.at(-1)?.headers.authorization).toBe(`Bearer ${CANARY}`);
  const page = await call("GET", "/v2/model/info?search=FRESH&size=1", master);
  expect(page.body).toMatchObject({
    data: [
      {
        model_name: "acme/fresh",
        litellm_params: { model: "openai_compatible/up-1", rpm: 60 },
        model_info: { id, db_model: true, input_cost_per_token: 2.5e-6, output_cost_per_token: 1e-5 },
      },
    ],
    total_count: 1,
    total_pages: 1,
  });
  expect(await call("POST", "/model/new", master, request)).toMatchObject({ status: 409 });

  // A stored API key is never sent to a different host, even for an administrator.
  const moved = { model_info: { id }, litellm_params: { api_base: "http://127.0.0.1:1/v1" } };
  expect(await call("POST", "/model/update", master, moved)).toMatchObject({ status: 400 });
  const cheaper = { model_info: { id }, litellm_params: { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 } };
  expect((await call("POST", "/model/update", master, cheaper)).status).toBe(200);
  await waitFor("the new price", async () => {
    const { body } = await call("GET", `/v2/model/info?modelId=${id}`, master);
    return body.data[0]?.model_info.input_cost_per_token === 1e-6;
  });

  expect((await call("POST", "/model/delete", master, { id })).status).toBe(200);
  await reaches(404);
  const kept = await querySql<{ stored: string }>(
    scene.database.connectionString,
    "select count(*)::text as stored from provider_credentials",
  );
  expect(kept).toEqual([{ stored: "0" }]);
  expect((await call("POST", "/model/new", master, request)).status).toBe(200);
  await reaches(200);
  for (const action of ["model.created", "model.price_changed", "model.disabled"]) {
    expect(await scene.audited(action, "acme/fresh"), action).not.toEqual([]);
  }
  const written = await querySql<{ row: string }>(
    scene.database.connectionString,
    "select to_jsonb(a)::text as row from audit_log a union all select to_jsonb(c)::text from provider_credentials c",
  );
  expect(written.map(({ row }) => row).join("\n")).not.toContain(CANARY);
});

test("rejects invalid models and models from a settings file, and names the field", async ({ scene }) => {
  const { call, master } = scene;
  const add = (litellm_params: object, more: object = {}) =>
    call("POST", "/model/new", master, { model_name: "refused", litellm_params, ...more });
  const refusal = (param: string) => ({ status: 400, body: { error: { param } } });
  expect(await add({ model: "openai/gpt-4o" })).toMatchObject(refusal("litellm_params.api_key"));
  expect(await add({ model: "gpt-4o", api_key: "sk-x" })).toMatchObject(refusal("litellm_params.model"));
  expect(await add({ model: "unknown/x", api_key: "sk-x" })).toMatchObject({ status: 400 });
  expect(await add({ model: "openai/x", api_key: "os.environ/KEY" })).toMatchObject(refusal("litellm_params.api_key"));
  expect(await add({ model: "openai/x", api_key: "sk-x", weight: 2 })).toMatchObject(refusal("weight"));
  expect(await add({ model: "openai/x", api_key: "sk-x", api_base: "http://169.254.169.254/" })).toMatchObject({
    status: 400,
  });
  const taken = { model_name: "metered", litellm_params: { model: "openai/x", api_key: "sk-x" } };
  expect(await call("POST", "/model/new", master, taken)).toMatchObject({ status: 409 });
  expect(await call("POST", "/model/delete", master, { id: "metered-1" })).toMatchObject({ status: 400 });
  expect(await call("POST", "/model/delete", master, { id: "nothing" })).toMatchObject({ status: 404 });
});
