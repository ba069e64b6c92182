import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { test } from "./managed-platform.fixture.ts";

test("calls are listed and summed exactly, and only for callers who can see them", async ({ scene, upstream }) => {
  const { call } = scene;
  const ada = await scene.addPerson();
  const eve = await scene.addPerson();
  for (const person of [ada, eve]) await scene.hosted.addCredit(person, 1_000_000_000n);
  upstream.replies(200, chatAnswer({ inputTokens: 7, outputTokens: 3 }));
  const made = await call("POST", "/key/generate", ada.managing, { key_alias: "spender" });
  for (let calls = 0; calls < 3; calls += 1) expect((await scene.chat(made.body.key)).status).toBe(200);
  expect((await scene.chat((await scene.hosted.createKey(eve)).token)).status).toBe(200);
  // The cost is 7 input tokens at 1,000 nano-USD plus 3 output tokens at 2,000 nano-USD.
  const cost = 13_000;

  const logs = `/spend/logs?api_key=${made.body.token}`;
  const rows = await waitFor("the calls to be settled", async () => {
    const answer = await call("GET", logs, ada.managing);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.length === 3 ? answer : null;
  });
  expect(rows.body[0]).toMatchObject({
    api_key: made.body.token,
    key_alias: "spender",
    user: String(ada.userId),
    team_id: ada.teamId,
    organization_id: ada.organizationId,
    model_group: "metered",
    custom_llm_provider: "openai",
    prompt_tokens: 7,
    completion_tokens: 3,
    total_tokens: 10,
    spend: 0.000013,
    spend_nano_usd: cost,
    status: "success",
    status_code: 200,
  });
  const paged = await call("GET", `${logs}&page=2&page_size=2`, ada.managing);
  expect(paged.body).toHaveLength(1);
  expect(paged.headers.get("x-gw-total-count")).toBe("3");
  const one = await call("GET", `/spend/logs?request_id=${rows.body[0].request_id}`, ada.managing);
  expect(one.body).toMatchObject([{ request_id: rows.body[0].request_id }]);
  expect(await call("GET", logs, eve.managing)).toMatchObject({ status: 404 });
  const foreign = await call("GET", `/spend/logs?team_id=${ada.teamId}`, eve.managing);
  expect(foreign.body).toEqual([]);

  const report = await call("GET", "/global/spend/report", ada.managing);
  expect(report.body).toMatchObject([
    { teams: [{ team_id: ada.teamId, team_name: expect.any(String), total_spend: 0.000039 }] },
  ]);
  const everywhere = await waitFor("both organizations", async () => {
    const answer = await call("GET", "/global/spend/report?group_by=api_key", scene.master);
    return answer.body[0]?.api_keys.length >= 2 ? answer : null;
  });
  expect(everywhere.body[0].api_keys).toContainEqual(
    expect.objectContaining({ api_key: made.body.token, key_alias: "spender", total_spend: 0.000039 }),
  );

  const wide = await call("GET", "/spend/logs?model=metered", scene.master);
  expect(new Set(wide.body.map((row: { team_id: string }) => row.team_id))).toEqual(new Set([ada.teamId, eve.teamId]));

  const activity = await call("GET", "/user/daily/activity", ada.managing);
  expect(activity.body).toMatchObject({
    results: [
      {
        metrics: { spend: 0.000039, api_requests: 3, successful_requests: 3, failed_requests: 0, total_tokens: 30 },
        breakdown: { models: { metered: { metrics: { api_requests: 3 } } } },
      },
    ],
    metadata: { total_spend: 0.000039, page: 1, total_pages: 1, has_more: false },
  });
  const ofTeam = await call("GET", `/team/daily/activity?team_ids=${ada.teamId},${eve.teamId}`, ada.managing);
  expect(Object.keys(ofTeam.body.results[0].breakdown.entities)).toEqual([ada.teamId]);
  expect((await call("GET", "/spend/logs?start_date=2026-01-01&end_date=2026-12-31", ada.managing)).status).toBe(400);
  expect((await call("GET", `/key/info?key=${made.body.token}`, ada.managing)).body.info.spend).toBe(0.000039);
});

test("calculates the cost of a response without making a call", async ({ scene, upstream }) => {
  const ada = await scene.addPerson();
  const { token } = await scene.hosted.createKey(ada);
  const before = upstream.requests.length;
  const answer = await scene.call("POST", "/spend/calculate", token, {
    model: "metered",
    completion_response: { usage: { prompt_tokens: 1_000, completion_tokens: 500 } },
  });
  expect(answer).toMatchObject({ status: 200, body: { cost: 0.002, cost_nano_usd: 2_000_000 } });
  const prompt = await scene.call("POST", "/spend/calculate", token, {
    model: "metered",
    messages: [{ role: "user", content: "hello" }],
  });
  expect(prompt.body.cost_nano_usd).toBeGreaterThan(0);
  expect((await scene.call("POST", "/spend/calculate", token, { model: "nothing", messages: [] })).status).toBe(404);
  expect(upstream.requests.length).toBe(before);
});
