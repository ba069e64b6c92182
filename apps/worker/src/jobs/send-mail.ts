import { openMail } from "@tollgate/runtime/sealed-mail.ts";
import type { JobContext } from "./job-context.ts";
import { writeMail } from "./mail/templates.ts";

const SMTP_LIMIT_MS = 10_000;
const FIRST_PERMANENT_REPLY = 500;

/** Sends one email. Retries if the mail server is unavailable, but not after a permanent rejection. */
export async function sendMail({ settings, secrets, logger }: JobContext, payload: unknown): Promise<void> {
  const { url, from } = settings().mail;
  const mail = openMail(secrets, payload);
  const written = mail === null ? null : writeMail(mail.template, mail.data);
  if (mail === null || written === null) {
    logger.error("dropped a queued email that could not be decrypted; its secret key may be missing");
    return;
  }
  if (mail.to === null) return;
  if (url === null) {
    logger.warn("dropped an email because no mail server is configured (email.url)");
    return;
  }
  // Loaded with the first email, because many servers send none.
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    url: url.reveal(),
    connectionTimeout: SMTP_LIMIT_MS,
    greetingTimeout: SMTP_LIMIT_MS,
    socketTimeout: SMTP_LIMIT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    // The recipient is passed as an object, because an object is always read as a single address, even if it contains a
    // comma.
    await transport.sendMail({ from, to: { name: "", address: mail.to }, ...written });
  } catch (error) {
    const { code, responseCode = 0 } = error as { code?: string; responseCode?: number };
    if (responseCode < FIRST_PERMANENT_REPLY) {
      // The error's text is omitted, because it names the recipient and the queue stores thrown errors.
      throw new Error(`the mail server did not accept an email (${responseCode === 0 ? code : responseCode})`);
    }
    logger.warn("the mail server rejected an email permanently", { code: responseCode });
  } finally {
    transport.close();
  }
}
