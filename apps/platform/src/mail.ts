import { enqueueJob } from "@tollgate/db/jobs.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { type Mail, sealMail } from "@tollgate/runtime/sealed-mail.ts";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import type { Services } from "./services.ts";

/** Queues an email for a worker. Returns false if email is not configured. */
export async function sendMail(transaction: TenantTransaction, services: Services, mail: Mail): Promise<boolean> {
  if (services.settings().mail.url === null) return false;
  await enqueueJob(transaction, "send_mail", sealMail(services.secrets, mail));
  return true;
}

/** Returns a console link. The token is in the fragment, which isn't sent to servers or other sites. */
export function makeLink(settings: Pick<PlatformSettings, "publicUrl">, page: string, token: string): string {
  return `${settings.publicUrl ?? ""}/${page}#token=${token}`;
}
