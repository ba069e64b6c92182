import { enqueueJob } from "@tollgate/db/jobs.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { type Mail, sealMail } from "@tollgate/runtime/sealed-mail.ts";
import type { JobContext } from "../job-context.ts";

/** Enqueues an email. Does nothing if no mail server is configured. */
export async function enqueueMail(
  { secrets, settings }: Pick<JobContext, "secrets" | "settings">,
  transaction: TenantTransaction,
  mail: Mail,
): Promise<void> {
  if (settings().mail.url === null) return;
  await enqueueJob(transaction, "send_mail", sealMail(secrets, mail));
}
