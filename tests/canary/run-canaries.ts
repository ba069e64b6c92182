import type { Report } from "@tollgate/testkit/report.ts";
import { type ContactsSummary, runContacts } from "./contacts/run-contacts.ts";
import { runSecrets, type SecretsSummary } from "./secrets/run-secrets.ts";

export interface CanarySummary {
  readonly contacts: ContactsSummary;
  readonly secrets: SecretsSummary;
}

/** Tests lures in every field of every operation, then secrets in every field that accepts one. */
export async function runCanaries(report: Report, isQuick: boolean): Promise<CanarySummary> {
  const contacts = await runContacts(report, isQuick);
  const secrets = await runSecrets(report);
  return { contacts, secrets };
}
