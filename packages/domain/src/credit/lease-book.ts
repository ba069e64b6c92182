import type { LeaseUse } from "./lease-messages.ts";
import type { Moment } from "./lease-question.ts";
import { OrganizationLease } from "./organization-lease.ts";
import type { PurseLease } from "./purse-lease.ts";

const FORGET_AFTER_MS = 600_000;
const USES_PER_BEAT = 1_000;
/** A heartbeat looks at so many organizations in use, the next one at the next ones, so that none takes long. */
const LOOKS_PER_BEAT = 10_000;

/** Every organization this node has to do with in the present epoch. Work on it grows with those in use, not with all. */
export class LeaseBook {
  #organizations = new Map<string, OrganizationLease>();
  /** The request number of organizations that were forgotten; they may come back. */
  #forgotten = new Map<string, number>();
  #touched: OrganizationLease[] = [];
  /** Those that fell quiet, oldest first, with the moment they did. */
  #quiet: { readonly organization: OrganizationLease; readonly sinceMs: number }[] = [];

  get size(): number {
    return this.#organizations.size;
  }

  find(organizationId: string): OrganizationLease | undefined {
    return this.#organizations.get(organizationId);
  }

  /** The organization's lease, made on first use. */
  open(organizationId: string, at: { readonly epoch: number; readonly outages: number }): OrganizationLease {
    const found = this.#organizations.get(organizationId);
    if (found !== undefined) return found;
    const seq = this.#forgotten.get(organizationId) ?? 0;
    this.#forgotten.delete(organizationId);
    const made = new OrganizationLease(organizationId, at.epoch, seq, at.outages);
    this.#organizations.set(organizationId, made);
    return made;
  }

  /** Notes that a purse is in use, for the next heartbeats to look at. */
  touch(organization: OrganizationLease, purse: PurseLease): void {
    if (!purse.isTouched) {
      purse.isTouched = true;
      organization.touched.push(purse);
    }
    if (organization.isTouched) return;
    organization.isTouched = true;
    this.#touched.push(organization);
  }

  /** Begins anew, and gives what there was; `wasUsed` tells whether the ledger was asked for any of it. */
  startEpoch(): { readonly organizations: readonly OrganizationLease[]; readonly wasUsed: boolean } {
    const organizations = [...this.#organizations.values()];
    const wasUsed = this.#forgotten.size > 0 || organizations.some(({ seq, isUnresolved }) => seq > 0 || isUnresolved);
    this.#organizations = new Map();
    this.#forgotten = new Map();
    this.#touched = [];
    this.#quiet = [];
    return { organizations, wasUsed };
  }

  all(): IterableIterator<OrganizationLease> {
    return this.#organizations.values();
  }

  /** A heartbeat's round over what is in use: tells of idle credit to move, of changed uses, and forgets who is long quiet. */
  tidy(moment: Moment, move: (organization: OrganizationLease, purse: PurseLease) => void): readonly LeaseUse[] {
    const uses: LeaseUse[] = [];
    const stillTouched: OrganizationLease[] = [];
    for (const organization of this.#touched.splice(0, LOOKS_PER_BEAT)) {
      dropIdleAllowances(organization, moment, move);
      if (uses.length < USES_PER_BEAT) addChangedUse(organization, uses);
      if (organization.touched.length > 0 || isBusy(organization)) {
        stillTouched.push(organization);
        continue;
      }
      organization.isTouched = false;
      organization.quietSinceMs = moment.nowMs;
      this.#quiet.push({ organization, sinceMs: moment.nowMs });
    }
    for (const organization of stillTouched) this.#touched.push(organization);
    this.#forgetQuiet(moment.nowMs);
    return uses;
  }

  #forgetQuiet(nowMs: number): void {
    let passed = 0;
    for (const { organization, sinceMs } of this.#quiet) {
      if (nowMs - sinceMs < FORGET_AFTER_MS || passed === LOOKS_PER_BEAT) break;
      passed += 1;
      const isQuietSince = !organization.isTouched && organization.quietSinceMs === sinceMs;
      if (!isQuietSince || organization.openCalls > 0 || isBusy(organization)) continue;
      this.#organizations.delete(organization.id);
      if (organization.seq > 0) this.#forgotten.set(organization.id, organization.seq);
    }
    if (passed > 0) this.#quiet = this.#quiet.slice(passed);
  }
}

function dropIdleAllowances(
  organization: OrganizationLease,
  { nowMs, wallMs, liveNodes }: Moment,
  move: (organization: OrganizationLease, purse: PurseLease) => void,
): void {
  organization.touched = organization.touched.filter((purse) => {
    if (purse.needsMoving(nowMs, wallMs, liveNodes)) move(organization, purse);
    if (purse.idle !== 0n || purse.isNeedy || purse.isUnresolved) return true;
    if (purse.hasEnded(wallMs) && purse.openCalls === 0 && !isBusy(organization)) {
      if (purse.purse.kind === "budget") organization.forgetBudget(purse, purse.purse.window);
    } else if (!purse.isQuiet(nowMs)) {
      return true;
    }
    purse.isTouched = false;
    return false;
  });
}

function addChangedUse(organization: OrganizationLease, uses: LeaseUse[]): void {
  const { inUse } = organization.credit;
  if (inUse === organization.reportedInUse && organization.openCalls === organization.reportedCalls) return;
  organization.reportedInUse = inUse;
  organization.reportedCalls = organization.openCalls;
  uses.push({ organizationId: organization.id, inUse, calls: organization.openCalls });
}

/** Whether a request of it is to be sent, is under way, or has an outcome to be learnt. */
function isBusy(organization: OrganizationLease): boolean {
  return (
    organization.need !== "none" ||
    organization.isAsking ||
    organization.isUnresolved ||
    organization.stillWaiting().length > 0
  );
}
