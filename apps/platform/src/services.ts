import type { Database } from "@tollgate/db/connect.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import type { SecretBox } from "@tollgate/runtime/secret-box.ts";
import type { AssistantLimits } from "@tollgate/runtime/settings/assistant-limits.ts";
import type { ShownSection } from "@tollgate/runtime/settings/describe-settings.ts";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import type { ModelSource } from "./catalog/model-source.ts";
import type { BillingProvider } from "./credits/billing-provider.ts";
import type { DeploymentSource, GatewayMonitor } from "./deployments/deployment-source.ts";
import type { Hub } from "./hub/hub.ts";
import type { PasswordHasher } from "./identity/password-hasher.ts";
import type { TokenIssuer } from "./identity/token-issuer.ts";
import type { GatewayCaller } from "./messages/gateway-caller.ts";
import type { TrainingSource } from "./training/training-source.ts";
import type { CallTail } from "./usage/call-tail.ts";
import type { SearchTurns } from "./usage/search-turns.ts";

/** Dependencies of the platform's operations. */
export interface Services {
  /** Connections that use the platform's database role, which sees no rows until a tenant is set. */
  readonly db: Database;
  /** Separate connections for reports over months of usage, so that they never delay quick queries. */
  readonly reportDb: Database;
  readonly settings: () => PlatformSettings;
  readonly now: () => Date;
  readonly passwords: PasswordHasher;
  readonly tokens: TokenIssuer;
  /** Encrypts stored secrets: provider credentials, one-time-code secrets, and links in emails. */
  readonly secrets: SecretBox;
  /** Payment provider; null if payments are disabled. */
  readonly billing: BillingProvider | null;
  readonly models: ModelSource;
  readonly gateway: GatewayCaller;
  readonly callTail: CallTail;
  readonly searchTurns: SearchTurns;
  readonly hub: Hub;
  readonly deployments: DeploymentSource;
  readonly monitor: GatewayMonitor;
  /** Returns the limits of assistants runs and of stored records, which gateways and workers enforce. */
  readonly assistantLimits: () => AssistantLimits;
  /** Returns the effective settings without secrets. */
  readonly shownSettings: () => readonly ShownSection[];
  readonly training: TrainingSource;
  /** Resolves a host to all its IP addresses. Rejects if there are none or DNS doesn't respond. */
  readonly resolveHost: (host: string) => Promise<readonly string[]>;
  readonly logger: Logger;
}
