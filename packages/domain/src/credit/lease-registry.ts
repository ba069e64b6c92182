import type { AllowanceLease } from "./allowance-lease.ts";
import type { LeaseUse } from "./lease-messages.ts";
import type { Moment } from "./lease-question.ts";
import { OrganizationLease } from "./organization-lease.ts";

const FORGET_AFTER_MS = 600_000;
const USES_PER_BEAT = 1_000;
/**
 * Maximum number of active organizations checked per heartbeat. The next heartbeat continues with the remaining
 * organizations.
 */
const LOOKS_PER_BEAT = 10_000;

/**
 * All organizations that this node serves in the current epoch. The work per heartbeat grows with the number of active
 * organizations, not with the total number.
 */
export class LeaseRegistry {
  #organizations = new Map<string, OrganizationLease>();
  /** Request numbers of evicted organizations, which may become active again. */
  #forgotten = new Map<string, number>();
  #touched: OrganizationLease[] = [];
  /** Quiet organizations, oldest first, with the time they became quiet. */
  #quiet: { readonly organization: OrganizationLease; readonly sinceMs: number }[] = [];

  get size(): number {
    return this.#organizations.size;
  }

  find(organizationId: string): OrganizationLease | undefined {
    return this.#organizations.get(organizationId);
  }

  /** Returns the organization's lease, creating it on first use. */
  open(organizationId: string, at: { readonly epoch: number; readonly outages: number }): OrganizationLease {
    const found = this.#organizations.get(organizationId);
    if (found !== undefined) return found;
    const seq = this.#forgotten.get(organizationId) ?? 0;
    this.#forgotten.delete(organizationId);
    const made = new OrganizationLease(organizationId, at.epoch, seq, at.outages);
    this.#organizations.set(organizationId, made);
    return made;
  }

  /** Marks an allowance as active, so that the next heartbeats check it. */
  touch(organization: OrganizationLease, allowance: AllowanceLease): void {
    if (!allowance.isTouched) {
      allowance.isTouched = true;
      organization.touched.push(allowance);
    }
    if (organization.isTouched) return;
    organization.isTouched = true;
    this.#touched.push(organization);
  }

  /**
   * Starts a new epoch and returns the previous leases. `wasUsed` is true if any of these leases was requested from the
   * ledger.
   */
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

  /** Checks active leases on a heartbeat: moves idle credit, returns changed usage, and evicts quiet organizations. */
  maintain(
    moment: Moment,
    move: (organization: OrganizationLease, allowance: AllowanceLease) => void,
  ): readonly LeaseUse[] {
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
  move: (organization: OrganizationLease, allowance: AllowanceLease) => void,
): void {
  organization.touched = organization.touched.filter((lease) => {
    if (lease.needsMoving(nowMs, wallMs, liveNodes)) move(organization, lease);
    if (lease.idle !== 0n || lease.isNeedy || lease.isUnresolved) return true;
    if (lease.hasEnded(wallMs) && lease.openCalls === 0 && !isBusy(organization)) {
      if (lease.allowance.kind === "budget") organization.forgetBudget(lease, lease.allowance.window);
    } else if (!lease.isQuiet(nowMs)) {
      return true;
    }
    lease.isTouched = false;
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

/** Reports whether the organization has a request that must be sent, is in flight, or has an unknown outcome. */
function isBusy(organization: OrganizationLease): boolean {
  return (
    organization.need !== "none" ||
    organization.isAsking ||
    organization.isUnresolved ||
    organization.stillWaiting().length > 0
  );
}
