import { listOf, toList } from "@tollgate/contracts/management/lists.ts";
import { ModelQuery, PublicModel } from "@tollgate/contracts/management/model.ts";
import { operation, read } from "../operation.ts";
import { cacheable } from "./cacheable.ts";
import { readCatalog, selectModels } from "./read-catalog.ts";

const List = listOf(PublicModel);

export const listModels = operation({
  ...read,
  id: "listModels",
  summary: "List available models",
  tag: "catalog",
  path: "/api/models",
  auth: "none",
  scope: "own",
  query: ModelQuery,
  answers: { 200: { description: "The models", schema: List }, 304: { description: "Not modified" } },
  handle: async ({ query, headers }, services) => {
    const found = selectModels(await readCatalog(services), query);
    const start = (query.page - 1) * query.pageSize;
    const page = found.slice(start, start + query.pageSize);
    return cacheable(List, toList(page, query, found.length), headers["if-none-match"]);
  },
});
