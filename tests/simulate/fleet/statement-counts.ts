/** Statements that the database was sent, by what they are for. */
export class StatementCounts {
  leases = 0;
  leasedOrganizations = 0;
  settles = 0;
  settledEvents = 0;
  confirms = 0;
  heartbeats = 0;
  keys = 0;
  recalls = 0;
  calls = 0;
  callsThatWaited = 0;

  /** Forgets what was counted, when the part of a run that counts begins. */
  reset(): void {
    Object.assign(this, new StatementCounts());
  }
}
