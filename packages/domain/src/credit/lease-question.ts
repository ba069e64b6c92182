import type { LeaseRequest, PurseRequest } from "./lease-messages.ts";
import type { OrganizationLease } from "./organization-lease.ts";
import type { PurseLease } from "./purse-lease.ts";
import type { WaitingCall } from "./waiting-call.ts";

const HOLDS_PER_REQUEST = 512;

/** One organization's request, and whose it is. */
export interface LeaseQuestion {
  readonly organization: OrganizationLease;
  readonly message: LeaseRequest;
  /** In the order of the message's purses and holds. */
  readonly purses: readonly PurseLease[];
  readonly calls: readonly WaitingCall[];
  /** The purse that `afterRecall` is about. */
  readonly recalled: PurseLease | null;
  /** An earlier request under this number may have been applied instead. */
  readonly isRepeat: boolean;
}

/** When a question is put, and for how many nodes. */
export interface Moment {
  readonly nowMs: number;
  readonly wallMs: number;
  readonly liveNodes: number;
}

/** Everything the organization needs now, as one request; null when it needs nothing. */
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
  // What earlier calls used of a forgotten purse must be known before anything is granted from it.
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

/** Calls whose recall may have been answered go first, by themselves: its number means nothing to other purses. */
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
