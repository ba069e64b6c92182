import { enqueueJob } from "@tollgate/db/jobs.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import type { Services } from "./services.ts";

/** A mail to be written by a worker, which has the words of every template. */
export interface Mail {
  /** Null: to nobody. Whoever must not be told whether an address is known leaves the same work behind either way. */
  readonly to: string | null;
  readonly template:
    | "verify_email"
    | "account_exists"
    | "reset_password"
    | "password_changed"
    | "invitation"
    | "member_added";
  readonly data: {
    readonly link?: string;
    readonly organizationName?: string;
    readonly teamName?: string;
    readonly inviterName?: string;
    readonly name?: string;
  };
}

/**
 * Leaves a mail for a worker, sealed, because links in it are as good as a password. False when this installation sends
 * no mail.
 */
export async function sendMail(transaction: TenantTransaction, services: Services, mail: Mail): Promise<boolean> {
  if (services.settings().mail.url === null) return false;
  await enqueueJob(transaction, "send_mail", { sealed: services.secrets.seal(JSON.stringify(mail), "mail") });
  return true;
}

/** A link into the console. What it proves is behind the `#`, which no server and no other site gets to see. */
export function makeLink(settings: PlatformSettings, page: string, token: string): string {
  return `${settings.publicUrl ?? ""}/${page}#token=${token}`;
}
