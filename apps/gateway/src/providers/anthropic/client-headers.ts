import type { TranslatedCall, UpstreamTarget } from "../../call/provider.ts";
import type { HeaderTarget, HeaderTest } from "../../call/request-fields.ts";

/** Matches valid header values: feature names and, for the version, a date. */
const version = /^\d{4}-\d{2}-\d{2}$/;
const features = /^[A-Za-z0-9_.,\- ]{1,2048}$/;
const date = /-(?:\d{4}-\d{2}-\d{2}|\d{8})$/;

/**
 * Names, without dates, of features that only change the response format or enable fields that the gateway checks
 * separately. Features that let the provider run, store, or reroute something are not listed.
 */
const freeFeatures: ReadonlySet<string> = new Set([
  "claude-code",
  "interleaved-thinking",
  "dev-full-thinking",
  "adaptive-thinking",
  "redact-thinking",
  "thinking-token-count",
  "thinking-display-updates",
  "thinking-binding-controls",
  "effort",
  "task-budgets",
  "fine-grained-tool-streaming",
  "token-efficient-tools",
  "advanced-tool-use",
  "tool-examples",
  "computer-use",
  "structured-outputs",
  "output-128k",
  "output-300k",
  "pdfs",
  "prompt-caching",
  "prompt-caching-scope",
  "extended-cache-ttl",
  "cache-diagnosis",
  "context-management",
  "model-context-window-exceeded",
  "mid-conversation-output-config",
  "mid-conversation-system-clear-at",
  "token-counting",
  // These features enable fields and tools that the gateway refuses unless they have a price.
  "mcp-client",
  "code-execution",
  "web-fetch",
  "skills",
]);

/** The feature for long prompts, for which some models charge more. */
const LONG_PROMPTS = "context-1m";
/** The feature for the tier `fast`, which costs more. */
const FAST_MODE = "fast-mode";

function isFree(feature: string, target: HeaderTarget): boolean {
  const name = feature.trim().replace(date, "");
  if (name === LONG_PROMPTS) return coversLongPrompts(target);
  if (name === FAST_MODE) return target.usesOwnKey === true || hasFastPrice(target);
  return freeFeatures.has(name);
}

function hasFastPrice({ facts }: HeaderTarget): boolean {
  return facts?.rateCard?.rules.some(({ when }) => when.serviceTier === "fast") === true;
}

/**
 * Reports whether holds cover prompts in the price tier for long prompts. If the context window ends below that tier,
 * a hold is too small, and a true report of a long prompt is taken as impossible.
 */
function coversLongPrompts({ price, facts }: HeaderTarget): boolean {
  const tier = price?.tier;
  return tier != null && (facts?.maxInputTokens ?? Number.POSITIVE_INFINITY) > tier.aboveInputTokens;
}

/** Headers of the Anthropic API that callers may send in `extra_headers`. */
export const anthropicHeaders: Readonly<Record<string, HeaderTest>> = {
  "anthropic-beta": (value, target) => value.split(",").every((feature) => isFree(feature, target)),
};

/**
 * Returns a call's headers, with the client's API version and beta features. No other client header is passed on.
 * Features that can change the bill are omitted instead of rejected, because clients also name features that a call
 * doesn't use.
 */
export function withClientHeaders(
  headers: readonly string[],
  call: TranslatedCall,
  target: UpstreamTarget,
): readonly string[] {
  const { anthropicVersion: asked = null, anthropicBeta = null } = call.exchange?.headers ?? {};
  const at = asked !== null && version.test(asked) ? headers.indexOf("anthropic-version") : -1;
  const betas = anthropicBeta !== null && features.test(anthropicBeta) ? allowedFeatures(anthropicBeta, target) : "";
  if (at < 0 && betas === "") return headers;
  const changed = [...headers];
  if (at >= 0) changed[at + 1] = asked as string;
  if (betas !== "") changed.push("anthropic-beta", betas);
  return changed;
}

function allowedFeatures(betas: string, target: UpstreamTarget): string {
  const { unknownParams = "forward", allowedHeaders } = target;
  if (unknownParams === "forward" || allowedHeaders?.has("anthropic-beta") === true) return betas;
  const all = betas.split(",");
  const free = all.filter((feature) => isFree(feature, target));
  return free.length === all.length ? betas : free.join(",");
}
