import type { HealthState, LiveState } from "@tollgate/domain/figures/deployment-health.ts";

/** A model group with its deployments and routing rules. */
export interface RoutedGroup {
  readonly name: string;
  readonly strategy: string;
  readonly retries: number;
  readonly cooldownSeconds: number;
  readonly timeoutSeconds: number;
  readonly deployments: readonly RoutedDeployment[];
  readonly fallbacks: readonly string[];
  readonly contextWindowFallbacks: readonly string[];
  readonly contentPolicyFallbacks: readonly string[];
}

export interface RoutedDeployment {
  readonly id: string;
  readonly provider: string;
  readonly model: string;
  readonly weight: number | null;
  readonly order: number | null;
  readonly status: LiveState;
  readonly health: HealthState;
}

/** Checks that precede routing for every request. */
const CHECKS = "Check the key, limits, and balance, then place a hold for the maximum cost.";

/** Describes a group's routing in sentences: the same rules as in the diagram. */
export function routingSummary(group: RoutedGroup): readonly string[] {
  const { retries, cooldownSeconds, fallbacks, contextWindowFallbacks, contentPolicyFallbacks, deployments } = group;
  return [
    CHECKS,
    choiceWords(group),
    ...(retries > 0 && deployments.length > 0
      ? [`If an attempt fails before the first byte, retry ${retries === 1 ? "once" : `up to ${retries} times`}.`]
      : []),
    ...(cooldownSeconds > 0 ? [`A deployment that keeps failing enters a ${cooldownSeconds} s cooldown.`] : []),
    ...(fallbacks.length > 0
      ? [`If all deployments fail, fall back to ${inOrder(fallbacks)}.`]
      : ["If all deployments fail, return the error."]),
    ...(contextWindowFallbacks.length > 0
      ? [`If the context window is exceeded, fall back to ${inOrder(contextWindowFallbacks)}.`]
      : []),
    ...(contentPolicyFallbacks.length > 0
      ? [`If the content policy blocks the request, fall back to ${inOrder(contentPolicyFallbacks)}.`]
      : []),
  ];
}

/**
 * Returns the probability that each deployment is chosen first, by deployment ID. Empty if the strategy decides per
 * request.
 */
export function firstChoices({ strategy, deployments }: RoutedGroup): ReadonlyMap<string, number> {
  const usable = deployments.filter(({ status }) => status !== "disabled" && status !== "unusable");
  const first = Math.min(...usable.map(({ order }) => order ?? Number.POSITIVE_INFINITY));
  const front = usable.filter(({ order }) => (order ?? Number.POSITIVE_INFINITY) === first);
  if (strategy !== "simple-shuffle" && front.length > 1) return new Map();
  const isWeighed = front.some(({ weight }) => weight !== null);
  const weightOf = ({ weight }: RoutedDeployment) => (isWeighed ? (weight ?? 0) : 1);
  const total = front.reduce((sum, each) => sum + weightOf(each), 0);
  return new Map(front.map((each) => [each.id, total === 0 ? 0 : weightOf(each) / total]));
}

const strategies: Readonly<Record<string, string>> = {
  "least-busy": "the fewest requests in flight",
  "latency-based-routing": "the lowest recent latency",
  "usage-based-routing": "the fewest tokens this minute",
  "usage-based-routing-v2": "the fewest tokens this minute",
  "cost-based-routing": "the lowest cost for the request",
};

function choiceWords(group: RoutedGroup): string {
  const { deployments, strategy } = group;
  const [only, ...others] = deployments;
  if (only === undefined) return "No deployments: the request is refused.";
  if (others.length === 0) return `Call ${nameOf(only)}.`;
  const choices = firstChoices(group);
  if (choices.size === 0) {
    const advantage = strategies[strategy];
    const choice = advantage === undefined ? `one by ${strategy}` : `the one with ${advantage}`;
    return `Pick ${choice} from ${deployments.length} deployments.`;
  }
  // Provider names are enough if all deployments have different providers.
  const isClear = new Set(deployments.map(({ provider }) => provider)).size === deployments.length;
  const parts = deployments.flatMap((each) => {
    const share = choices.get(each.id) ?? 0;
    return share > 0 ? [`${isClear ? each.provider : nameOf(each)} ${Math.round(share * 100)}%`] : [];
  });
  return `Distribute requests: ${parts.join(", ")}.`;
}

const nameOf = ({ provider, model }: RoutedDeployment): string => `${provider} ${model}`;

const inOrder = (names: readonly string[]): string => names.join(", then ");
