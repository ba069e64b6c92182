import type { LeaseRequest, PurseRequest } from "./lease-messages.ts";
import type { OrganizationLease } from "./organization-lease.ts";
import type { PurseLease } from "./purse-lease.ts";
import type { WaitingCall } from "./waiting-call.ts";

const HOLDS_PER_REQUEST = 512;

/** A request for one organization, with its lease. */
export interface LeaseQuestion {
  readonly organization: OrganizationLease;
  readonly message: LeaseRequest;
  /** In the order of the message's allowances and holds. */
  readonly purses: readonly PurseLease[];
  readonly calls: readonly WaitingCall[];
  /** The allowance that `afterRecall` refers to. */
  readonly recalled: PurseLease | null;
  /** True if an earlier request with this number may have been applied instead. */
  readonly isRepeat: boolean;
}

/** Time of a request, and the number of live nodes. */
export interface Moment {
  readonly nowMs: number;
  readonly wallMs: number;
  readonly liveNodes: number;
}

/** Composes everything the organization needs now into one request; null if it needs nothing. */
export function composeQuestion(organization: OrganizationLease, moment: Moment): LeaseQuestion | null {
  const calls = nextCalls(organization);
  const recalled = calls[0]?.recalled ?? null;
  const purses = concernedPurses(organization, calls, moment);
  if (purses.size === 0) return null;

  const isRepeat = organization.isUnresolved;
  const positions = new Map<PurseLease, number>();
  const requests: PurseRequest[] = [];
  for (const purse of purses) {
    positions.set(purse, requests.length);
    requests.push(purse.compose(moment.nowMs, moment.wallMs, moment.liveNodes));
  }
  if (recalled?.recallWait != null) recalled.recallWait.isDue = false;
  // An evicted allowance's earlier usage must be known before it grants anything.
  const ready = calls.filter((call) => call.purses.every((purse) => purse.isKnown));
  return {
    organization,
    message: {
      organizationId: organization.id,
      seq: organization.seq + 1,
      purses: requests,
      holds: ready.map((call) => ({
        amount: call.amount,
        purses: call.purses.map((purse) => positions.get(purse) ?? 0),
      })),
      afterRecall: recalled?.recallWait?.number ?? 0,
    },
    purses: [...purses],
    calls: ready,
    recalled,
    isRepeat,
  };
}

/** Selects the next calls. Calls whose recall may be complete go alone, because its number covers one allowance. */
function nextCalls(organization: OrganizationLease): readonly WaitingCall[] {
  const waiting = organization.stillWaiting();
  const due = waiting.find((call) => call.recalled?.recallWait?.isDue === true);
  const recalled = due === undefined ? null : due.recalled;
  return waiting.filter((call) => call.recalled === recalled).slice(0, HOLDS_PER_REQUEST);
}

function concernedPurses(
  organization: OrganizationLease,
  calls: readonly WaitingCall[],
  { nowMs, wallMs, liveNodes }: Moment,
): Set<PurseLease> {
  const purses = new Set<PurseLease>();
  for (const call of calls) for (const purse of call.purses) purses.add(purse);
  for (const purse of organization.needy) {
    purse.isNeedy = false;
    if (purse.hasWork(nowMs, wallMs, liveNodes)) purses.add(purse);
  }
  organization.needy = [];
  return purses;
}
