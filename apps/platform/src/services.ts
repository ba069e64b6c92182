import type { Database } from "@tollgate/db/connect.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import type { SecretBox } from "@tollgate/runtime/secret-box.ts";
import type { ShownSection } from "@tollgate/runtime/settings/describe-settings.ts";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import type { ModelSource } from "./catalogue/model-source.ts";
import type { BillingProvider } from "./credits/billing-provider.ts";
import type { DeploymentSource, GatewayMonitor } from "./deployments/deployment-source.ts";
import type { Hub } from "./hub/hub.ts";
import type { PasswordHasher } from "./identity/password-hasher.ts";
import type { TokenIssuer } from "./identity/token-issuer.ts";
import type { GatewayCaller } from "./messages/gateway-caller.ts";
import type { TrainingSource } from "./training/training-source.ts";
import type { CallTail } from "./usage/call-tail.ts";

/** What the operations of the platform need from outside. */
export interface Services {
  /** Connections in the platform's own role: they see nothing until they say whom they act for. */
  readonly db: Database;
  /** The same for reads over months of usage, so that those never keep a quick one waiting. */
  readonly reportDb: Database;
  readonly settings: () => PlatformSettings;
  readonly now: () => Date;
  readonly passwords: PasswordHasher;
  readonly tokens: TokenIssuer;
  /** Seals what must be stored and read again: provider credentials, one-time-code secrets, links in mails. */
  readonly secrets: SecretBox;
  /** Null when no payments are taken. */
  readonly billing: BillingProvider | null;
  readonly models: ModelSource;
  readonly gateway: GatewayCaller;
  readonly callTail: CallTail;
  readonly hub: Hub;
  readonly deployments: DeploymentSource;
  readonly monitor: GatewayMonitor;
  /** The settings in effect without their secrets. */
  readonly shownSettings: () => readonly ShownSection[];
  readonly training: TrainingSource;
  /** All addresses of a host; rejects when it has none or nobody answers. */
  readonly resolveHost: (host: string) => Promise<readonly string[]>;
  readonly logger: Logger;
}
