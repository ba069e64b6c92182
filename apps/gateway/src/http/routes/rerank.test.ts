import { watchAwakeTime } from "@tollgate/testkit/awake-time.ts";
import { describe, expect } from "vitest";
import { test as base, errorOf } from "./chat-gateway.fixture.ts";

interface Reranked {
  readonly id: string;
  readonly results: readonly { index: number; relevance_score: number; document?: object }[];
  readonly meta: object;
}

const question = { query: "blue whale", documents: ["a red car", "the blue whale", "a blue car"] };

/** Extends `test` with a gateway whose groups use servers from several vendors, all at one fake upstream. */
const test = base.extend("searchers", async ({ start, upstreams }) => {
  const target = (model: string) => `model: ${model}, api_base: "${upstreams.beta.origin}/v1", api_key: sk-1`;
  return start({
    yaml: `
  - { model_name: vllm, litellm_params: { ${target("hosted_vllm/bge")}, input_cost_per_token: 0.000001 }, model_info: { mode: rerank } }
  - { model_name: voyage, litellm_params: { ${target("voyage/rerank-2.5")} } }
  - { model_name: jina, litellm_params: { ${target("jina_ai/jina-reranker-v3")}, input_cost_per_query: 0.001 }, model_info: { mode: rerank } }
`,
  });
});

test("all paths return the same response, for success and failure", async ({ gateway }) => {
  for (const fields of [question, { ...question, documents: [] }, { query: "x" }, { ...question, rank_fields: [] }]) {
    const answers = await Promise.all(
      ["/rerank", "/v1/rerank", "/v2/rerank"].map(async (path) => {
        const answer = await gateway.post(path, { model: "sim/rerank", ...fields });
        return { status: answer.status, text: (await answer.text()).replace(/"request_id":"[^"]*"/, "") };
      }),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  }
});

test("returns at most top_n documents, best first, with their text if return_documents is set", async ({ gateway }) => {
  const ask = async (fields: object) =>
    (await (await gateway.post("/v1/rerank", { model: "sim/rerank", ...question, ...fields })).json()) as Reranked;
  const all = await ask({});
  expect(all.results.map(({ index }) => index)).toEqual([1, 2, 0]);
  expect(all.results[0]).toEqual({ index: 1, relevance_score: expect.any(Number) });
  expect(await ask({})).toEqual(all);
  const best = await ask({ top_n: 1, return_documents: true });
  expect(best.results).toEqual([{ ...all.results[0], document: { text: "the blue whale" } }]);
  expect(all.meta).toMatchObject({ billed_units: { search_units: 1 }, tokens: { output_tokens: 0 } });
});

test.for([
  ["query", { query: "" }],
  ["documents", { documents: "x" }],
  ["documents", { documents: Array.from({ length: 10_001 }, () => "x") }],
  ["top_n", { top_n: 0 }],
] as const)("an invalid '%s' is rejected with its location", async ([field, fields], { gateway }) => {
  const answer = await gateway.post("/rerank", { model: "sim/rerank", ...question, ...fields });
  expect(answer.status).toBe(422);
  expect(await answer.json()).toMatchObject({ detail: [{ loc: ["body", field] }] });
});

test("a long query with many documents is processed within five seconds", async ({ gateway }) => {
  const documents = Array.from({ length: 10_000 }, () => "x");
  const awakeTime = watchAwakeTime();
  const startedAtMs = performance.now();
  const answer = await gateway.post("/rerank", { model: "sim/rerank", query: "q w ".repeat(50_000), documents });
  expect(answer.status).toBe(200);
  expect(awakeTime(startedAtMs, performance.now())).toBeLessThan(5_000);
});

test("a model that does not support reranking is rejected", async ({ gateway }) => {
  const answer = await gateway.post("/rerank", { model: "sim/echo", ...question });
  expect(answer.status).toBe(400);
});

describe("calls to servers with a Cohere-compatible API", () => {
  test("send documents as strings with return_documents: false and are billed per token", async ({
    searchers,
    upstreams,
  }) => {
    upstreams.beta.replies(200, {
      id: "rerank-1",
      model: "bge",
      usage: { total_tokens: 56 },
      results: [{ index: 1, document: { text: "blau" }, relevance_score: 0.99 }],
    });
    const documents = [{ text: "röt" }, "blau"];
    const answer = await searchers.post("/v1/rerank", { model: "vllm", query: "Größe", documents, top_n: 1 });
    expect(await answer.json()).toMatchObject({ id: "rerank-1", results: [{ index: 1, relevance_score: 0.99 }] });
    const request = await upstreams.beta.ended(0);
    expect(request.path).toBe("/v1/rerank");
    expect(request.json()).toEqual({
      model: "bge",
      query: "Größe",
      documents: ["röt", "blau"],
      top_n: 1,
      return_documents: false,
    });
    expect(searchers.records).toMatchObject([{ cost: 56_000n, usage: { inputTokens: 56, source: "reported" } }]);
  });

  test("can use different field names", async ({ searchers, upstreams }) => {
    upstreams.beta.replies(200, {
      object: "list",
      data: [
        { index: 0, relevance_score: 0.1 },
        { index: 1, relevance_score: 0.8 },
      ],
      usage: { total_tokens: 20 },
    });
    const answer = await searchers.post("/v1/rerank", { model: "voyage", ...question, top_n: 1 });
    expect(((await answer.json()) as Reranked).results).toEqual([{ index: 1, relevance_score: 0.8 }]);
    const sent = (await upstreams.beta.ended(0)).json() as object;
    expect(sent).toMatchObject({ model: "rerank-2.5", top_k: 1 });
    expect(sent).not.toHaveProperty("top_n");
    expect(searchers.records).toMatchObject([{ cost: 1_000n }]);
  });

  test("are billed for the searches that the gateway counts if the server reports none: one search per 100 documents, and more for long documents", async ({
    searchers,
    upstreams,
  }) => {
    upstreams.beta.replies(200, { results: [{ index: 0, relevance_score: 1 }], usage: { total_tokens: 9 } });
    const ask = (documents: readonly string[]) => searchers.post("/rerank", { model: "jina", query: "q", documents });
    await (await ask(Array.from({ length: 101 }, () => "short"))).text();
    await (await ask(Array.from({ length: 60 }, () => "word ".repeat(600)))).text();
    expect(searchers.records.map(({ cost }) => cost)).toEqual([2_000_000n, 2_000_000n]);
  });

  test.for(["max_chunks_per_doc", "max_tokens_per_doc"])(
    "are rejected if the request drops %s, because the charge depends on it",
    async (name, { searchers, upstreams }) => {
      const fields = { documents: ["a"], [name]: 1, additional_drop_params: [name] };
      expect((await searchers.post("/rerank", { model: "jina", query: "q", ...fields })).status).toBe(400);
      expect(upstreams.beta.requests).toEqual([]);
    },
  );

  test.for([{ max_chunks_per_doc: 1, max_tokens_per_doc: 4_096 }])(
    "are billed for the searches that the server reports, even if a limit in the request suggests a lower count: %j",
    async (limits, { searchers, upstreams }) => {
      const reported = { billed_units: { search_units: 9 } };
      upstreams.beta.replies(200, { results: [{ index: 0, relevance_score: 1 }], meta: reported });
      const documents = Array.from({ length: 100 }, () => "word ".repeat(5_000));
      await (await searchers.post("/rerank", { model: "jina", query: "q", documents, ...limits })).text();
      expect(searchers.records).toMatchObject([{ cost: 9_000_000n }]);
    },
  );

  test.for([
    { results: "none" },
    { results: [{ index: 3, relevance_score: 1 }] },
    { results: [{ index: 0, relevance_score: "high" }] },
    {
      results: [
        { index: 0, relevance_score: 1 },
        { index: 0, relevance_score: 1 },
      ],
    },
    "nothing",
  ])("fail with a 502 if the server sends an invalid response: %j", async (body, { searchers, upstreams }) => {
    upstreams.beta.replies(200, body);
    const answer = await searchers.post("/rerank", { model: "vllm", ...question });
    expect(answer.status).toBe(502);
    expect(await errorOf(answer)).toMatchObject({ code: "bad_gateway" });
  });
});
