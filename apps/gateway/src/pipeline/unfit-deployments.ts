import { Failure, type FailureCode } from "@tollgate/contracts/failures.ts";
import { billingUnits } from "@tollgate/domain/pricing/billing-units.ts";
import { serviceTiersOf } from "@tollgate/domain/pricing/rate-card.ts";
import type { FailureClass } from "@tollgate/domain/routing/failure-class.ts";
import type { Call } from "../call/call.ts";
import type { Deployment } from "../call/deployment.ts";
import { abilitiesOf } from "../models/group-differences.ts";
import { MAX_LISTED, missingIn } from "./rank-deployments.ts";

/** Codes of requests that the gateway itself could not translate for a deployment. */
const untranslatable: ReadonlySet<FailureCode> = new Set([
  "unsupported_parameter",
  "unsupported_tool",
  "invalid_request",
]);

/** Codes with which upstreams reject a field or a value that other models support. */
const unsupportedCodes: ReadonlySet<unknown> = new Set([
  "unsupported_parameter",
  "unsupported_value",
  "unknown_parameter",
  "extra_forbidden",
]);

/** Phrases with which upstreams reject a field, a value, or a type of content that other models support. */
const unsupportedPhrases =
  /\b(?:not|n't) supported?\b|unsupported|supports (?:only|at most)|un(?:known|recognized|expected) (?:field|name|parameter|argument|keyword|request argument)|extra (?:inputs?|fields?) (?:are|is)? ?not (?:permitted|allowed)|additional propert/i;

/** Remembers the deployments that could not serve a call, and finds those that may. Created after the first failure. */
export class UnfitDeployments {
  readonly #refusals: { readonly deployment: Deployment; readonly failure: Failure }[] = [];
  /** The first failure with another cause. */
  #other: Failure | null = null;

  /**
   * Returns the deployments of the group that may serve what the failed one can't. Returns null if there are none, or if
   * the failure has another cause.
   */
  note(call: Call, failed: Deployment, failure: Failure, kind: FailureClass): readonly Deployment[] | null {
    const { targets } = call.model;
    const others =
      targets.length > 1 && canOthersServe(failure, kind)
        ? targets.filter((target) =>
            kind === "context_window" ? hasLargerWindow(target, failed) : !isAlike(target, failed, call),
          )
        : [];
    if (others.length === 0) {
      this.#other ??= failure;
      return null;
    }
    this.#refusals.push({ deployment: failed, failure });
    return others;
  }

  /** Returns the failure of the whole call. If every deployment refused the request, it names all of them. */
  describe(call: Call, last: unknown): unknown {
    // A deployment that could have served the call failed, so its failure is the more useful one.
    if (this.#refusals.at(-1)?.failure !== last) return last;
    if (this.#other !== null) return this.#other;
    const [first] = this.#refusals;
    const { targets, shownName } = call.model;
    if (first === undefined) return last;
    const listed = targets.slice(0, MAX_LISTED).flatMap((target) => this.#reasonOf(target, call) ?? []);
    const { code, facts } = first.failure;
    return new Failure(code, `No deployment of '${shownName}' can serve this request. ${listed.join(" ")}`, facts);
  }

  #reasonOf(target: Deployment, call: Call): string | null {
    const refusal = this.#refusals.find(({ deployment }) => deployment === target);
    if (refusal !== undefined) return `${target.id}: ${refusal.failure.message}`;
    const param = missingIn(call, target);
    return param === null ? null : `${target.id}: '${param}' is not supported.`;
  }
}

/** Reports whether another model may accept a request that this failure rejects. */
function canOthersServe({ code, message, facts }: Failure, kind: FailureClass): boolean {
  switch (kind) {
    case "local":
      return untranslatable.has(code);
    case "context_window":
      return true;
    case "bad_request":
    case "unprocessable":
      return unsupportedCodes.has(facts.detail?.upstreamCode) || unsupportedPhrases.test(message);
    default:
      return false;
  }
}

function hasLargerWindow({ maxInputTokens }: Deployment, failed: Deployment): boolean {
  return maxInputTokens !== null && failed.maxInputTokens !== null && maxInputTokens > failed.maxInputTokens;
}

/** Reports whether a deployment would reject a request in the same way as another one. */
function isAlike(target: Deployment, failed: Deployment, { operation }: Call): boolean {
  if (target === failed) return true;
  return (
    target.provider === failed.provider &&
    target.upstreamModel === failed.upstreamModel &&
    target.unknownParams === failed.unknownParams &&
    target.allowedFields.size === 0 &&
    failed.allowedFields.size === 0 &&
    abilitiesOf(target, operation) === abilitiesOf(failed, operation) &&
    pricedTermsOf(target) === pricedTermsOf(failed)
  );
}

/** Returns a text that names what a deployment has a price for. It refuses tools, tiers, and caches without a price. */
function pricedTermsOf({ price, facts: { rateCard } }: Deployment): string {
  const units = billingUnits.filter((unit) => price?.[unit.price] != null).map(({ name }) => name);
  return [...units, ...(rateCard === null ? [] : serviceTiersOf(rateCard))].join();
}
