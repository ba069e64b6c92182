import { Failure } from "@tollgate/contracts/failures.ts";
import { CreatedWebhook, NewWebhook } from "@tollgate/contracts/management/webhook.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { insertWebhook } from "@tollgate/db/webhooks/manage-webhooks.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { makeWebhookSecret } from "@tollgate/domain/webhooks/sign-webhook.ts";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { checkTarget, readTarget } from "../outbound-target.ts";
import { checkRole } from "./check-role.ts";

const WEBHOOKS_PER_ORGANIZATION = 10;

export const createWebhook = operation({
  ...write,
  id: "createWebhook",
  summary: "Create a webhook for organization events. Its signing secret is returned only once",
  tag: "webhooks",
  path: "/api/webhooks",
  auth: "user",
  scope: "organization",
  body: NewWebhook,
  answers: { 201: { description: "The webhook with its secret", schema: CreatedWebhook } },
  before: async ({ caller, body }, services) => {
    checkRole(caller);
    await checkTarget(targetOf(body), services);
  },
  handle: async (input, transaction, services) => {
    const { organization, userId } = input.caller;
    const createdAt = services.now();
    const id = makePrefixedId("whk", createdAt.getTime());
    const secret = makeWebhookSecret();
    const events = [...new Set(input.body.events)];
    const outcome = await insertWebhook(
      transaction,
      {
        id,
        organizationId: organization.id,
        url: readTarget(targetOf(input.body), services).href,
        events,
        secret: services.secrets.seal(secret, `webhook:${id}`),
        createdBy: userId,
        createdAt,
      },
      WEBHOOKS_PER_ORGANIZATION,
    );
    if (outcome.kind === "limit_reached") {
      throw new Failure(
        "LIMIT_REACHED",
        `The organization has reached its limit of ${WEBHOOKS_PER_ORGANIZATION} webhooks. Delete one first.`,
      );
    }
    const { webhook } = outcome;
    await writeAudit(transaction, {
      organizationId: organization.id,
      actor: actorOf(input),
      action: "org.webhook_created",
      target: { type: "webhook", id },
      after: { host: new URL(webhook.url).host, events },
    });
    return {
      status: 201,
      body: { webhook: { ...webhook, secret } },
      replayBody: { webhook: { ...webhook, secret: null } },
    };
  },
});

const targetOf = ({ url }: { readonly url: string }) => ({ field: "url", text: url, allowsQuery: true });
