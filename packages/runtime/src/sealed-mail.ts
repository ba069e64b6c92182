import type { SecretBox } from "./secret-box.ts";

/** Every mail there is. A worker has the words of each. */
export type MailTemplate =
  | "verify_email"
  | "account_exists"
  | "reset_password"
  | "password_changed"
  | "invitation"
  | "member_added"
  | "low_balance"
  | "webhook_disabled"
  | "reconciliation_failed";

/** A mail that waits to be sent: one of the fixed texts, and what stands in its places. */
export interface Mail {
  /** Null: to nobody. Whoever must not be told whether an address is known leaves the same work behind either way. */
  readonly to: string | null;
  readonly template: MailTemplate;
  readonly data: {
    readonly link?: string;
    readonly organizationName?: string;
    readonly teamName?: string;
    readonly inviterName?: string;
    readonly balance?: string;
    readonly threshold?: string;
    readonly webhookId?: string;
    readonly outcome?: string;
    readonly tries?: string;
  };
}

const PURPOSE = "mail";

/** The mail as a job holds it: sealed, because addresses lie there until it is sent and links are as good as a password. */
export function sealMail(secrets: SecretBox, mail: Mail): { readonly sealed: string } {
  return { sealed: secrets.seal(JSON.stringify(mail), PURPOSE) };
}

/** The mail of a job, or null when it cannot be read, as after its secret key is gone. */
export function openMail(secrets: SecretBox, payload: unknown): Mail | null {
  try {
    return JSON.parse(secrets.open((payload as { sealed: string }).sealed, PURPOSE)) as Mail;
  } catch {
    return null;
  }
}
