import type { AddressInfo } from "node:net";
import { Secret } from "@tollgate/domain/secret.ts";
import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { SMTPServer } from "smtp-server";
import { expect, onTestFinished } from "vitest";
import { openJobs } from "./jobs.fixture.ts";

interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
}

/** Starts a mail server on a real socket. `refuse` is the reply code for recipients; null accepts them. */
async function startMailServer(): Promise<{ url: string; mails: ReceivedMail[]; reply: { refuse: number | null } }> {
  const mails: ReceivedMail[] = [];
  const reply: { refuse: number | null } = { refuse: null };
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    authOptional: true,
    onAuth: (auth, _session, done) =>
      auth.username === "gate" && auth.password === "s3cret"
        ? done(null, { user: "gate" })
        : done(new Error("who are you?")),
    onRcptTo: (address, _session, done) =>
      reply.refuse === null
        ? done()
        : done(Object.assign(new Error(`no such user ${address.address}`), { responseCode: reply.refuse })),
    onData: (stream, { envelope }, done) => {
      stream.toArray().then((parts) => {
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        const text = Buffer.concat(parts as Buffer[]).toString();
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), text });
        done();
      }, done);
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return { url: `smtp://gate:s3cret@127.0.0.1:${port}`, mails, reply };
}

const mailSettings = (url: string) => ({
  publicUrl: "https://gw.example.com",
  mail: { ...defaultPlatformSettings.mail, url: new Secret(url), from: "Gate <gate@example.com>" },
});

const enqueue = (sealed: string) =>
  `select graphile_worker.add_job('send_mail', '${JSON.stringify({ sealed })}'::json)`;

const invitation = {
  to: "bob@example.org",
  template: "invitation",
  data: {
    inviterName: "Ada",
    organizationName: "Acme",
    teamName: "Research",
    link: "https://gw.example.com/ui/invitations#token=abc",
  },
};

test("decrypts and sends an email, and skips an email without a recipient", async ({ database }) => {
  const server = await startMailServer();
  const jobs = openJobs(database, mailSettings(server.url));
  const worker = jobs.start();
  onTestFinished(() => worker.stop());
  await jobs.ask(enqueue(jobs.secrets.seal(JSON.stringify({ ...invitation, to: null }), "mail")));
  await jobs.ask(enqueue(jobs.secrets.seal(JSON.stringify(invitation), "mail")));
  await waitFor("the mail", () => server.mails.length > 0);
  await jobs.allDone();
  expect(server.mails).toEqual([{ from: "gate@example.com", to: ["bob@example.org"], text: expect.any(String) }]);
  const text = (server.mails[0]?.text ?? "").replaceAll("=\r\n", "");
  expect(text).toContain("Subject: You have been invited");
  expect(text).toContain("Ada invited you to Acme");
  expect(text).toContain("https://gw.example.com/ui/invitations#token=");
});

test("an email address with a comma is treated as a single address", async ({ database }) => {
  const server = await startMailServer();
  const jobs = openJobs(database, mailSettings(server.url));
  const worker = jobs.start();
  onTestFinished(() => worker.stop());
  const to = "ada,bob@example.org";
  await jobs.ask(enqueue(jobs.secrets.seal(JSON.stringify({ ...invitation, to }), "mail")));
  await jobs.allDone();
  expect(server.mails.map((mail) => mail.to)).toEqual([['"ada,bob"@example.org']]);
});

test("retries when the mail server is busy, and the queue never contains the recipient's address", async ({
  database,
}) => {
  const server = await startMailServer();
  server.reply.refuse = 451;
  const jobs = openJobs(database, mailSettings(server.url));
  const worker = jobs.start();
  onTestFinished(() => worker.stop());
  await jobs.ask(enqueue(jobs.secrets.seal(JSON.stringify(invitation), "mail")));
  const job = await waitFor("a failed try", async () => {
    const [row] = await jobs.ask<{ last_error: string; row: string }>(
      "select last_error, to_jsonb(j)::text as row from graphile_worker.jobs j where last_error is not null",
    );
    return row;
  });
  expect(job.last_error).toContain("451");
  expect(job.row).not.toContain("bob@example.org");
  expect(jobs.errors.join()).not.toContain("bob@example.org");
  server.reply.refuse = null;
  await jobs.hurry();
  await waitFor("the mail", () => server.mails.length === 1);
});

test("does not retry an email that is permanently rejected or cannot be decrypted", async ({ database }) => {
  const server = await startMailServer();
  server.reply.refuse = 550;
  const jobs = openJobs(database, mailSettings(server.url));
  const worker = jobs.start();
  onTestFinished(() => worker.stop());
  await jobs.ask(enqueue(jobs.secrets.seal(JSON.stringify(invitation), "mail")));
  await jobs.ask(enqueue(jobs.secrets.seal(JSON.stringify(invitation), "another purpose")));
  await jobs.allDone();
  expect(server.mails).toEqual([]);
  expect(jobs.errors).toEqual([expect.stringContaining("could not be decrypted")]);
});

test("emails the owner when the balance is low", async ({ database }) => {
  const server = await startMailServer();
  const jobs = openJobs(database, mailSettings(server.url));
  const worker = jobs.start();
  onTestFinished(() => worker.stop());
  const ada = await jobs.addOwner();
  await jobs.addEvent(ada, "balance.low", { balance: "4999999999", threshold: "5000000000" });
  await waitFor("the mail", () => server.mails.length > 0);
  await jobs.allDone();
  expect(server.mails).toEqual([{ from: "gate@example.com", to: [ada.email], text: expect.any(String) }]);
  expect(server.mails[0]?.text.replaceAll("=\r\n", "")).toContain(
    "credit balance of Acme is 4.99 USD, below your alert threshold of 5.00 USD",
  );
});
