/** The made-up customer of the demo. Days count back from the start of the demo: day 30 is the oldest. */
export const DEMO_DAYS = 30;

/** Number of requests in the demo's month. */
export const DEMO_REQUESTS = 6_400;

export const DEMO_ORGANIZATION = "Acme";

export interface DemoMember {
  readonly name: string;
  readonly email: string;
  readonly role: "admin" | "member";
  /** Names of the member's teams. The first member of a team administers it. */
  readonly teams: readonly string[];
  readonly joinedOnDay: number;
}

export interface DemoTeam {
  readonly name: string;
  readonly createdOnDay: number;
  /** Monthly budget in whole cents; null for none. */
  readonly budgetCents: number | null;
}

export interface DemoKey {
  readonly name: string;
  readonly team: string;
  /** Email address of the member who created the key. */
  readonly creator: string;
  readonly createdOnDay: number;
  /** Relative number of requests. */
  readonly traffic: number;
  /** Relative number of requests to each model, by name. */
  readonly models: Readonly<Record<string, number>>;
  readonly streamShare: number;
  /** True if the key has a budget that is used up. */
  readonly isCapped?: boolean;
  readonly requestsPerMinute?: number;
  /** End users that the key's program names in its requests. */
  readonly endUsers?: number;
  /** How the names of the sessions of the key's agent begin. */
  readonly sessions?: string;
}

export const DEMO_TEAMS: readonly DemoTeam[] = [
  { name: "Checkout", createdOnDay: 30, budgetCents: null },
  { name: "Support", createdOnDay: 30, budgetCents: 4_000 },
  { name: "Search", createdOnDay: 29, budgetCents: null },
  { name: "Data Science", createdOnDay: 29, budgetCents: 2_500 },
  { name: "Mobile", createdOnDay: 24, budgetCents: null },
  { name: "Internal Tools", createdOnDay: 19, budgetCents: null },
];

export const DEMO_MEMBERS: readonly DemoMember[] = [
  member("Mara Lindqvist", "admin", ["Checkout", "Support"], 30),
  member("Theo Brandt", "member", ["Support"], 30),
  member("Priya Nair", "member", ["Search", "Data Science"], 29),
  member("Jonas Okafor", "member", ["Data Science"], 27),
  member("Elena Rossi", "member", ["Mobile"], 24),
  member("Sam Whitfield", "member", ["Internal Tools", "Checkout"], 19),
  member("Aiko Tanaka", "member", ["Mobile", "Search"], 16),
  member("Luis Ortega", "member", ["Internal Tools"], 11),
];

const mara = emailOf("Mara Lindqvist");
const theo = emailOf("Theo Brandt");
const priya = emailOf("Priya Nair");
const jonas = emailOf("Jonas Okafor");
const elena = emailOf("Elena Rossi");
const sam = emailOf("Sam Whitfield");
const aiko = emailOf("Aiko Tanaka");
const luis = emailOf("Luis Ortega");

const assistant = { "gpt-4.1": 5, "claude-sonnet": 3, "gpt-4.1-mini": 4 };
const classifier = { "gpt-4.1-mini": 6, "mistral-medium": 3, "llama-3.3-70b": 3 };
const batch = { "deepseek-chat": 5, "gpt-oss-120b": 4, "gpt-4.1-mini": 2 };
const retrieval = { "text-embedding-3-small": 8, "gpt-4.1-mini": 2 };

export const DEMO_KEYS: readonly DemoKey[] = [
  key("checkout-prod", "Checkout", mara, 30, 13, assistant, 0.7, { endUsers: 40 }),
  key("checkout-staging", "Checkout", mara, 30, 3, classifier, 0.3),
  key("fraud-scoring", "Checkout", mara, 28, 8, { "gpt-oss-120b": 6, "gpt-4.1": 1 }, 0, { requestsPerMinute: 120 }),
  key("address-parser", "Checkout", sam, 17, 4, { "mistral-medium": 5, "gpt-4.1-mini": 2 }, 0),
  key("support-copilot", "Support", mara, 30, 14, assistant, 0.9, { endUsers: 25, sessions: "case" }),
  key("ticket-triage", "Support", theo, 30, 9, classifier, 0),
  key("reply-drafts", "Support", theo, 26, 6, { "claude-sonnet": 6, "gpt-4.1": 2 }, 0.8),
  key("call-summaries", "Support", theo, 14, 4, batch, 0),
  key("search-ranking", "Search", priya, 29, 9, retrieval, 0),
  key("query-rewrite", "Search", priya, 28, 7, { "llama-3.3-70b": 7, "gpt-4.1-mini": 2 }, 0.1),
  key("index-backfill", "Search", aiko, 15, 5, { "text-embedding-3-small": 9 }, 0, { requestsPerMinute: 60 }),
  key("nightly-evals", "Data Science", jonas, 27, 5, { ...batch, "claude-sonnet": 2 }, 0, { isCapped: true }),
  key("notebooks", "Data Science", jonas, 26, 4, { "claude-sonnet": 3, "deepseek-chat": 4, "gpt-4.1": 2 }, 0.6, {
    sessions: "notebook",
  }),
  key("feature-labels", "Data Science", priya, 21, 5, { "gpt-oss-120b": 5, "mistral-medium": 3 }, 0),
  key("ios-app", "Mobile", elena, 24, 6, { "gpt-4.1-mini": 7, "gpt-4.1": 2 }, 0.9, { endUsers: 60 }),
  key("android-app", "Mobile", elena, 23, 5, { "gpt-4.1-mini": 7, "llama-3.3-70b": 2 }, 0.9, { endUsers: 60 }),
  key("voice-notes", "Mobile", aiko, 12, 2, { "mistral-medium": 4, "gpt-4.1-mini": 2 }, 0),
  key("slack-bot", "Internal Tools", sam, 19, 4, { "gpt-4.1": 3, "claude-sonnet": 2 }, 0.4),
  key("code-review", "Internal Tools", luis, 11, 6, { "claude-sonnet": 6, "gpt-4.1": 3 }, 0.2, { sessions: "review" }),
  key("release-notes", "Internal Tools", luis, 9, 1, { "deepseek-chat": 3, "gpt-4.1-mini": 1 }, 0),
];

/** A change of the organization's credit. */
export type DemoPayment =
  | { readonly kind: "purchase"; readonly day: number; readonly cents: number; readonly outcome: "paid" | "expired" }
  /** Refunds half of the last paid purchase. */
  | { readonly kind: "partial_refund"; readonly day: number }
  | { readonly kind: "grant"; readonly day: number; readonly cents: number; readonly reason: string };

export const DEMO_PAYMENTS: readonly DemoPayment[] = [
  { kind: "purchase", day: 30, cents: 2_500, outcome: "paid" },
  { kind: "purchase", day: 20, cents: 2_000, outcome: "expired" },
  { kind: "grant", day: 18, cents: 500, reason: "Credit for the provider's outage" },
  { kind: "purchase", day: 17, cents: 2_000, outcome: "paid" },
  { kind: "partial_refund", day: 9 },
  { kind: "purchase", day: 4, cents: 2_500, outcome: "paid" },
];

function member(name: string, role: DemoMember["role"], teams: readonly string[], joinedOnDay: number): DemoMember {
  return { name, email: emailOf(name), role, teams, joinedOnDay };
}

function emailOf(name: string): string {
  return `${name.toLowerCase().replace(" ", ".")}@acme.example`;
}

function key(
  name: string,
  team: string,
  creator: string,
  createdOnDay: number,
  traffic: number,
  models: DemoKey["models"],
  streamShare: number,
  more: Pick<DemoKey, "isCapped" | "requestsPerMinute" | "endUsers" | "sessions"> = {},
): DemoKey {
  return { name, team, creator, createdOnDay, traffic, models, streamShare, ...more };
}
