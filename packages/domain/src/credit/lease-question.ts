import type { AllowanceLease } from "./hold.ts";
import type { AllowanceRequest, LeaseRequest } from "./lease-messages.ts";
import type { OrganizationLease } from "./organization-lease.ts";
import type { WaitingCall } from "./waiting-call.ts";

const HOLDS_PER_REQUEST = 512;

/** A request for one organization, with its lease. */
export interface LeaseQuestion {
  readonly organization: OrganizationLease;
  readonly message: LeaseRequest;
  /** Leases in the order of the message's allowances. `calls` are in the order of its holds. */
  readonly allowances: readonly AllowanceLease[];
  readonly calls: readonly WaitingCall[];
  /** The allowance that `afterRecall` refers to. */
  readonly recalled: AllowanceLease | null;
  /** True if an earlier request with this number may have been applied instead. */
  readonly isRepeat: boolean;
}

/** Time of a request and number of live nodes. */
export interface Moment {
  readonly nowMs: number;
  readonly wallMs: number;
  readonly liveNodes: number;
}

/** Combines everything that the organization needs now into one request; null if it needs nothing. */
export function composeQuestion(organization: OrganizationLease, moment: Moment): LeaseQuestion | null {
  const calls = nextCalls(organization);
  const recalled = calls[0]?.recalled ?? null;
  const allowances = concernedAllowances(organization, calls, moment);
  if (allowances.size === 0) return null;

  const isRepeat = organization.isUnresolved;
  const positions = new Map<AllowanceLease, number>();
  const requests: AllowanceRequest[] = [];
  for (const allowance of allowances) {
    positions.set(allowance, requests.length);
    requests.push(allowance.compose(moment.nowMs, moment.wallMs, moment.liveNodes));
  }
  const afterRecall = takeRecallNumber(recalled);
  // An evicted allowance can't grant a hold until its earlier usage is known.
  const ready = calls.filter((call) => call.allowances.every((allowance) => allowance.isKnown));
  return {
    organization,
    message: {
      organizationId: organization.id,
      seq: organization.seq + 1,
      allowances: requests,
      holds: ready.map((call) => ({
        amount: call.amount,
        allowances: call.allowances.map((allowance) => positions.get(allowance) ?? 0),
      })),
      afterRecall,
    },
    allowances: [...allowances],
    calls: ready,
    recalled,
    isRepeat,
  };
}

/** Returns the number of the recall that the request retries after; 0 if the ledger must notify the nodes. */
function takeRecallNumber(recalled: AllowanceLease | null): number {
  const wait = recalled?.recallWait ?? null;
  if (wait === null) return 0;
  const { number, isMissed } = wait;
  wait.isDue = false;
  wait.isMissed = false;
  return isMissed ? 0 : number;
}

/**
 * Selects the next calls. Calls whose recall may be complete are sent without other calls, because a recall number
 * applies to only one allowance.
 */
function nextCalls(organization: OrganizationLease): readonly WaitingCall[] {
  const waiting = organization.stillWaiting();
  const due = waiting.find((call) => call.recalled?.recallWait?.isDue === true);
  const recalled = due === undefined ? null : due.recalled;
  return waiting.filter((call) => call.recalled === recalled).slice(0, HOLDS_PER_REQUEST);
}

function concernedAllowances(
  organization: OrganizationLease,
  calls: readonly WaitingCall[],
  { nowMs, wallMs, liveNodes }: Moment,
): Set<AllowanceLease> {
  const allowances = new Set<AllowanceLease>();
  for (const call of calls) for (const allowance of call.allowances) allowances.add(allowance);
  for (const allowance of organization.needy) {
    allowance.isNeedy = false;
    if (allowance.hasWork(nowMs, wallMs, liveNodes)) allowances.add(allowance);
  }
  organization.needy = [];
  return allowances;
}
