import { reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { says } from "../answers/spoken-answer.ts";
import type { Question } from "../question.ts";

const get = (operation: string, scenario: string, path: string, more: Partial<Question> = {}): Question => ({
  operation,
  scenario,
  method: "GET",
  path,
  ...more,
});

/** Questions about models, model information, and health. */
export const informationQuestions: readonly Question[] = [
  get("models", "list", "/models"),
  get("models", "list under /v1", "/v1/models"),
  get("models", "with wildcard routes", "/v1/models?return_wildcard_routes=true"),
  get("models", "with metadata", "/v1/models?include_metadata=true"),
  get("models", "with access groups", "/v1/models?include_model_access_groups=true"),
  get("models", "only access groups", "/v1/models?only_model_access_groups=true"),
  get("models", "an unknown fallback type", "/v1/models?include_metadata=true&fallback_type=other"),
  get("models", "an unknown scope", "/v1/models?scope=other"),
  get("models", "all models, for an administrator", "/v1/models?scope=expand"),
  get("models", "an invalid boolean", "/v1/models?include_metadata=maybe"),
  get("models", "no key", "/v1/models", { key: "none" }),
  get("models", "an unknown key", "/v1/models", { key: "unknown" }),
  get("retrieve model", "known", "/v1/models/chat"),
  get("retrieve model", "matching a wildcard", "/v1/models/groq/llama-3.1-8b-instant"),
  get("retrieve model", "unknown", "/v1/models/absent"),
  get("model info", "one deployment", "/model/info?gw_model_id=chat"),
  get("model info", "an Anthropic deployment", "/v1/model/info?gw_model_id=claude"),
  get("model info", "with limits", "/v1/model/info?gw_model_id=limited-2"),
  get("model info", "an unknown deployment", "/model/info?gw_model_id=absent"),
  get("model group info", "one group", "/model_group/info?model_group=chat"),
  get("model group info", "two deployments", "/model_group/info?model_group=limited"),
  get("model group info", "embeddings", "/model_group/info?model_group=embed"),
  get("model group info", "a wildcard", "/model_group/info?model_group=groq/*"),
  get("model group info", "matching a wildcard", "/model_group/info?model_group=groq/llama-3.1-8b-instant"),
  get("model group info", "unknown", "/model_group/info?model_group=absent"),
  get("health", "liveliness", "/health/liveliness", { key: "none" }),
  get("health", "liveness", "/health/liveness", { key: "none" }),
  get("health", "readiness", "/health/readiness", { key: "none" }),
  get("health", "a healthy model", "/health?model=chat", { upstream: says({ pieces: ["ok"] }) }),
  get("health", "an unhealthy model", "/health?model=instruct", {
    upstream: reply(500, { error: { message: "Broken.", type: "server_error", param: null, code: null } }),
  }),
  get("health", "no key", "/health?model=chat", { key: "none" }),
];
