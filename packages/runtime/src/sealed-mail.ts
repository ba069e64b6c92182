import type { SecretBox } from "./secret-box.ts";

/** All email templates. The worker contains their text. */
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

/** An email to send: a template and its values. */
export interface Mail {
  /** If null, no email is sent, so that a request creates the same job whether or not an email address is known. */
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

/** Encrypts an email for its job, because the email contains email addresses and links that work like passwords. */
export function sealMail(secrets: SecretBox, mail: Mail): { readonly sealed: string } {
  return { sealed: secrets.seal(JSON.stringify(mail), PURPOSE) };
}

/** Decrypts a job's email. Returns null if decryption fails, for example because the secret key was removed. */
export function openMail(secrets: SecretBox, payload: unknown): Mail | null {
  try {
    return JSON.parse(secrets.open((payload as { sealed: string }).sealed, PURPOSE)) as Mail;
  } catch {
    return null;
  }
}
