import type { Question } from "../question.ts";
import { get, post } from "./managed.ts";

const make = post("model new", "/model/new");
const update = post("model update", "/model/update");
const drop = post("model delete", "/model/delete");

const litellm_params = { model: "openai/gpt-4o-mini", api_base: "https://models.example/v1", api_key: "sk-upstream" };
const MOVED = "https://other.example/v1";

/** A model that was changed in the database is served with the change shortly afterwards. */
function hasMoved(body: unknown): boolean {
  const { data } = body as { readonly data?: readonly { readonly litellm_params?: { readonly api_base?: string } }[] };
  return data?.[0]?.litellm_params?.api_base === MOVED;
}

/** Questions about models in the database. */
export const storedModelQuestions: readonly Question[] = [
  make("a model", { model_name: "stored", litellm_params, model_info: {} }, { keeps: { MODEL: "/model_id" } }),
  make("no name", { litellm_params, model_info: {} }),
  make("no parameters", { model_name: "stored-2", model_info: {} }),
  make("no key", { model_name: "stored", litellm_params, model_info: {} }, { key: "none" }),
  update("a URL", {
    model_info: { id: "$MODEL" },
    litellm_params: { ...litellm_params, api_base: MOVED },
  }),
  update("an unknown model", { model_info: { id: "absent" }, litellm_params }),
  update("a model of the settings file", { model_info: { id: "chat" }, litellm_params }),
  get("model info, version 2", "/v2/model/info")("a stored model", "?model=stored", { until: hasMoved }),
  drop("a model", { id: "$MODEL" }),
  drop("a deleted model", { id: "$MODEL" }),
  drop("a model of the settings file", { id: "chat" }),
  drop("no ID", {}),
  drop("no key", { id: "chat" }, { key: "none" }),
];
