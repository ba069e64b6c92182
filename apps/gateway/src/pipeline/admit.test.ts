import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import { expect, test } from "vitest";
import { admitCaller } from "./admit.ts";
import type { Caller } from "./caller.ts";
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
  ["a key that names no routes, for inference", {}, chat, "admitted"],
  ["a key that names no routes, for information", {}, models, "admitted"],
  ["a key of a blocked team, for inference", { isTeamBlocked: true }, chat, "TEAM_BLOCKED"],
  ["a key of a blocked team, for information", { isTeamBlocked: true }, models, "admitted"],
  ["a key for inference alone", { allowedRoutes: ["inference"] }, models, "route_not_allowed"],
  ["a key for one path", { allowedRoutes: ["/v1/models"] }, models, "admitted"],
  ["a key for that path's twin", { allowedRoutes: ["/models"] }, models, "admitted"],
  ["a key for another path", { allowedRoutes: ["/v1/models"] }, chat, "route_not_allowed"],
  ["a key for nothing", { allowedRoutes: [] }, models, "route_not_allowed"],
  ["an administrator", { role: "proxy_admin", allowedRoutes: [] }, chat, "admitted"],
  ["a blocked team's key without the right either", { isTeamBlocked: true, allowedRoutes: [] }, chat, "TEAM_BLOCKED"],
])("%s: %#", ([, caller, what, expected]) => {
  expect(codeOf(caller, what)).toBe(expected);
});

test("does not tell a team blocked by an administrator to buy credit", () => {
  const blocked = { ...anyCaller, isTeamBlocked: true };
  expect(() => admitCaller(blocked, chat)).toThrow("Buy credits");
  expect(() => admitCaller({ ...blocked, isBlockedByAdministrator: true }, chat)).toThrow("Ask them to unblock it");
});
