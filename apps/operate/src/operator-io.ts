import type { Catalog } from "@tollgate/catalog/catalog.ts";
import type { Model } from "@tollgate/catalog/model.ts";
import type { NewModelRequest } from "@tollgate/contracts/administration/model-management.ts";
import type { CatalogModel } from "@tollgate/db/catalog/models.ts";
import type { Database } from "@tollgate/db/connect.ts";
import type { KeyToImport } from "@tollgate/db/import/importer.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import type { PriceSet } from "@tollgate/domain/pricing/price-terms.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import type { Io } from "@tollgate/runtime/exit.ts";
import type { SecretBox } from "@tollgate/runtime/secret-box.ts";
import type { CredentialSettings, Providers } from "@tollgate/runtime/settings/name-provider.ts";
import type { SettingsText } from "@tollgate/runtime/settings/read-files.ts";
import type {
  DeploymentSettings,
  GatewaySettings,
  PriceSettings,
  Settings,
} from "@tollgate/runtime/settings/settings.ts";

/** What an operator command works with: its input and output, and what it uses of the other apps. */
export interface OperatorIo extends Io {
  readonly apps: Apps;
}

/** A command that `tollgate` runs. Returns the exit code. */
export type OperatorCommand = (args: readonly string[], io: OperatorIo) => Promise<number>;

/** What operator commands use of the other apps. The server passes it in, because only the server imports apps. */
export interface Apps {
  readonly gateway: GatewayFacts;
  readonly platform: PlatformRules;
  readonly server: ServerResources;
}

/** What commands know about the gateway. */
interface GatewayFacts {
  readonly version: string;
  /** Providers that settings can name. */
  readonly knownProviders: Providers;
  /** Providers that the gateway can call, by name. */
  readonly providers: ReadonlyMap<string, CallableProvider>;
  /** Returns the cloud vendors' libraries that the gateway can use. */
  cloudLibraries(): readonly CloudLibrary[];
  /** Returns the source of a deployment's credentials; null if no library is involved. */
  credentialSourceOf(deployment: CredentialSettings): CloudCredentialSource | null;
  /** Opens the catalog edition that is in effect on a server. */
  openCatalog(db: Database, settings: PriceSettings): Promise<Catalog>;
  /** Returns a deployment's price and its entries in the catalog. */
  pricingOf(deployment: DeploymentSettings, catalog: Catalog, gateway: GatewaySettings): DeploymentPricing;
  /** Returns all prices of a model in the catalog, by what they are for. */
  catalogPricesOf(
    model: string,
    catalog: Catalog,
  ): ReadonlyMap<string, { readonly price: Price; readonly condition: string | null }>;
  /** Returns the deployment of a model from the database, without its credential. */
  toDeployment(model: CatalogModel): DeploymentSettings;
}

/** Where the price of a deployment comes from. */
export interface DeploymentPricing {
  /** The standard prices. There are none if they depend on the requested model. */
  readonly sold: PriceSet;
  /** The provider's prices. */
  readonly bought: PriceSet;
  /** True if the model searches the web for every request. */
  readonly alwaysSearches: boolean;
  readonly isFromCatalog: boolean;
  readonly isPattern: boolean;
  /** The catalog's entries for its models. A deployment without a pattern has at most one. */
  readonly listed: readonly Model[];
}

/** A provider as the checks see it. */
interface CallableProvider {
  readonly apiKeyVariable: string | null;
  readonly defaultApiBase: string | null;
  /** True if only settings files can configure this provider. */
  readonly isOnlyForFiles?: boolean;
  /** Set if the provider isn't reached through a socket. */
  readonly localTransport?: unknown;
  /** Returns null if a deployment's calls contain only static credentials. */
  layerOf?(target: CallTarget): unknown;
  /** Returns the default base URL of a provider whose URL depends on the deployment's options. */
  apiBaseOf?(target: CallTarget): string;
}

/** The part of a deployment's settings that determines its URL. */
type CallTarget = DeploymentSettings["params"] & {
  readonly options: DeploymentSettings["params"]["providerOptions"];
  readonly fileModelName?: string;
};

/** A cloud vendor's library that obtains credentials. */
interface CloudLibrary {
  readonly vendor: string;
  readonly package: string;
  readonly testedVersion: string;
  /** Null if the library isn't installed. */
  readonly installedVersion: string | null;
  readonly installCommand: string;
}

/** A source of credentials in such a library. */
export interface CloudCredentialSource extends CloudLibrary {
  /** Identifies the credentials. It may be derived from secrets, so it is never displayed. */
  readonly identity: string;
  /** Gets a credential now, within a time limit. Throws a `Failure`. */
  obtain(): Promise<{ readonly lifetimeMs: number }>;
}

/** Rules of the platform that commands follow. Each one loads its code on first use. */
export interface PlatformRules {
  hashPassword(password: string): Promise<string>;
  /** Adds a key for an operator: without limits, and without an event or an audit entry. */
  createKey(transaction: TenantTransaction, key: KeyToImport, now: Date): Promise<void>;
  /** Replaces the session signing key. A compromised key becomes invalid immediately. */
  rotateSigningKey(
    db: Database,
    secrets: SecretBox,
    now: Date,
    options: { readonly isCompromised: boolean },
  ): Promise<{ readonly kid: string }>;
  /** Returns a function that creates a model the same way as `/model/new` does for the master key. */
  openModelCreation(options: {
    readonly settings: Settings;
    /** Secret keys that encrypt the model's API key; null if none are configured. */
    readonly secretKeys: readonly Secret[] | null;
    readonly now: Date;
  }): Promise<(transaction: TenantTransaction, request: NewModelRequest) => Promise<void>>;
}

/** What a server on this machine owns: its embedded database, its TLS files, and its development defaults. */
export interface ServerResources {
  /** Returns the embedded database's folder inside a data directory. */
  embeddedFolder(dataDir: string): string;
  /** Returns the connection string of the embedded database if another process runs the database, otherwise null. */
  readEmbeddedConnection(dataDir: string): string | null;
  startEmbeddedPostgres(options: {
    readonly dataDir: string;
  }): Promise<{ readonly connectionString: string; stop(): Promise<void> }>;
  /** Trusts the CAs in a file. Throws `TlsProblem`. */
  trustAuthorities(file: string | undefined): void;
  /** Reads the listener's certificate; null for plain HTTP. Throws `TlsProblem`. */
  readServingCertificate(env: NodeJS.ProcessEnv): { readonly expiresAtMs: number } | null;
  /** Returns the built-in settings of `tollgate dev`, with a placeholder in place of its keys. */
  developmentDefaults(env: NodeJS.ProcessEnv): SettingsText;
}
