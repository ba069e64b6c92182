import type { Filled } from "../stage/fill-instance.ts";

export interface ConsolePage {
  /** Page name, used as the prefix of screenshot file names. */
  readonly name: string;
  /** Path under `/ui`. The path of a detail page depends on the records. */
  readonly path: string | ((filled: Filled) => string);
  /** True if the page is visible without signing in. */
  readonly isPublic?: boolean;
  /** For a list page, the API path that the page must request exactly once. */
  readonly list?: string;
}

/** Every page of the console, with data on it. */
export const consolePages: readonly ConsolePage[] = [
  { name: "login", path: "/login", isPublic: true },
  { name: "signup", path: "/signup", isPublic: true },
  { name: "forgot-password", path: "/forgot-password", isPublic: true },
  { name: "reset-password", path: "/reset-password#token=none", isPublic: true },
  { name: "verify-email", path: "/verify-email#token=none", isPublic: true },
  { name: "invitation", path: "/invitations#token=none", isPublic: true },
  { name: "home", path: "/" },
  { name: "keys", path: "/keys", list: "/api/api-keys" },
  { name: "key", path: (filled) => `/keys/${filled.keyId}` },
  { name: "logs", path: "/logs", list: "/api/gw/logs" },
  { name: "log-panel", path: (filled) => `/logs?open=${filled.callId}` },
  { name: "log", path: (filled) => `/logs/${filled.callId}` },
  { name: "sessions", path: "/sessions", list: "/api/gw/sessions" },
  { name: "session", path: (filled) => `/sessions/requests?session=${encodeURIComponent(filled.session)}` },
  { name: "usage", path: "/usage" },
  { name: "credits", path: "/credits" },
  { name: "credits-order", path: (filled) => `/credits?order=${filled.pendingPurchaseId}` },
  { name: "receipt", path: (filled) => `/credits/receipts/${filled.purchaseId}` },
  { name: "checkout", path: (filled) => `/checkout/${filled.pendingPurchaseId}` },
  { name: "teams", path: "/teams", list: "/api/gw/teams" },
  { name: "team", path: (filled) => `/teams/${filled.teamId}` },
  { name: "members", path: "/members" },
  { name: "playground", path: "/playground" },
  { name: "models", path: "/model_hub_table", list: "/api/hub/models" },
  { name: "model", path: "/model_hub_table/support-chat" },
  { name: "models-compare", path: "/model_hub_table?compare=support-chat,sim/*" },
  { name: "assistants", path: "/assistants" },
  { name: "thread", path: (filled) => `/threads/${filled.threadId}` },
  { name: "health", path: "/health", list: "/api/gw/health/deployments" },
  { name: "training", path: "/training", list: "/api/training/runs" },
  { name: "admin-deployments", path: "/admin/deployments", list: "/api/admin/deployments" },
  { name: "admin-routing", path: "/admin/routing", list: "/api/admin/routing" },
  { name: "admin-prices", path: "/admin/prices", list: "/api/admin/prices" },
  { name: "admin-users", path: "/admin/users", list: "/api/admin/users" },
  { name: "admin-organizations", path: "/admin/organizations", list: "/api/admin/organizations" },
  { name: "admin-audit", path: "/admin/audit", list: "/api/admin/audit-log" },
  { name: "admin-settings", path: "/admin/settings" },
  { name: "inspect", path: "/tools/inspect" },
  { name: "account", path: "/settings" },
  { name: "components", path: "/components" },
  { name: "no-such-page", path: "/no/such/page" },
];

/** Returns the path of a page under `/ui`. */
export function pathOf({ path }: ConsolePage, filled: Filled): string {
  return typeof path === "string" ? path : path(filled);
}
