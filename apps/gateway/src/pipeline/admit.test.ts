import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import { MASTER_KEY_ID } from "@tollgate/domain/api-keys.ts";
import { expect, test } from "vitest";
import type { Caller } from "../call/caller.ts";
import { admitCaller } from "./authenticate.ts";
import { anyCaller } from "./chat-call.fixture.ts";

const operation = (routeGroup: OperationDescription["routeGroup"], path: string) =>
  ({ routeGroup, paths: [path, `/v1${path}`] }) as unknown as OperationDescription;
const chat = operation("inference", "/chat/completions");
const models = operation("information", "/models");

function codeOf(caller: Partial<Caller>, what: OperationDescription): string {
  try {
    admitCaller({ ...anyCaller, ...caller }, what);
    return "admitted";
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test.for<[string, Partial<Caller>, OperationDescription, string]>([
  ["admits a key without route restrictions to inference", {}, chat, "admitted"],
  ["admits a key without route restrictions to information", {}, models, "admitted"],
  ["refuses a blocked team's key for inference", { isTeamBlocked: true }, chat, "TEAM_BLOCKED"],
  ["admits a blocked team's key to information", { isTeamBlocked: true }, models, "admitted"],
  ["refuses an inference-only key for information", { allowedRoutes: ["inference"] }, models, "route_not_allowed"],
  ["admits a key to its one allowed path", { allowedRoutes: ["/v1/models"] }, models, "admitted"],
  ["admits a key for the unversioned path to the versioned one", { allowedRoutes: ["/models"] }, models, "admitted"],
  ["refuses a key for another path", { allowedRoutes: ["/v1/models"] }, chat, "route_not_allowed"],
  ["refuses a key without any routes", { allowedRoutes: [] }, models, "route_not_allowed"],
  ["admits the master key to every route", { keyId: MASTER_KEY_ID, allowedRoutes: [] }, chat, "admitted"],
  [
    "refuses an administrator's key for a route that it does not have",
    { role: "proxy_admin", allowedRoutes: ["inference"] },
    models,
    "route_not_allowed",
  ],
  [
    "reports the blocked team before a missing route permission",
    { isTeamBlocked: true, allowedRoutes: [] },
    chat,
    "TEAM_BLOCKED",
  ],
])("%s", ([, caller, what, expected]) => {
  expect(codeOf(caller, what)).toBe(expected);
});

test("does not suggest buying credit if an administrator blocked the team", () => {
  const blocked = { ...anyCaller, isTeamBlocked: true };
  expect(() => admitCaller(blocked, chat)).toThrow("Buy credits");
  expect(() => admitCaller({ ...blocked, isBlockedByAdministrator: true }, chat)).toThrow("Ask them to unblock it");
});
