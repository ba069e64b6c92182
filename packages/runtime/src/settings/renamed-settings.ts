/** New names of settings that were renamed before the first release, by the full path of the old name. */
const renamedSettings: ReadonlyMap<string, string> = new Map([
  ["mail", "email"],
  ["signUp.trustAddresses", "signUp.trustUnverifiedEmails"],
  ["limits.callsPerMinute", "limits.requestsPerMinute"],
  ["limits.openCallsPerMinute", "limits.unauthenticatedRequestsPerMinute"],
  ["general_settings.max_connections_per_address", "general_settings.max_connections_per_ip"],
]);

/** Returns the new path of a renamed setting, or null if no setting had this path. */
export function findNewName(path: string): string | null {
  return renamedSettings.get(path) ?? null;
}
