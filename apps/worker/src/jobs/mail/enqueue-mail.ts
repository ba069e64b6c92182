import { enqueueJob } from "@tollgate/db/jobs.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { JobContext } from "../job-context.ts";

/** A mail that waits to be sent: one of the fixed texts, and what stands in its places. */
export interface Mail {
  /** Null: to nobody. Who must not learn whether an address is known leaves the same work behind either way. */
  readonly to: string | null;
  readonly template: string;
  readonly data: Readonly<Record<string, string>>;
}

/** What sealed mail is bound to. Whoever leaves mail in the queue uses the same word. */
export const MAIL_PURPOSE = "mail";

/** Leaves a mail in the queue, sealed: addresses and links lie there until it is sent. Without a mail server none is left. */
export async function enqueueMail(
  { secrets, settings }: Pick<JobContext, "secrets" | "settings">,
  transaction: TenantTransaction,
  mail: Mail,
): Promise<void> {
  if (settings().mail.url === null) return;
  await enqueueJob(transaction, "send_mail", { sealed: secrets.seal(JSON.stringify(mail), MAIL_PURPOSE) });
}
