import { expect, test } from "vitest";
import { type FailureClass, failureClasses } from "./failure-class.ts";
import { planFallbacks } from "./fallback-plan.ts";
import { noRoutingOptions } from "./route-types.ts";
import { routerRules } from "./route-world.fixture.ts";

const rules = routerRules({
  fallbacks: { "gpt-4o": ["claude", "mini"], mini: ["tiny"], "*": ["cheap"] },
  contextWindowFallbacks: { small: ["big"], "gpt-4o": [] },
  contentPolicyFallbacks: { "*": ["polite"] },
  defaultFallbacks: ["last"],
});
const planned = (group: string, kind: FailureClass, options = noRoutingOptions, of = rules) =>
  planFallbacks(group, kind, options, of)?.groups ?? null;

test("a group's own list takes precedence over its bare name's list, which takes precedence over the wildcard list", () => {
  expect(planned("gpt-4o", "unavailable")).toEqual(["claude", "mini"]);
  expect(planned("azure/mini", "timeout")).toEqual(["tiny"]);
  expect(planned("toString", "timeout")).toEqual(["cheap"]);
  expect(planned("other", "timeout", noRoutingOptions, routerRules({ defaultFallbacks: ["last"] }))).toEqual(["last"]);
});

test("the list for the failure class, even if empty, takes precedence over the general list", () => {
  expect(planned("azure/small", "context_window")).toEqual(["big"]);
  expect(planned("gpt-4o", "context_window")).toEqual([]);
  expect(planned("mini", "context_window")).toEqual(["tiny"]);
  expect(planned("mini", "content_policy")).toEqual(["polite"]);
});

test("fallbacks in the request take precedence, and their permissions are still checked", () => {
  const options = { ...noRoutingOptions, fallbacks: ["mine"], contextWindowFallbacks: { small: ["bigger"] } };
  expect(planFallbacks("small", "context_window", options, rules)).toEqual({ groups: ["mine"], isFromRequest: true });
  const dictionary = { ...options, fallbacks: null };
  expect(planFallbacks("small", "context_window", dictionary, rules)).toEqual({
    groups: ["bigger"],
    isFromRequest: true,
  });
  expect(planFallbacks("small", "unavailable", dictionary, rules)).toEqual({ groups: ["cheap"], isFromRequest: false });
});

test("bad requests and local failures have no fallback; all other failures have a fallback", () => {
  const none = failureClasses.filter(
    (kind) => planFallbacks("gpt-4o", kind, { ...noRoutingOptions, fallbacks: ["x"] }, rules) === null,
  );
  expect(none).toEqual(["bad_request", "local"]);
  expect(
    planned("gpt-4o", "unavailable", { ...noRoutingOptions, disableFallbacks: true, fallbacks: ["x"] }),
  ).toBeNull();
});
