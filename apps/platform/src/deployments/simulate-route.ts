import { Failure } from "@tollgate/contracts/failures.ts";
import type { SimulatedRoute, SimulateRouteBody } from "@tollgate/contracts/management/routing.ts";
import { CallRoute } from "@tollgate/domain/routing/call-route.ts";
import { chooseTarget, RouteRefusal } from "@tollgate/domain/routing/choose-target.ts";
import {
  noRoutingOptions,
  type RouteFailure,
  type RouteGroup,
  type RoutingOptions,
} from "@tollgate/domain/routing/route-types.ts";
import type { ServedList } from "./build-served-list.ts";
import { describeExclusion, describeRefusal, nameOf } from "./describe-choice.ts";
import type { GatewayDeployment, GatewayModels } from "./gateway-models.ts";

type Step = SimulatedRoute["steps"][number];

/** Number of simulated calls. Their random numbers are evenly spaced, so the shares are exact to 1/1000. */
const DRAWS = 1_000;
/** Failure used for a simulated provider error. */
const FAILED: RouteFailure = { class: "internal", retryAfterMs: null };
type SimulatedGroup = RouteGroup<GatewayDeployment>;

/** Simulates the route of a call with the real routing rules, without calling a provider. */
export function simulateRoute(served: ServedList, question: SimulateRouteBody, now: Date): SimulatedRoute {
  const options = routingOptionsOf(question);
  const find = createGroupLookup(served);
  const name = (target: GatewayDeployment) => nameOf(target, served.models);
  const model = find(question.model);
  if (model === null) {
    const text = `No deployment, alias, or wildcard matches '${question.model}'. Requests fail with 404.`;
    return { steps: [step("refuse", text)], chosen: [] };
  }
  const steps: Step[] = [step("resolve", describeResolved(question.model, model), { group: model.name })];
  const { shares, refusal } = draw(find, model, options, now);
  const inGroup = new Set([...shares.keys()].filter((target) => model.targets.includes(target)));
  for (const target of model.targets) {
    if (inGroup.has(target)) continue;
    const text = describeExclusion(name(target), target, model, options, now);
    steps.push(step("filter", text, { group: model.name, deploymentId: target.id, share: 0 }));
  }
  if (refusal !== null) steps.push(step("refuse", describeRefusal(refusal, model), { group: model.name }));
  for (const [target, share] of shares) {
    const text = `${percent(share)} of requests go to ${name(target)}${refusal === null ? "" : ", as a fallback"}.`;
    const kind = refusal === null ? "choose" : "fallback";
    steps.push(step(kind, text, { group: target.groupName, deploymentId: target.id, share }));
  }
  const first = likeliest(shares);
  if (first !== null && refusal === null)
    steps.push(...followFailures(served.models, find, model, first, options, now));
  return { steps, chosen: [...shares].map(([{ id }, probability]) => ({ deploymentId: id, probability })) };
}

function routingOptionsOf(question: SimulateRouteBody): RoutingOptions {
  return {
    ...noRoutingOptions,
    tags: question.tags ?? [],
    regions: question.regions ?? null,
    inputTokens: question.inputTokens ?? 0,
    isStream: question.stream ?? false,
    wantsResponseSchema: question.requirements?.responseSchema ?? false,
  };
}

type GroupLookup = (name: string) => SimulatedGroup | null;

/**
 * Returns a memoized group lookup, because each lookup of a wildcard deployment would otherwise create a new object.
 */
function createGroupLookup({ settings, models, list }: ServedList): GroupLookup {
  const found = new Map<string, SimulatedGroup | null>();
  return (name) => {
    const known = found.get(name);
    if (known !== undefined) return known;
    const model = unlessRefused(() => models.find(list, settings, name));
    found.set(name, model);
    return model;
  };
}

function unlessRefused(find: () => SimulatedGroup): SimulatedGroup | null {
  try {
    return find();
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

/**
 * Returns the share of first attempts for each deployment and, if the group refuses calls, the reason. The shares add
 * up to one.
 */
function draw(find: GroupLookup, model: SimulatedGroup, options: RoutingOptions, now: Date) {
  const counts = new Map<GatewayDeployment, number>();
  let refusal: RouteRefusal | null = null;
  for (let index = 0; index < DRAWS; index += 1) {
    const random = evenRandom(index);
    const choice = chooseTarget(model, options, now.getTime(), random);
    if (choice instanceof RouteRefusal) refusal = choice;
    const target = choice instanceof RouteRefusal ? instead(find, model, choice, options, now, random) : choice;
    if (target !== null) counts.set(target, (counts.get(target) ?? 0) + 1);
  }
  const ordered = [...counts].toSorted(([, one], [, other]) => other - one);
  return { shares: new Map(ordered.map(([target, count]) => [target, count / DRAWS])), refusal };
}

function instead(
  find: GroupLookup,
  model: SimulatedGroup,
  refusal: RouteRefusal,
  options: RoutingOptions,
  now: Date,
  random: () => number,
): GatewayDeployment | null {
  const next = routeFrom(find, model, null, options).next(refusal, now.getTime(), random);
  return next.kind === "stop" ? null : next.target;
}

/** Lists the steps that follow if every attempt fails, starting from the most likely deployment. */
function followFailures(
  models: GatewayModels,
  find: GroupLookup,
  model: SimulatedGroup,
  first: GatewayDeployment,
  options: RoutingOptions,
  now: Date,
) {
  const route = routeFrom(find, model, first, options);
  const steps: Step[] = [];
  for (;;) {
    const next = route.next(FAILED, now.getTime(), evenRandom(DRAWS / 2));
    if (next.kind === "stop") break;
    const { group, target, isFallback } = next;
    const text = isFallback
      ? `If that fails too, the request falls back to group '${group.name}' at ${nameOf(target, models)}.`
      : `If that fails, the request is retried at ${nameOf(target, models)}.`;
    steps.push(step(isFallback ? "fallback" : "retry", text, { group: group.name, deploymentId: target.id }));
  }
  route.end();
  steps.push(step("refuse", `After ${route.attempts} failed attempts, the caller receives the last error.`));
  return steps;
}

function routeFrom(
  find: GroupLookup,
  group: SimulatedGroup,
  target: GatewayDeployment | null,
  options: RoutingOptions,
) {
  return new CallRoute<GatewayDeployment>({
    group,
    target,
    options,
    deadlineMs: Number.POSITIVE_INFINITY,
    findGroup: find,
  });
}

/** Returns a generator whose first number is evenly spaced over the draws and whose later numbers are pseudorandom. */
function evenRandom(index: number): () => number {
  let isFirst = true;
  let state = index;
  return () => {
    if (isFirst) {
      isFirst = false;
      return (index + 0.5) / DRAWS;
    }
    // Use a linear congruential generator, so that results are reproducible.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function describeResolved(asked: string, { name, targets, rules }: SimulatedGroup): string {
  const configured = targets[0]?.groupName ?? name;
  const count = targets.length === 1 ? "one deployment" : `${targets.length} deployments`;
  const meaning = asked === name ? `'${asked}' is` : `'${asked}' is an alias for '${name}',`;
  const pattern = configured.includes("*") ? ` matched by wildcard '${configured}'` : "";
  return `${meaning} a model group with ${count}${pattern}, chosen by ${rules.strategy}.`;
}

function likeliest(shares: ReadonlyMap<GatewayDeployment, number>): GatewayDeployment | null {
  return shares.keys().next().value ?? null;
}

const percent = (share: number): string => `${Math.round(share * 1_000) / 10} %`;

function step(
  kind: Step["kind"],
  text: string,
  facts: Partial<Pick<Step, "group" | "deploymentId" | "share">> = {},
): Step {
  return { kind, text, group: null, deploymentId: null, share: null, ...facts };
}
