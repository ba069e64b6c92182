import { updateOrganization } from "@tollgate/db/organizations/update-organization.ts";
import { runInOrganization } from "@tollgate/db/tenancy.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import type { CallContent } from "../accounting/accounting.ts";
import { errorOf, test } from "../http/routes/chat-gateway.fixture.ts";

const yaml = `guardrails:
  - {guardrail_name: fish, litellm_params: {guardrail: keyword_block, mode: pre_call, keywords: [swordfish]}}
  - {guardrail_name: bird, litellm_params: {guardrail: keyword_block, mode: pre_call, keywords: [albatross]}}
`;
const says = (content: string) => ({ model: "sim/echo", messages: [{ role: "user", content }] });

test("the guardrails of a key and its team apply regardless of the request", async ({ start, database }) => {
  const platform = database.connect("tollgate_platform");
  const guarded = await addTenant(platform, { key: { guardrails: ["fish"] }, team: { guardrails: ["bird"] } });
  const other = await addTenant(platform);
  const stale = await addTenant(platform, { key: { guardrails: ["gone"] } });
  const gateway = await start({ yaml, database: database.connect("tollgate_gateway") });
  const ask = (apiKey: string, body: object) =>
    gateway.chat(body as Record<string, unknown>, { "x-gw-api-key": apiKey });
  for (const word of ["swordfish", "albatross"]) {
    for (const more of [{}, { guardrails: [] }, { guardrails: null }, { guardrails: ["bird"] }]) {
      const answer = await ask(guarded.apiKey, { ...says(word), ...more });
      expect((await errorOf(answer)).code).toBe("guardrail_blocked");
    }
    expect((await ask(other.apiKey, says(word))).status).toBe(200);
  }
  const passed = await ask(guarded.apiKey, says("hello"));
  expect(passed.headers.get("x-gw-applied-guardrails")).toBe("bird,fish");
  // A call with an unknown guardrail is refused instead of running without it.
  expect(await errorOf(await ask(stale.apiKey, says("hello")))).toMatchObject({
    code: "invalid_request",
    message: expect.stringContaining("'gone'"),
  });
});

test("a logging_only guardrail masks only stored content, and blocked content is not stored", async ({
  start,
  database,
}) => {
  const platform = database.connect("tollgate_platform");
  const tenant = await addTenant(platform);
  await runInOrganization(platform, tenant.organizationId, (transaction) =>
    updateOrganization(transaction, tenant.organizationId, { logPrompts: true }, new Date()),
  );
  const kept: CallContent[] = [];
  const gateway = await start({
    yaml: `guardrails:
  - {guardrail_name: pii, litellm_params: {guardrail: regex_pii, mode: logging_only, entities: [email], action: mask, default_on: true}}
  - {guardrail_name: fish, litellm_params: {guardrail: keyword_block, mode: logging_only, keywords: [swordfish], default_on: true}}
`,
    database: database.connect("tollgate_gateway"),
    contents: { keep: (content) => kept.push(content) },
  });
  const ask = async (text: string, stream: boolean) => {
    const answer = await gateway.chat({ ...says(text), stream }, { "x-gw-api-key": tenant.apiKey });
    return answer.text();
  };
  for (const stream of [false, true]) {
    expect(await ask("swordfish", stream)).toContain("swordfish");
    expect(await ask("I am bob@example.com", stream)).toContain("bob@example.com");
  }
  await waitFor("what is kept", () => (kept.length >= 2 ? kept : null));
  expect(kept).toHaveLength(2);
  for (const { request, answer } of kept) {
    expect(request).toContain("I am [EMAIL]");
    expect(answer).toContain("I am [EMAIL]");
  }
});
