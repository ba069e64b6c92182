import { type Behavior, reply } from "@tollgate/testkit/upstream-behaviors.ts";
import type { Question } from "../question.ts";

const sorts: Behavior = (exchange) => {
  const { documents, top_n: most } = exchange.request.json() as { documents: readonly unknown[]; top_n?: number };
  const results = documents.map((_, index) => ({ index, relevance_score: 0.9 - index / 10 })).slice(0, most);
  const meta = { api_version: { version: "2" }, billed_units: { search_units: 1 } };
  return reply(200, { id: "rerank-scripted", results, meta })(exchange);
};
const refuses = reply(400, { message: "The request is malformed." });

const sort = (scenario: string, body: unknown, more: Partial<Question> = {}): Question => ({
  operation: "rerank",
  scenario,
  method: "POST",
  path: "/v1/rerank",
  body,
  upstream: sorts,
  ...more,
});

const asked = { model: "sorter", query: "Capital of Norway?", documents: ["Oslo", "Bergen", "Paris"] };

/** Questions about rerank, which orders documents by relevance to a query. */
export const rerankQuestions: readonly Question[] = [
  sort("documents", asked),
  sort("without a version in the path", asked, { path: "/rerank" }),
  sort("version 2 path", asked, { path: "/v2/rerank" }),
  sort("top two results", { ...asked, top_n: 2 }),
  sort("return_documents", { ...asked, return_documents: true }),
  sort("documents as objects", { ...asked, documents: [{ text: "Oslo" }, { text: "Bergen" }] }),
  sort("a token limit per document", { ...asked, max_tokens_per_doc: 100 }),
  sort("no query", { model: "sorter", documents: ["Oslo"] }),
  sort("no documents", { model: "sorter", query: "Capital?" }),
  sort("an unknown model", { ...asked, model: "absent" }),
  sort("Cohere returns 400", asked, { upstream: refuses }),
  sort("no key", asked, { key: "none" }),
];
