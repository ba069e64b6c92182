import { Type } from "typebox";
import { choice, count, flag, list, optional, secret, text, usd } from "./fields.ts";

const origin = (description: string) => Type.String({ pattern: "^https?://[^/?#@\\s]+/?$", description });

export const PlatformSection = Type.Object(
  {
    publicUrl: optional(origin("Where people reach this installation, such as https://gw.example.com")),
    allowedOrigins: list("Origins that payments may return to, besides publicUrl", origin("An origin")),
    outboundAllow: list(
      "Private and loopback targets that webhooks and providers managed in the console may call",
      text("A host (hooks.internal), a host and port (localhost:9000), an IP address, or a range (10.2.0.0/16)"),
    ),
  },
  { description: "The management interface", default: {} },
);

export const SignUpSection = Type.Object(
  {
    mode: choice("Who may make an account", ["open", "invite", "closed"], "open"),
    verifyEmail: flag("No token before the address of mail was verified", false),
    trustAddresses: flag("Believe unverified addresses of mail, where there are no strangers", false),
    defaultTeam: flag("A new organization begins with a team", true),
    grant: usd("Credit that a new organization begins with"),
    bootstrapSecret: optional(secret("Makes the first account of an empty installation its administrator")),
  },
  { description: "Making accounts", default: {} },
);

const DAY_SECONDS = 86_400;

export const AuthSection = Type.Object(
  {
    tokenTtl: count("Seconds a token of the management interface lives", {
      default: DAY_SECONDS,
      minimum: 300,
      maximum: 7 * DAY_SECONDS,
    }),
    passwordMinLength: count("Fewest characters of a password", { default: 10, minimum: 8, maximum: 64 }),
    adminTotp: choice(
      "Whether administrators need one-time codes for money, prices and roles",
      ["required", "optional"],
      "required",
    ),
  },
  { description: "Signing in", default: {} },
);

export const MailSection = Type.Object(
  {
    url: optional(secret("The server that takes mail: smtp://user:password@host:port or smtps://…")),
    from: text("The sender of mail", "Tollgate <no-reply@localhost>"),
  },
  { description: "Mail to people", default: {} },
);

/** What the `billing` section says besides how calls are charged. */
export const paymentFields = {
  stripe: Type.Object(
    {
      secretKey: optional(secret("Key of the payment provider's interface")),
      webhookSecrets: list("Secrets its webhooks are signed with; two during a rotation", secret("A secret")),
      apiBase: optional(origin("Another address of its interface, for tests")),
    },
    { description: "Payments through Stripe", default: {} },
  ),
  minPurchase: usd("Smallest purchase of credit; 5 when nothing is said"),
  maxPurchase: usd("Largest purchase of credit; 10000 when nothing is said"),
} as const;

export const UsageSection = Type.Object(
  {
    retentionDays: count("Days the rows of single calls are kept", { default: 400, minimum: 1, maximum: 3650 }),
  },
  { description: "What is kept of calls", default: {} },
);

const MANY = 1_000_000;
const atMost = (description: string, defaultValue: number) =>
  count(description, { default: defaultValue, minimum: 1, maximum: MANY });

export const LimitsSection = Type.Object(
  {
    callsPerMinute: atMost("Management calls of one person in a minute", 300),
    openCallsPerMinute: atMost("Calls without a token from one address in a minute", 60),
    signUpsPerHour: atMost("Sign-ups from one address in an hour", 5),
    loginsPerMinute: atMost("Logins from one address in a minute", 20),
    resetsPerHour: atMost("Password resets from one address in an hour", 5),
    invitationsPerDay: atMost("Invitations by one organization in a day", 50),
    pendingInvitations: atMost("Invitations of one organization that wait", 200),
    keysPerTeam: atMost("Live keys of one team", 200),
    teamsPerOrganization: atMost("Teams of one organization", 100),
    organizationsPerOwner: atMost("Organizations of one owner", 20),
    creditsPerDay: usd(
      "Credit that one administrator may give and take by hand in 24 hours; 100000000 when nothing is said",
    ),
  },
  { description: "Limits of the management interface", default: {} },
);
