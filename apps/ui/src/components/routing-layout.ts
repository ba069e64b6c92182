import { firstChoices, type RoutedDeployment, type RoutedGroup } from "./routing-summary.ts";

/** A box in the diagram. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface DeploymentBox extends Box {
  readonly deployment: RoutedDeployment;
  /** Probability that the deployment is chosen first; null if the strategy decides per request. */
  readonly share: number | null;
}

export interface FallbackBox extends Box {
  readonly model: string;
  readonly kind: "general" | "context" | "policy";
  readonly place: number;
}

export interface RoutingLayout {
  readonly width: number;
  readonly height: number;
  readonly call: Box;
  readonly checks: Box;
  readonly group: Box;
  readonly answer: Box;
  /** Response box for the fallbacks; null if there are no fallbacks. */
  readonly otherAnswer: Box | null;
  readonly deployments: readonly DeploymentBox[];
  readonly fallbacks: readonly FallbackBox[];
}

const WIDTH = 1126;
const TOP = 32;
const STEP = 66;
const GAP_BEFORE_FALLBACKS = 34;
/** Maximum number of boxes in a group. Further deployments are only counted, to keep the diagram readable. */
export const MAX_BOXES = 8;

const columns = {
  call: { x: 0, width: 132 },
  checks: { x: 192, width: 148 },
  group: { x: 424, width: 168 },
  deployments: { x: 680, width: 208 },
  answer: { x: 936, width: 188 },
} as const;

/** Lays out a group's boxes from left to right: request, checks, group, deployments above fallbacks, response. */
export function layOutRouting(group: RoutedGroup): RoutingLayout {
  const choices = firstChoices(group);
  const shown = group.deployments.slice(0, MAX_BOXES);
  const deployments = shown.map((deployment, index) => ({
    ...columns.deployments,
    y: TOP + index * STEP,
    height: 52,
    deployment,
    share: choices.get(deployment.id) ?? (choices.size === 0 ? null : 0),
  }));
  const below = TOP + Math.max(1, deployments.length) * STEP + (deployments.length > 0 ? GAP_BEFORE_FALLBACKS : 0);
  const fallbacks = fallbackList(group).map((fallback, index) => ({
    ...columns.deployments,
    ...fallback,
    y: below + index * STEP,
    height: 52,
  }));
  const middle = TOP + (Math.max(1, deployments.length) * STEP - 14) / 2;
  const last = fallbacks.at(-1) ?? deployments.at(-1);
  const [first, end] = [fallbacks[0], fallbacks.at(-1)];
  const otherMiddle = first === undefined || end === undefined ? null : (first.y + end.y + 52) / 2;
  const around = (column: { x: number; width: number }, at: number, height: number) => ({
    ...column,
    y: at - height / 2,
    height,
  });
  return {
    width: WIDTH,
    height: Math.max(130, (last?.y ?? TOP) + 60, middle + 45),
    call: around(columns.call, middle, 50),
    checks: around(columns.checks, middle, 50),
    group: around(columns.group, middle, 62),
    answer: around(columns.answer, middle, 50),
    otherAnswer: otherMiddle === null ? null : around(columns.answer, otherMiddle, 50),
    deployments,
    fallbacks,
  };
}

function fallbackList(group: RoutedGroup): readonly Pick<FallbackBox, "model" | "kind" | "place">[] {
  const list = (models: readonly string[], kind: FallbackBox["kind"]) =>
    models.map((model, index) => ({ model, kind, place: index + 1 }));
  return [
    ...list(group.fallbacks, "general"),
    ...list(group.contextWindowFallbacks, "context"),
    ...list(group.contentPolicyFallbacks, "policy"),
  ].slice(0, MAX_BOXES);
}
