import type { ReportedCosts } from "@tollgate/db/ledger/compare-reported-costs.ts";
import { formatUsd, type NanoUsd } from "@tollgate/domain/money.ts";
import { type Finding, failed, warned } from "./doctor-finding.ts";
import { plural } from "./doctor-settings.ts";

const NAME = "prices";
const SHOWN_GROUPS = 5;
/** Differences up to this share of the computed cost are ignored: providers round each request. */
const TOLERATED_PERCENT = 1n;

/** Time that the comparison covers, and the maximum number of requests that it reads. */
export const REPORTED_DAYS = 7;
export const MAX_REPORTED_REQUESTS = 50_000;

/**
 * Compares what providers say they charged with the prices in use. Fails if requests were sold below it, and warns if
 * the known prices are wrong in either direction.
 */
export function findReportedDifferences(costs: readonly ReportedCosts[]): Finding[] {
  const differing = costs.filter(({ reported, computed }) => !isClose(reported, computed));
  return differing.slice(0, SHOWN_GROUPS).map((one) => {
    const { provider, modelGroup, requests, reported, computed, revenue } = one;
    const charged = `${provider} charged ${usd(reported)} for ${plural(requests, "request")} to ${modelGroup} in ${REPORTED_DAYS} days`;
    if (reported > revenue && !isClose(reported, revenue)) {
      return failed(
        NAME,
        `${charged}, and they were sold for ${usd(revenue)}`,
        `Raise the prices of ${modelGroup}, or add a margin for ${provider}.`,
      );
    }
    return warned(
      NAME,
      `${charged}, but the known prices give ${usd(computed)}`,
      `Run tollgate prices update, or set the prices of ${modelGroup} to the provider's.`,
    );
  });
}

function isClose(one: NanoUsd, other: NanoUsd): boolean {
  const difference = one > other ? one - other : other - one;
  return difference * 100n <= other * TOLERATED_PERCENT;
}

const usd = (amount: NanoUsd): string => `$${formatUsd(amount)}`;
