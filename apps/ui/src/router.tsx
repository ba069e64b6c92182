import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent as page,
  redirect,
} from "@tanstack/react-router";
import { client } from "./api/client.ts";
import { type ConsoleConfig, configQuery } from "./api/config.ts";
import { noteSession } from "./api/session-gate.ts";
import { consolePath } from "./base-path.ts";
import { parseSearch, type SearchValues, stringifySearch } from "./router-search.ts";
import { BrokenPage } from "./shell/broken-page.tsx";
import { Frame } from "./shell/frame.tsx";
import { NoSuchPage } from "./shell/no-such-page.tsx";

interface Context {
  readonly queries: QueryClient;
}

const root = createRootRouteWithContext<Context>()({
  // Accept all query parameters here, so that links can pass them. Each page parses its own parameters.
  validateSearch: (search: Record<string, unknown>) => search as SearchValues,
  notFoundComponent: NoSuchPage,
  errorComponent: BrokenPage,
});

/** Path of the model hub, which is visible without signing in if the settings allow it. */
const HUB = "/model_hub_table";

/** True if this build contains the page with all components, for the development server and the browser tests. */
const HAS_GALLERY = import.meta.env.DEV || import.meta.env.VITE_COMPONENT_GALLERY !== undefined;

/** Parent of all pages that require sign-in. After signing in, users return to the requested page. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  component: Frame,
  beforeLoad: async ({ context, location }) => {
    if (await isSignedIn(context.queries)) return;
    const isHubOpen = context.queries.getQueryData<ConsoleConfig>(configQuery.queryKey)?.publicHub === true;
    if (isHubOpen && location.pathname.startsWith(HUB)) return;
    throw redirect({ to: "/login", search: { next: location.pathname + location.searchStr } });
  },
});

/** Frame of unknown URLs. A signed-in user keeps the menu, and a signed-out user isn't sent to sign in first. */
const anyone = createRoute({
  getParentRoute: () => root,
  id: "anyone",
  component: Frame,
  beforeLoad: async ({ context }) => {
    await isSignedIn(context.queries);
  },
});

/** Loads the user. Reports whether there is one. */
async function isSignedIn(queries: QueryClient): Promise<boolean> {
  try {
    await queries.ensureQueryData({ queryKey: ["getMe", {}], queryFn: () => client.call("getMe") });
    noteSession(true);
    return true;
  } catch (error) {
    if ((error as { status?: number }).status !== 401) throw error;
    return false;
  }
}

const open = <Path extends string>(path: Path) => ({ getParentRoute: () => root, path });
const inside = <Path extends string>(path: Path) => ({ getParentRoute: () => signedIn, path });

/** The hub, with a page for each model by its full name, including slashes. */
const hub = createRoute(inside(HUB));

const routes = root.addChildren([
  createRoute({ ...open("/login"), component: page(() => import("./pages/sign-in/login-page.tsx"), "LoginPage") }),
  createRoute({ ...open("/signup"), component: page(() => import("./pages/sign-in/sign-up-page.tsx"), "SignUpPage") }),
  createRoute({
    ...open("/forgot-password"),
    component: page(() => import("./pages/sign-in/forgot-password-page.tsx"), "ForgotPasswordPage"),
  }),
  createRoute({
    ...open("/reset-password"),
    component: page(() => import("./pages/sign-in/reset-password-page.tsx"), "ResetPasswordPage"),
  }),
  createRoute({
    ...open("/invitations"),
    component: page(() => import("./pages/sign-in/invitation-page.tsx"), "InvitationPage"),
  }),
  createRoute({
    ...open("/verify-email"),
    component: page(() => import("./pages/sign-in/verify-email-page.tsx"), "VerifyEmailPage"),
  }),
  createRoute({
    ...open("/components"),
    component: HAS_GALLERY
      ? page(() => import("./pages/components/components-page.tsx"), "ComponentsPage")
      : NoSuchPage,
  }),
  anyone.addChildren([createRoute({ getParentRoute: () => anyone, path: "$", component: NoSuchPage })]),
  signedIn.addChildren([
    hub.addChildren([
      createRoute({
        getParentRoute: () => hub,
        path: "/",
        component: page(() => import("./pages/models/models-page.tsx"), "ModelsPage"),
      }),
      createRoute({
        getParentRoute: () => hub,
        path: "$",
        component: page(() => import("./pages/models/model-page.tsx"), "ModelPage"),
      }),
    ]),
    createRoute({ ...inside("/"), component: page(() => import("./pages/home/home-page.tsx"), "HomePage") }),
    createRoute({ ...inside("/keys"), component: page(() => import("./pages/keys/keys-page.tsx"), "KeysPage") }),
    createRoute({ ...inside("/keys/$keyId"), component: page(() => import("./pages/keys/key-page.tsx"), "KeyPage") }),
    createRoute({ ...inside("/logs"), component: page(() => import("./pages/logs/logs-page.tsx"), "LogsPage") }),
    createRoute({ ...inside("/logs/$callId"), component: page(() => import("./pages/logs/log-page.tsx"), "LogPage") }),
    createRoute({
      ...inside("/sessions"),
      component: page(() => import("./pages/sessions/sessions-page.tsx"), "SessionsPage"),
    }),
    createRoute({
      ...inside("/sessions/requests"),
      component: page(() => import("./pages/sessions/session-page.tsx"), "SessionPage"),
    }),
    createRoute({ ...inside("/usage"), component: page(() => import("./pages/usage/usage-page.tsx"), "UsagePage") }),
    createRoute({
      ...inside("/credits"),
      component: page(() => import("./pages/credits/credits-page.tsx"), "CreditsPage"),
    }),
    createRoute({
      ...inside("/credits/receipts/$purchaseId"),
      component: page(() => import("./pages/credits/receipt-page.tsx"), "ReceiptPage"),
    }),
    createRoute({
      ...inside("/checkout/$purchaseId"),
      component: page(() => import("./pages/credits/checkout-page.tsx"), "CheckoutPage"),
    }),
    createRoute({ ...inside("/teams"), component: page(() => import("./pages/teams/teams-page.tsx"), "TeamsPage") }),
    createRoute({
      ...inside("/teams/$teamId"),
      component: page(() => import("./pages/teams/team-page.tsx"), "TeamPage"),
    }),
    createRoute({
      ...inside("/members"),
      component: page(() => import("./pages/members/members-page.tsx"), "MembersPage"),
    }),
    createRoute({
      ...inside("/playground"),
      component: page(() => import("./pages/playground/playground-page.tsx"), "PlaygroundPage"),
    }),
    createRoute({
      ...inside("/assistants"),
      component: page(() => import("./pages/assistants/assistants-page.tsx"), "AssistantsPage"),
    }),
    createRoute({
      ...inside("/threads/$threadId"),
      component: page(() => import("./pages/assistants/thread-page.tsx"), "ThreadPage"),
    }),
    createRoute({
      ...inside("/health"),
      component: page(() => import("./pages/health/health-page.tsx"), "HealthPage"),
    }),
    createRoute({
      ...inside("/training"),
      component: page(() => import("./pages/training/training-runs-page.tsx"), "TrainingRunsPage"),
    }),
    createRoute({
      ...inside("/training/$runId"),
      component: page(() => import("./pages/training/training-run-page.tsx"), "TrainingRunPage"),
    }),
    createRoute({
      ...inside("/admin/deployments"),
      component: page(() => import("./pages/admin-deployments/deployments-page.tsx"), "DeploymentsPage"),
    }),
    createRoute({
      ...inside("/admin/routing"),
      component: page(() => import("./pages/admin-routing/routing-page.tsx"), "RoutingPage"),
    }),
    createRoute({
      ...inside("/admin/prices"),
      component: page(() => import("./pages/admin-prices/prices-page.tsx"), "PricesPage"),
    }),
    createRoute({
      ...inside("/admin/users"),
      component: page(() => import("./pages/admin-users/users-page.tsx"), "UsersPage"),
    }),
    createRoute({
      ...inside("/admin/organizations"),
      component: page(() => import("./pages/admin-organizations/organizations-page.tsx"), "OrganizationsPage"),
    }),
    createRoute({
      ...inside("/admin/audit"),
      component: page(() => import("./pages/audit/audit-page.tsx"), "AuditPage"),
    }),
    createRoute({
      ...inside("/admin/settings"),
      component: page(() => import("./pages/admin-settings/settings-page.tsx"), "SettingsPage"),
    }),
    createRoute({
      ...inside("/tools/inspect"),
      component: page(() => import("./pages/inspect/inspect-page.tsx"), "InspectPage"),
    }),
    createRoute({
      ...inside("/settings"),
      component: page(() => import("./pages/account/account-page.tsx"), "AccountPage"),
    }),
    createRoute({
      ...inside("/cli/confirm"),
      component: page(() => import("./pages/account/confirm-pairing-page.tsx"), "ConfirmPairingPage"),
    }),
  ]),
]);

/** Creates the console's router. Pages are lazy-loaded. */
export function createConsoleRouter(queries: QueryClient) {
  return createRouter({
    routeTree: routes,
    basepath: consolePath,
    context: { queries },
    defaultPreload: "intent",
    parseSearch,
    stringifySearch,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
