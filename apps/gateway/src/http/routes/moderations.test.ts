import { moderationCategories } from "@tollgate/contracts/moderations/moderation-response.ts";
import { describe, expect } from "vitest";
import { errorOf, test } from "./chat-gateway.fixture.ts";

interface Moderation {
  readonly id: string;
  readonly model: string;
  readonly results: readonly {
    readonly flagged: boolean;
    readonly categories: Record<string, boolean>;
    readonly category_scores: Record<string, number>;
    readonly category_applied_input_types: Record<string, string[]>;
  }[];
}

const moderationOf = async (answer: Response) => (await answer.json()) as Moderation;
const names = [...moderationCategories].sort();

describe("the model", () => {
  const yaml = (origin: string) =>
    `  - { model_name: omni-moderation-latest, litellm_params: { model: openai/omni-moderation-latest, api_base: "${origin}/v1", api_key: sk-upstream-1 } }`;
  const upstreamAnswer = { id: "modr-1", model: "omni-moderation-2024-09-26", results: [] };

  test("defaults to omni-moderation-latest", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: yaml(upstreams.beta.origin) });
    upstreams.beta.replies(200, upstreamAnswer);
    for (const fields of [{}, { model: null }]) {
      const answer = await gateway.post("/moderations", { input: "x", ...fields });
      expect(await answer.json()).toEqual({ ...upstreamAnswer, model: "omni-moderation-latest" });
    }
    const received = await upstreams.beta.ended(0);
    expect(received.path).toBe("/v1/moderations");
    expect(received.json()).toEqual({ input: "x", model: "omni-moderation-latest" });
    // The model is free because its price is zero, not because it has no price.
    expect(gateway.records.map(({ cost, provider }) => [cost, provider])).toEqual([
      [0n, "openai"],
      [0n, "openai"],
    ]);
  });

  test("is the model in the request, or the configured moderation_model if the request has none", async ({ start }) => {
    const gateway = await start({ yaml: "general_settings: { moderation_model: sim/moderation }" });
    const modelOf = async (fields: object) =>
      (await moderationOf(await gateway.post("/v1/moderations", { input: "x", ...fields }))).model;
    expect(await modelOf({})).toBe("sim/moderation");
    expect(await modelOf({ model: "sim/slow?ttft=1" })).toBe("sim/slow?ttft=1");
  });

  test("must exist", async ({ gateway }) => {
    const answer = await gateway.post("/moderations", { model: "nowhere", input: "x" });
    expect(await errorOf(answer)).toMatchObject({ code: "model_not_found" });
  });
});

describe("input", () => {
  const ask = async (post: (path: string, body: unknown) => Promise<Response>, input: unknown) =>
    moderationOf(await post("/moderations", { model: "sim/moderation", input }));
  const image = (url: string) => ({ type: "image_url", image_url: { url } });

  test("gets one result per string, or one result for all content parts together", async ({ gateway }) => {
    expect((await ask(gateway.post, "hello")).results).toHaveLength(1);
    const several = await ask(gateway.post, ["hello", "I will attack", "hello"]);
    expect(several.results.map(({ flagged }) => flagged)).toEqual([false, true, false]);
    expect(several.results[0]).toEqual(several.results[2]);
    const parts = await ask(gateway.post, [{ type: "text", text: "hello" }, image("https://example.com/violence.png")]);
    expect(parts.results).toMatchObject([
      { flagged: true, category_applied_input_types: { violence: ["text", "image"], hate: ["text"] } },
    ]);
  });

  test.for([
    [undefined, "missing"],
    [null, "string_type"],
    [[], "too_short"],
    [5, "string_type"],
  ] as const)("that is missing or invalid is rejected: %j", async ([input, slug], { gateway }) => {
    const answer = await gateway.post("/moderations", { model: "sim/moderation", input });
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ detail: [{ loc: ["body", "input"], type: slug }] });
  });

  test("with unknown parts is rejected", async ({ gateway }) => {
    const input = [{ type: "sound", url: "x" }];
    expect((await gateway.post("/moderations", { model: "sim/moderation", input })).status).toBe(422);
  });
});

describe("a result", () => {
  test("has all categories in all three maps, and the same scores for the same text", async ({ gateway }) => {
    const ask = async (path: string) =>
      moderationOf(await gateway.post(path, { model: "sim/moderation", input: "kill" }));
    const answer = await ask("/moderations");
    expect(await ask("/v1/moderations")).toEqual(answer);
    expect(answer.id).toMatch(/^modr-/);
    for (const result of answer.results) {
      expect(Object.keys(result.categories).sort()).toEqual(names);
      expect(Object.keys(result.category_scores).sort()).toEqual(names);
      expect(Object.keys(result.category_applied_input_types).sort()).toEqual(names);
      expect(Object.keys(result.categories).filter((name) => result.categories[name])).toEqual(["violence"]);
    }
  });

  test("from an older model is completed with the missing categories", async ({ gateway, upstreams }) => {
    const result = { flagged: true, categories: { hate: true, "hate/new": true }, category_scores: { hate: 0.9 } };
    upstreams.alpha.replies(200, { id: "modr-ü", model: "text-moderation-007", results: [result] });
    const answer = await moderationOf(await gateway.post("/moderations", { model: "alpha", input: "x" }));
    expect(answer).toMatchObject({ id: "modr-ü", model: "alpha" });
    const [filled] = answer.results;
    expect(Object.keys(filled?.category_scores ?? {}).sort()).toEqual(names);
    expect(filled).toMatchObject({
      flagged: true,
      categories: { hate: true, "hate/new": true, violence: false },
      category_scores: { hate: 0.9, violence: 0 },
      category_applied_input_types: { hate: ["text"], violence: [] },
    });
  });

  test("with all categories passes through unchanged", async ({ gateway, upstreams }) => {
    const { results } = await moderationOf(
      await gateway.post("/moderations", { model: "sim/moderation", input: ["a", "b"] }),
    );
    const upstream = JSON.stringify({ id: "modr-1", model: "upstream", results }, null, 1);
    upstreams.alpha.replies(200, upstream);
    const answer = await gateway.post("/moderations", { model: "alpha", input: ["a", "b"] });
    expect(await answer.text()).toBe(upstream.replace('"upstream"', '"alpha"'));
  });

  test.for(["<html>", { results: 5 }, { results: [{}] }, {}])(
    "that is malformed upstream becomes a 502: %j",
    async (body, { gateway, upstreams }) => {
      upstreams.alpha.replies(200, body);
      const answer = await gateway.post("/moderations", { model: "alpha", input: "x" });
      expect(await errorOf(answer)).toMatchObject({ code: "bad_gateway" });
    },
  );
});
