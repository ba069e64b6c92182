import type { Question } from "../question.ts";
import { get, post } from "./managed.ts";

const make = post("key generate", "/key/generate");
const update = post("key update", "/key/update");
const block = post("key block", "/key/block");
const unblock = post("key unblock", "/key/unblock");
const drop = post("key delete", "/key/delete");
const regenerate = post("key regenerate", "/key/$TOKEN/regenerate");
const info = get("key info", "/key/info");
const list = get("key list", "/key/list");

const team_id = "$TEAM";
const UNKNOWN_HASH = "0".repeat(64);

/** Questions about keys. */
export const keyQuestions: readonly Question[] = [
  make("a name", { team_id, key_alias: "plain" }, { keeps: { KEY: "/key", TOKEN: "/token" } }),
  make(
    "limits and a budget",
    {
      team_id,
      key_alias: "limited",
      models: ["chat"],
      max_budget: 1.5,
      budget_duration: "30d",
      rpm_limit: 60,
      tpm_limit: 90_000,
      max_parallel_requests: 4,
      metadata: { cost_center: "r1" },
    },
    { keeps: { BOUND: "/key" } },
  ),
  make("limits per model", {
    team_id,
    key_alias: "per-model",
    model_rpm_limit: { chat: 7 },
    model_tpm_limit: { chat: 700 },
  }),
  make("a duration", { team_id, key_alias: "short", duration: "30d" }, { keeps: { SHORT: "/key" } }),
  make("aliases", { team_id, key_alias: "aliased", aliases: { cheap: "chat" } }),
  make("a user", { team_id, user_id: "$USER", key_alias: "personal" }),
  make("routes", { team_id, key_alias: "routed", allowed_routes: ["llm_api_routes"] }),
  make("blocked", { team_id, key_alias: "blocked", blocked: true }, { keeps: { STOPPED: "/key" } }),
  make("tags", { team_id, key_alias: "tagged", tags: ["a"] }),
  make("a soft budget", { team_id, key_alias: "soft", soft_budget: 3 }),
  make("a chosen secret", { team_id, key_alias: "chosen", key: "sk-our-own-words-0001" }),
  make("an existing name", { team_id, key_alias: "plain" }),
  make("an unknown team", { team_id: "absent", key_alias: "lost" }),
  make("an invalid budget", { team_id, max_budget: "much" }),
  make("a negative budget", { team_id, max_budget: -1 }),
  make("an invalid duration", { team_id, duration: "forever" }),
  make("an invalid limit", { team_id, rpm_limit: "many" }),
  make("invalid models", { team_id, models: "chat" }),
  make("an unknown field", { team_id, key_alias: "unknown-field", color: "red" }),
  make("invalid JSON", "{"),
  make("no key", { team_id }, { key: "none" }),
  make("an unknown key", { team_id }, { key: "unknown" }),
  make("a key without management routes", { team_id }, { key: "$BOUND" }),
  info("a secret", "?key=$KEY"),
  info("a digest", "?key=$TOKEN"),
  info("with limits", "?key=$BOUND"),
  info("with an end", "?key=$SHORT"),
  info("the calling key", "", { key: "$BOUND" }),
  info("an unknown key", `?key=${UNKNOWN_HASH}`),
  info("no key", "?key=$KEY", { key: "none" }),
  update("a name", { key: "$KEY", key_alias: "plain-2" }),
  update("limits", { key: "$KEY", rpm_limit: 30, tpm_limit: 1_000, max_parallel_requests: 2 }),
  update("a budget", { key: "$KEY", max_budget: 2.5, budget_duration: "7d" }),
  update("models", { key: "$KEY", models: ["chat", "embed"] }),
  update("metadata", { key: "$KEY", metadata: { cost_center: "r2" } }),
  update("a duration", { key: "$KEY", duration: "7d" }),
  update("limits removed", { key: "$KEY", rpm_limit: null, tpm_limit: null, max_budget: null }),
  update("a digest", { key: "$TOKEN", key_alias: "plain-3" }),
  update("an unknown key", { key: UNKNOWN_HASH, key_alias: "lost" }),
  update("no key in the body", { key_alias: "lost" }),
  update("an invalid limit", { key: "$KEY", tpm_limit: "many" }),
  info("after updates", "?key=$KEY"),
  block("a key", { key: "$SHORT" }),
  info("blocked", "?key=$SHORT"),
  block("an unknown key", { key: UNKNOWN_HASH }),
  block("no key in the body", {}),
  unblock("a key", { key: "$SHORT" }),
  unblock("an unknown key", { key: UNKNOWN_HASH }),
  make("the first of another team", { team_id: "$LIMITED", key_alias: "first" }),
  make("the second of another team", { team_id: "$LIMITED", key_alias: "second" }),
  list("a team's keys", "?team_id=$LIMITED&size=1"),
  list("the second page of digests", "?team_id=$LIMITED&size=1&page=2&return_full_object=false"),
  list("a name", "?key_alias=limited&return_full_object=true"),
  list("a digest", "?key_hash=$TOKEN&return_full_object=true"),
  list("page zero", "?page=0"),
  list("a page that is too large", "?size=1000"),
  list("an unknown name", "?key_alias=absent"),
  list("no key", "", { key: "none" }),
  regenerate("a secret", {}),
  drop("a secret", { keys: ["$SHORT"] }),
  drop("a deleted key", { keys: ["$SHORT"] }),
  drop("an unknown key", { keys: [UNKNOWN_HASH] }),
  drop("names", { key_aliases: ["limited"] }),
  drop("no key in the body", {}),
  drop("no key", { keys: ["$KEY"] }, { key: "none" }),
];
