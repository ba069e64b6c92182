import type { MailTemplate } from "@tollgate/runtime/sealed-mail.ts";

/** What a mail says. Places in braces are filled with what was stored, and with nothing else. */
interface Template {
  readonly subject: string;
  readonly text: string;
}

const ignore = "If this was not you, you need not do anything.";

const templates: Readonly<Record<MailTemplate, Template>> = {
  verify_email: {
    subject: "Verify your email address",
    text: `Open this address to verify your email address and finish signing up:\n\n{link}\n\n${ignore}`,
  },
  account_exists: {
    subject: "You have an account already",
    text: `Somebody tried to sign up with your email address, which has an account already. To sign in, use your password; if you have forgotten it, ask for a new one.\n\n${ignore}`,
  },
  reset_password: {
    subject: "Reset your password",
    text: `Open this address within an hour to choose a new password. It works once:\n\n{link}\n\n${ignore}`,
  },
  password_changed: {
    subject: "Your password was changed",
    text: "The password of your account was changed, and all other sessions were ended.\n\nIf this was not you, reset your password now and tell your administrator.",
  },
  invitation: {
    subject: "You are invited",
    text: `{inviterName} invites you to {organizationName} (team: {teamName}). Open this address within seven days to accept:\n\n{link}\n\nIf you do not know them, you need not do anything.`,
  },
  member_added: {
    subject: "You were added to a team",
    text: "{inviterName} added you to the team {teamName} of {organizationName}.",
  },
  low_balance: {
    subject: "Your credit is running low",
    text: "The credit of {organizationName} is {balance}, below the {threshold} at which you asked to be told. At less than zero its teams are blocked until credit is bought.",
  },
  webhook_disabled: {
    subject: "A webhook was disabled",
    text: "A webhook of {organizationName} ({webhookId}) did not take a message in {tries} tries over two days, so it was disabled. The last outcome was: {outcome}. When the receiver works again, delete the webhook and create a new one.",
  },
  reconciliation_failed: {
    subject: "The books are not what they promise",
    text: "A proof of the books found differences. Nothing was changed. GET /api/admin/reconciliation shows the report; `tollgate ledger verify` repeats the proof.",
  },
};

const LONGEST_NAME = 100;
const NOTHING = "-";

/** The mail with its places filled, a dash where there is no value; null for a template that this release does not know. */
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

/** Names are chosen by people: one line, no address in it that a reader could take for ours. */
function asName(value: string): string {
  const line = value
    .slice(0, LONGEST_NAME)
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  return line.replaceAll(/\S*(?::\/\/|\bwww\.|@)\S*/gi, "…");
}

function asLink(value: string): string {
  return /^https?:\/\/[\x21-\x7e]+$/.test(value) ? value : NOTHING;
}
