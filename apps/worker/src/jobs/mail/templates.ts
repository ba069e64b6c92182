import type { MailTemplate } from "@tollgate/runtime/sealed-mail.ts";

/** An email template. Placeholders in braces are filled only with stored values. */
interface Template {
  readonly subject: string;
  readonly text: string;
}

const ignore = "If you did not request this, you can ignore this email.";

const templates: Readonly<Record<MailTemplate, Template>> = {
  verify_email: {
    subject: "Verify your email address",
    text: `Open this link to verify your email address and finish signing up:\n\n{link}\n\n${ignore}`,
  },
  account_exists: {
    subject: "You already have an account",
    text: `Someone tried to sign up with your email address, but you already have an account. Sign in with your password, or reset it if you have forgotten it.\n\n${ignore}`,
  },
  reset_password: {
    subject: "Reset your password",
    text: `Open this link within one hour to choose a new password. It works only once:\n\n{link}\n\n${ignore}`,
  },
  password_changed: {
    subject: "Your password was changed",
    text: "Your password was changed and all other sessions were ended.\n\nIf you did not do this, reset your password now and contact your administrator.",
  },
  invitation: {
    subject: "You have been invited",
    text: `{inviterName} invited you to {organizationName} (team: {teamName}). Open this link within seven days to accept:\n\n{link}\n\nIf you do not know the sender, you can ignore this email.`,
  },
  member_added: {
    subject: "You were added to a team",
    text: "{inviterName} added you to the team {teamName} in {organizationName}.",
  },
  low_balance: {
    subject: "Your credit is running low",
    text: "The credit balance of {organizationName} is {balance}, below your alert threshold of {threshold}. If it falls below zero, its teams are blocked until you buy credit.",
  },
  webhook_disabled: {
    subject: "A webhook was disabled",
    text: "The webhook {webhookId} of {organizationName} was disabled because {tries} delivery attempts over two days failed. Last result: {outcome}. When the receiver works again, delete the webhook and create a new one.",
  },
  reconciliation_failed: {
    subject: "Ledger verification failed",
    text: "The ledger verification found differences. No changes were made. To see the report, use GET /api/admin/reconciliation. To verify again, run `tollgate ledger verify`.",
  },
};

const MAX_NAME = 100;
const NOTHING = "-";

/**
 * Returns the email with its placeholders filled, with a dash for each missing value. Returns null if this release has
 * no such template.
 */
export function writeMail(template: string, data: Readonly<Record<string, unknown>>): Template | null {
  if (!Object.hasOwn(templates, template)) return null;
  const { subject, text } = templates[template as MailTemplate];
  const filled = text.replaceAll(/\{(\w+)\}/g, (_, place: string) => {
    const value = data[place];
    if (typeof value !== "string" || value === "") return NOTHING;
    return place === "link" ? asLink(value) : asName(value);
  });
  return { subject, text: `${filled}\n` };
}

/**
 * Sanitizes a user-chosen name. The result is a single line without any URL that a reader could mistake for one of
 * ours.
 */
function asName(value: string): string {
  const line = value
    .slice(0, MAX_NAME)
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  return line.replaceAll(/\S*(?::\/\/|\bwww\.|@)\S*/gi, "…");
}

function asLink(value: string): string {
  return /^https?:\/\/[\x21-\x7e]+$/.test(value) ? value : NOTHING;
}
