import { openMail } from "@tollgate/runtime/sealed-mail.ts";
import { createTransport } from "nodemailer";
import type { JobContext } from "./job-context.ts";
import { writeMail } from "./mail/templates.ts";

const SMTP_LIMIT_MS = 10_000;
const FIRST_PERMANENT_REPLY = 500;

/** Sends one mail. A server that is away is asked again later; one that will never take the mail is not. */
export async function sendMail({ settings, secrets, logger }: JobContext, payload: unknown): Promise<void> {
  const { url, from } = settings().mail;
  const mail = openMail(secrets, payload);
  const written = mail === null ? null : writeMail(mail.template, mail.data);
  if (mail === null || written === null) {
    logger.error("a mail in the queue cannot be read and is dropped: the secret key it was sealed with may be gone");
    return;
  }
  if (mail.to === null) return;
  if (url === null) {
    logger.warn("a mail is dropped: no mail server is configured (mail.url)");
    return;
  }
  const transport = createTransport({
    url: url.reveal(),
    connectionTimeout: SMTP_LIMIT_MS,
    greetingTimeout: SMTP_LIMIT_MS,
    socketTimeout: SMTP_LIMIT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    // As an object the address is one address, whatever characters are in it.
    await transport.sendMail({ from, to: { name: "", address: mail.to }, ...written });
  } catch (error) {
    const { code, responseCode = 0 } = error as { code?: string; responseCode?: number };
    if (responseCode < FIRST_PERMANENT_REPLY) {
      // Without its text, which names the recipient: the queue keeps what is thrown.
      throw new Error(`the mail server did not take a mail (${responseCode === 0 ? code : responseCode})`);
    }
    logger.warn("the mail server refused a mail for good", { code: responseCode });
  } finally {
    transport.close();
  }
}
