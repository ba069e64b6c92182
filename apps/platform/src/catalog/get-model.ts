import { Failure } from "@tollgate/contracts/failures.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { PublicModel } from "@tollgate/contracts/management/model.ts";
import Type from "typebox";
import { operation, read } from "../operation.ts";
import { cacheable } from "./cacheable.ts";
import { readCatalog } from "./read-catalog.ts";

const Found = Type.Object({ model: PublicModel });

export const getModel = operation({
  ...read,
  id: "getModel",
  summary: "Get a model; encode slashes in its ID",
  tag: "catalog",
  path: "/api/models/{id}",
  auth: "none",
  scope: "own",
  params: Type.Object({ id: PathId }),
  answers: { 200: { description: "The model", schema: Found }, 304: { description: "Not modified" } },
  handle: async ({ params, headers }, services) => {
    const model = (await readCatalog(services)).find(({ id }) => id === params.id);
    if (model === undefined) throw new Failure("MODEL_NOT_FOUND", "Model not found.");
    return cacheable(Found, { model }, headers["if-none-match"]);
  },
});
