import { expect, test } from "vitest";
import { loadText } from "./load-for-test.ts";

test.each([
  ["mail", "mail: {url: smtp://mail.example.org}", "email"],
  ["signUp.trustAddresses", "signUp: {trustAddresses: true}", "signUp.trustUnverifiedEmails"],
  ["limits.callsPerMinute", "limits: {callsPerMinute: 7}", "limits.requestsPerMinute"],
  ["limits.openCallsPerMinute", "limits: {openCallsPerMinute: 7}", "limits.unauthenticatedRequestsPerMinute"],
  [
    "general_settings.max_connections_per_address",
    "general_settings: {max_connections_per_address: 7}",
    "general_settings.max_connections_per_ip",
  ],
])("a file with the renamed setting %s is rejected, and the error gives the new name", (path, text, newName) => {
  const loaded = loadText(text);
  const problem = {
    path,
    message: expect.stringContaining("unknown setting"),
    suggestion: `it was renamed to ${newName}`,
  };
  expect(loaded.kind === "refused" && loaded.problems).toEqual([expect.objectContaining(problem)]);
});
