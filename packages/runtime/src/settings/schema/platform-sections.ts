import { Type } from "typebox";
import { choice, count, flag, list, optional, secret, text, usd } from "./fields.ts";

const origin = (description: string) => Type.String({ pattern: "^https?://[^/?#@\\s]+/?$", description });

export const PlatformSection = Type.Object(
  {
    publicUrl: optional(origin("Public URL of this server, such as https://gw.example.com")),
    allowedOrigins: list("Origins that payments can return to, in addition to publicUrl", origin("An origin")),
    outboundAllow: list(
      "Private and loopback targets allowed for webhooks and for providers managed in the console",
      text("A host (hooks.internal), a host and port (localhost:9000), an IP address, or a range (10.2.0.0/16)"),
    ),
  },
  { description: "Management API", default: {} },
);

export const SignUpSection = Type.Object(
  {
    mode: choice("Who can create an account", ["open", "invite", "closed"], "open"),
    verifyEmail: flag("Require a verified email address before sign-in", false),
    trustUnverifiedEmails: flag("Trust unverified email addresses (only if all users are trusted)", false),
    defaultTeam: flag("Create a team in each new organization", true),
    grant: usd("Initial credit for a new organization"),
    bootstrapSecret: optional(secret("Secret that lets the first account sign up as an administrator")),
  },
  { description: "Account creation", default: {} },
);

const DAY_SECONDS = 86_400;

export const AuthSection = Type.Object(
  {
    tokenTtl: count("Lifetime of a management API token, in seconds", {
      default: DAY_SECONDS,
      minimum: 300,
      maximum: 7 * DAY_SECONDS,
    }),
    passwordMinLength: count("Min password length", { default: 10, minimum: 8, maximum: 64 }),
    adminTotp: choice(
      "Require one-time codes for administrator actions that affect money, prices, or roles",
      ["required", "optional"],
      "required",
    ),
  },
  { description: "Sign-in", default: {} },
);

export const EmailSection = Type.Object(
  {
    url: optional(secret("SMTP server: smtp://user:password@host:port or smtps://…")),
    from: text("Sender email address", "Tollgate <no-reply@localhost>"),
  },
  { description: "Outgoing email", default: {} },
);

/** Fields of the `billing` section that don't affect how calls are charged. */
export const paymentFields = {
  stripe: Type.Object(
    {
      secretKey: optional(secret("Stripe secret key")),
      webhookSecrets: list("Webhook signing secrets (two during a rotation)", secret("A secret")),
      apiBase: optional(origin("Alternative Stripe API URL, for tests")),
    },
    { description: "Stripe payments", default: {} },
  ),
  minPurchase: usd("Min credit purchase (default 5)"),
  maxPurchase: usd("Max credit purchase (default 10000)"),
} as const;

export const UsageSection = Type.Object(
  {
    retentionDays: count("Request log retention, in days", { default: 400, minimum: 1, maximum: 3650 }),
  },
  { description: "Log retention", default: {} },
);

export const CheckpointsSection = Type.Object(
  {
    signingKey: optional(
      secret(
        "Ed25519 private key that signs checkpoints of the ledger, in PEM or base64 (DER, PKCS 8). Keep it outside of the database",
      ),
    ),
    folder: optional(text("Folder to write checkpoints to, shared by all workers")),
    webhookUrl: optional(text("URL to post checkpoints to")),
    webhookSecret: optional(secret("Secret that signs the posts to webhookUrl")),
  },
  { description: "Signed checkpoints of the ledger", default: {} },
);

const MANY = 1_000_000;
const atMost = (description: string, defaultValue: number) =>
  count(description, { default: defaultValue, minimum: 1, maximum: MANY });

export const LimitsSection = Type.Object(
  {
    requestsPerMinute: atMost("Management API requests per minute for one user", 300),
    unauthenticatedRequestsPerMinute: atMost("Unauthenticated requests per minute from one IP address", 60),
    signUpsPerHour: atMost("Sign-ups per hour from one IP address", 5),
    loginsPerMinute: atMost("Logins per minute from one IP address", 20),
    resetsPerHour: atMost("Password resets per hour from one IP address", 5),
    invitationsPerDay: atMost("Invitations per day for one organization", 50),
    pendingInvitations: atMost("Pending invitations per organization", 200),
    keysPerTeam: atMost("Active keys per team", 200),
    teamsPerOrganization: atMost("Teams per organization", 100),
    organizationsPerOwner: atMost("Organizations per owner", 20),
    creditsPerDay: usd(
      "Max credit that one administrator can grant or deduct manually in 24 hours (default 100000000)",
    ),
  },
  { description: "Management API limits", default: {} },
);
