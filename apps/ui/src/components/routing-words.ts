import { plural } from "../format/numbers.ts";

/** One group of deployments, and how calls to it find one. */
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
  readonly status: string;
}

/** What is done before any of it, for every call. */
const CHECKS = "Check key, limits and balance; hold the worst-case price.";

/** The routing of a group in sentences: the same rules that the diagram draws. */
export function routingWords(group: RoutedGroup): readonly string[] {
  const { retries, cooldownSeconds, fallbacks, contextWindowFallbacks, contentPolicyFallbacks, deployments } = group;
  return [
    CHECKS,
    choiceWords(group),
    ...(retries > 0 && deployments.length > 0
      ? [`On failure before the first byte, try again: ${plural(retries, "more attempt")} at most.`]
      : []),
    ...(cooldownSeconds > 0 ? [`A deployment that keeps failing rests for ${cooldownSeconds} s.`] : []),
    ...(fallbacks.length > 0 ? [`All failed: ${inOrder(fallbacks)}.`] : ["All failed: the caller gets the error."]),
    ...(contextWindowFallbacks.length > 0 ? [`Too long for the model: ${inOrder(contextWindowFallbacks)}.`] : []),
    ...(contentPolicyFallbacks.length > 0 ? [`Refused by content policy: ${inOrder(contentPolicyFallbacks)}.`] : []),
  ];
}

/** How likely each deployment is chosen first, by its id. Empty where that is decided call by call. */
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
  "least-busy": "the one with the fewest calls under way",
  "latency-based-routing": "the quickest of late",
  "usage-based-routing": "the one with the fewest tokens this minute",
  "usage-based-routing-v2": "the one with the fewest tokens this minute",
  "cost-based-routing": "the cheapest for the call",
};

function choiceWords(group: RoutedGroup): string {
  const { deployments, strategy } = group;
  const [only, ...others] = deployments;
  if (only === undefined) return "There is no deployment: the call is refused.";
  if (others.length === 0) return `Call ${nameOf(only)}.`;
  const choices = firstChoices(group);
  if (choices.size === 0)
    return `Pick ${strategies[strategy] ?? `by ${strategy}`}, of ${deployments.length} deployments.`;
  // Where providers differ, their names suffice.
  const isClear = new Set(deployments.map(({ provider }) => provider)).size === deployments.length;
  const parts = deployments.flatMap((each) => {
    const share = choices.get(each.id) ?? 0;
    return share > 0 ? [`${isClear ? each.provider : nameOf(each)} ${Math.round(share * 100)}`] : [];
  });
  return `Pick of 100 calls: ${parts.join(", ")}.`;
}

const nameOf = ({ provider, model }: RoutedDeployment): string => `${provider} ${model}`;

const inOrder = (names: readonly string[]): string => names.join(", then ");
