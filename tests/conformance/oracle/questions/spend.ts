import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { reply } from "@tollgate/testkit/upstream-behaviors.ts";
import type { Question } from "../question.ts";
import { user } from "./chat-parts.ts";
import { get, post } from "./managed.ts";

const logs = get("spend logs", "/spend/logs");
const report = get("spend report", "/global/spend/report");
const users = get("user activity", "/user/daily/activity");
const teams = get("team activity", "/team/daily/activity");
const calculate = post("calculate spend", "/spend/calculate");

const messages = user("Hello, how are you?");
const days = "start_date=$TODAY&end_date=$TODAY";
/** An ID of its own, because LiteLLM records only one call per upstream ID. */
const answer = reply(200, chatAnswer({ id: "chatcmpl-scripted-spend", inputTokens: 1_000, outputTokens: 100 }));

const isListed = (body: unknown) => Array.isArray(body) && body.length > 0;
const isSpent = (body: unknown) => Number((body as { info?: { spend?: unknown } }).info?.spend) > 0;
const isActive = (body: unknown) => isListed((body as { results?: unknown }).results);

/** Questions about spend, after one call with a key of a team and a user. */
export const spendQuestions: readonly Question[] = [
  post("key generate", "/key/generate")(
    "a key to spend with",
    { team_id: "$TEAM", user_id: "$USER", key_alias: "spender" },
    { keeps: { SPENDER: "/key", SPENT: "/token" } },
  ),
  post("chat completions", "/v1/chat/completions")(
    "a call with the key of a team",
    { model: "chat", messages },
    { key: "$SPENDER", upstream: answer },
  ),
  logs("a key", "?api_key=$SPENDER", { until: isListed, keeps: { CALL: "/0/request_id" } }),
  logs("a digest", "?api_key=$SPENT", { until: isListed }),
  logs("a request", "?request_id=$CALL"),
  logs("a user", "?user_id=$USER"),
  logs("single calls between two days", "?api_key=$SPENDER&start_date=2026-01-01&end_date=2026-01-02&summarize=false"),
  logs("an unknown request", "?request_id=absent"),
  logs("an invalid date", "?start_date=today&end_date=tomorrow"),
  logs("no key", "", { key: "none" }),
  get("key info", "/key/info")("after a call", "?key=$SPENDER", { until: isSpent }),
  report("by team", `?${days}`),
  report("by key", `?${days}&group_by=api_key`),
  report("no dates"),
  users("a user", `?${days}&user_id=$USER`, { until: isActive }),
  users("an unknown user", `?${days}&user_id=999999`),
  users("no dates"),
  users("no key", `?${days}`, { key: "none" }),
  teams("a team", `?${days}&team_ids=$TEAM`, { until: isActive }),
  teams("an unknown team", `?${days}&team_ids=absent`),
  teams("no dates"),
  calculate("messages", { model: "chat", messages }),
  calculate("a response", {
    completion_response: {
      id: "chatcmpl-scripted",
      object: "chat.completion",
      created: 1_700_000_000,
      model: "gpt-4o-mini",
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hello." } }],
      usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 },
    },
  }),
  calculate("nothing to price", {}),
  calculate("no key", { model: "chat", messages }, { key: "none" }),
];
