import type { Deployment } from "../call/deployment.ts";

/** Models that search for every request, and whose provider may not report the searches. */
const SEARCH_MODEL = /search-(?:preview|api)/;
/** Models that run many searches for one request. */
const RESEARCH_MODEL = /deep-research/;
/** Number of searches that a hold covers for a research model. */
const RESEARCH_SEARCHES = 32;
/**
 * Tokens that a hold covers for a research model of Perplexity in addition to the prompt and to the output limit.
 * Perplexity bills what the model reads as input, and its reasoning apart from the response. Its documented example has
 * 20,016 and 73,997 such tokens, and neither has a limit.
 */
const RESEARCH_TOKENS: BesideTokens = { cited: 131_072, reasoning: 262_144 };
const NO_TOKENS: BesideTokens = { cited: 0, reasoning: 0 };
/** Models for which Google bills a request with searches, however many there are. */
const BILLED_PER_REQUEST = /^gemini-[12][.-]/;

/** Maximum number of tokens that no parameter limits: those of sources that a model reads, and of its reasoning. */
interface BesideTokens {
  readonly cited: number;
  readonly reasoning: number;
}

/** How a deployment searches. It follows from the names of its provider and model. */
interface SearchTraits {
  /** Searches of each request, even if it doesn't ask for one. */
  readonly always: number;
  /** True if a request with any number of searches is billed as one search. */
  readonly isBilledOnce: boolean;
  /** False if the results of a search aren't billed as input. */
  readonly billsResults: boolean;
  /** Tokens that are billed beside the prompt and the output limit. */
  readonly beside: BesideTokens;
}

const known = new WeakMap<Deployment, SearchTraits>();

/** Returns how a deployment searches. The result is cached. */
export function searchTraitsOf(deployment: Deployment): SearchTraits {
  const found = known.get(deployment);
  if (found !== undefined) return found;
  const { provider, upstreamModel } = deployment;
  const isPerplexity = provider.name === "perplexity";
  const isResearch = RESEARCH_MODEL.test(upstreamModel);
  const isSearching = alwaysSearches(provider.name, upstreamModel);
  const made = {
    always: isSearching ? (isResearch ? RESEARCH_SEARCHES : 1) : 0,
    isBilledOnce: (isSearching && !isResearch) || billsSearchesOnce(upstreamModel),
    billsResults: !isPerplexity || isResearch,
    beside: isPerplexity && isResearch ? RESEARCH_TOKENS : NO_TOKENS,
  };
  known.set(deployment, made);
  return made;
}

/** Reports whether a model searches for every request, even if the request doesn't ask for it. */
export function alwaysSearches(provider: string, model: string): boolean {
  return provider === "perplexity" || SEARCH_MODEL.test(model);
}

/** Reports whether a request with any number of searches is billed as one search. */
export function billsSearchesOnce(model: string): boolean {
  return BILLED_PER_REQUEST.test(model);
}
