import { enqueueJob } from "@tollgate/db/jobs.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { type Mail, sealMail } from "@tollgate/runtime/sealed-mail.ts";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import type { Services } from "./services.ts";

/** Leaves a mail for a worker. False when this installation sends no mail. */
export async function sendMail(transaction: TenantTransaction, services: Services, mail: Mail): Promise<boolean> {
  if (services.settings().mail.url === null) return false;
  await enqueueJob(transaction, "send_mail", sealMail(services.secrets, mail));
  return true;
}

/** A link into the console. What it proves is behind the `#`, which no server and no other site gets to see. */
export function makeLink(settings: Pick<PlatformSettings, "publicUrl">, page: string, token: string): string {
  return `${settings.publicUrl ?? ""}/${page}#token=${token}`;
}
