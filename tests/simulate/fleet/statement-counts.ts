/** Number of statements sent to the database, by purpose. */
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

  /** Resets the counts when the measured part of a run starts. */
  reset(): void {
    Object.assign(this, new StatementCounts());
  }
}
