import type { LeaseRequest } from "@tollgate/domain/credit/lease-messages.ts";

/** Number of statements sent to the database, by purpose. */
export class StatementCounts {
  leases = 0;
  leasedOrganizations = 0;
  /** Requests of organizations in lease statements, by their cause. */
  requestsForHolds = 0;
  requestsToReturn = 0;
  requestsToRefill = 0;
  /** Requests that move no credit: answers to recalls by gateways that have none idle, and reads of the free amount. */
  requestsWithoutCredit = 0;
  settles = 0;
  settledEvents = 0;
  confirms = 0;
  heartbeats = 0;
  /** First lookups of keys. */
  keys = 0;
  /** Reads of the change feed. */
  feedReads = 0;
  recalls = 0;
  calls = 0;
  callsThatWaited = 0;

  countLease(requests: readonly LeaseRequest[]): void {
    this.leases += 1;
    this.leasedOrganizations += requests.length;
    for (const { holds, allowances } of requests) {
      if (holds.length > 0) this.requestsForHolds += 1;
      else if (allowances.some(({ returned }) => returned > 0n)) this.requestsToReturn += 1;
      else if (allowances.some(({ slice }) => slice > 0n)) this.requestsToRefill += 1;
      else this.requestsWithoutCredit += 1;
    }
  }

  /** Resets the counts when the measured part of a run starts. */
  reset(): void {
    Object.assign(this, new StatementCounts());
  }
}
