import type { Report } from "../conformance/report.ts";
import { type ContactsSummary, runContacts } from "./contacts/run-contacts.ts";
import { runSecrets, type SecretsSummary } from "./secrets/run-secrets.ts";

export interface CanarySummary {
  readonly contacts: ContactsSummary;
  readonly secrets: SecretsSummary;
}

/** Lures in every field of every operation, then secrets in every place that takes one. */
export async function runCanaries(report: Report, isQuick: boolean): Promise<CanarySummary> {
  const contacts = await runContacts(report, isQuick);
  const secrets = await runSecrets(report);
  return { contacts, secrets };
}
