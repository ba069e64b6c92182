import type { Question } from "../question.ts";
import { get, post } from "./managed.ts";

const make = post("team new", "/team/new");
const update = post("team update", "/team/update");
const block = post("team block", "/team/block");
const unblock = post("team unblock", "/team/unblock");
const add = post("team member add", "/team/member_add");
const change = post("team member update", "/team/member_update");
const remove = post("team member delete", "/team/member_delete");
const drop = post("team delete", "/team/delete");
const info = get("team info", "/team/info");
const list = get("team list", "/team/list");

const organization_id = "$ORGANIZATION";
const member = { role: "user", user_id: "$USER" };
const UNKNOWN_TEAM = "team_01K0000000000000000000000A";

/** Questions about teams and their members. */
export const teamQuestions: readonly Question[] = [
  make("a name", { team_alias: "oracle", organization_id }, { keeps: { TEAM: "/team_id" } }),
  make(
    "limits and a budget",
    {
      team_alias: "limited",
      organization_id,
      models: ["chat", "claude"],
      max_budget: 10,
      budget_duration: "30d",
      rpm_limit: 60,
      tpm_limit: 90_000,
      metadata: { cost_center: "r1" },
    },
    { keeps: { LIMITED: "/team_id" } },
  ),
  make(
    "model aliases",
    { team_alias: "aliased", organization_id, model_aliases: { cheap: "chat" } },
    { keeps: { ALIASED: "/team_id" } },
  ),
  make(
    "a member",
    { team_alias: "peopled", organization_id, members_with_roles: [member] },
    { keeps: { PEOPLED: "/team_id" } },
  ),
  make("an admin", { team_alias: "led", organization_id, members_with_roles: [{ role: "admin", user_id: "$USER" }] }),
  make("blocked", { team_alias: "blocked", organization_id, blocked: true }, { keeps: { BLOCKED: "/team_id" } }),
  make(
    "limits per model",
    { team_alias: "per-model", organization_id, model_rpm_limit: { chat: 7 } },
    { keeps: { PERMODEL: "/team_id" } },
  ),
  make("a parallel limit", { team_alias: "parallel", organization_id, max_parallel_requests: 3 }),
  make("tags", { team_alias: "tagged", organization_id, tags: ["a"] }),
  make("a chosen ID", { team_alias: "chosen", organization_id, team_id: "our-own-team" }),
  make("an existing name", { team_alias: "oracle", organization_id }),
  make("an unknown organization", { team_alias: "lost", organization_id: "absent" }),
  make("an unknown member", {
    team_alias: "ghost",
    organization_id,
    members_with_roles: [{ role: "user", user_id: "999999" }],
  }),
  make("an invalid budget", { team_alias: "invalid", organization_id, max_budget: "much" }),
  make("a negative budget", { team_alias: "negative", organization_id, max_budget: -1 }),
  make("an invalid period", { team_alias: "invalid", organization_id, max_budget: 1, budget_duration: "often" }),
  make("an invalid limit", { team_alias: "invalid", organization_id, rpm_limit: "many" }),
  make("an unknown field", { team_alias: "unknown-field", organization_id, color: "red" }),
  make("invalid JSON", "{"),
  make("no key", { team_alias: "stranger" }, { key: "none" }),
  make("an unknown key", { team_alias: "stranger" }, { key: "unknown" }),
  update("a name", { team_id: "$TEAM", team_alias: "oracle-2" }),
  update("limits", { team_id: "$TEAM", rpm_limit: 30, tpm_limit: 1_000, max_budget: 2.5, budget_duration: "7d" }),
  update("models", { team_id: "$TEAM", models: ["chat", "embed"] }),
  update("metadata", { team_id: "$TEAM", metadata: { cost_center: "r2" } }),
  update("limits removed", { team_id: "$TEAM", rpm_limit: null, tpm_limit: null, max_budget: null }),
  update("an unknown team", { team_id: UNKNOWN_TEAM, team_alias: "lost" }),
  update("no team", { team_alias: "lost" }),
  update("an invalid limit", { team_id: "$TEAM", tpm_limit: "many" }),
  block("a team", { team_id: "$LIMITED" }),
  block("an unknown team", { team_id: UNKNOWN_TEAM }),
  block("no team", {}),
  unblock("a team", { team_id: "$LIMITED" }),
  unblock("an unknown team", { team_id: UNKNOWN_TEAM }),
  add("a user ID", { team_id: "$TEAM", member }),
  add("an email address", { team_id: "$LIMITED", member: { role: "user", user_email: "$EMAIL" } }),
  add("a list", { team_id: "$BLOCKED", member: [member] }),
  add("a member of the team", { team_id: "$TEAM", member }),
  add("a budget", { team_id: "$ALIASED", member, max_budget_in_team: 1 }),
  add("an unknown role", { team_id: "$TEAM", member: { role: "captain", user_id: "$USER" } }),
  add("no user", { team_id: "$TEAM", member: { role: "user" } }),
  add("no member", { team_id: "$TEAM" }),
  add("an unknown team", { team_id: UNKNOWN_TEAM, member }),
  change("a role", { team_id: "$TEAM", user_id: "$USER", role: "user" }),
  change("to admin", { team_id: "$TEAM", user_id: "$USER", role: "admin" }),
  change("an email address", { team_id: "$TEAM", user_email: "$EMAIL", role: "user" }),
  change("a budget", { team_id: "$TEAM", user_id: "$USER", role: "user", max_budget_in_team: 1 }),
  change("not a member", { team_id: "$TEAM", user_id: "999999", role: "user" }),
  change("an unknown team", { team_id: UNKNOWN_TEAM, user_id: "$USER", role: "user" }),
  info("with members", "?team_id=$PEOPLED"),
  info("with limits", "?team_id=$LIMITED"),
  info("an unknown team", `?team_id=${UNKNOWN_TEAM}`),
  info("no team"),
  info("no key", "?team_id=$TEAM", { key: "none" }),
  list("a user's teams", "?user_id=$USER"),
  list("an unknown user's teams", "?user_id=999998"),
  list("no key", "", { key: "none" }),
  add("an admin", { team_id: "$PERMODEL", member: { role: "admin", user_id: "$USER" } }),
  remove("a user ID", { team_id: "$LIMITED", user_id: "$USER" }),
  remove("an email address", { team_id: "$PEOPLED", user_email: "$EMAIL" }),
  remove("not a member", { team_id: "$LIMITED", user_id: "$USER" }),
  remove("no user", { team_id: "$LIMITED" }),
  remove("an unknown team", { team_id: UNKNOWN_TEAM, user_id: "$USER" }),
  drop("a team", { team_ids: ["$PEOPLED"] }),
  drop("a deleted team", { team_ids: ["$PEOPLED"] }),
  drop("an unknown team", { team_ids: [UNKNOWN_TEAM] }),
  drop("no team", {}),
  drop("no key", { team_ids: ["$LIMITED"] }, { key: "none" }),
];
