import { servedModels } from "@tollgate/gateway/adapters/served-models.ts";
import { openServerCatalog } from "@tollgate/gateway/adapters/server-catalog.ts";
import { VERSION } from "@tollgate/gateway/call/version.ts";
import { catalogPricesOf, pricingOf } from "@tollgate/gateway/models/model-facts.ts";
import { credentialSourceOf } from "@tollgate/gateway/providers/credentials/find-credential-problem.ts";
import { describeLibraries } from "@tollgate/gateway/providers/credentials/libraries.ts";
import { providers } from "@tollgate/gateway/providers/registry.ts";
import type { Apps } from "@tollgate/operate/operator-io.ts";
import { detectProviders, devSettings } from "./dev/dev-settings.ts";
import { embeddedFolder, readEmbeddedConnection } from "./embedded-postgres/embedded-connection.ts";
import { startEmbeddedPostgres } from "./embedded-postgres/start-embedded-postgres.ts";
import { knownProviders } from "./known-providers.ts";
import { readServingCertificate } from "./tls/serving-certificate.ts";
import { trustAuthorities } from "./tls/trust-authorities.ts";

/** What operator commands use of the other apps. The platform is loaded only when a command needs it. */
export const apps: Apps = {
  gateway: {
    version: VERSION,
    knownProviders,
    providers,
    cloudLibraries: describeLibraries,
    credentialSourceOf,
    openCatalog: openServerCatalog,
    pricingOf,
    catalogPricesOf,
    // The URL doesn't affect the price, and it may be one that the settings don't allow.
    toDeployment: (model) => servedModels.toSettings({ ...model, baseUrl: null }, { allowed: [] }),
  },
  platform: {
    hashPassword: async (password) => {
      const { createPasswordHasher } = await import("@tollgate/platform/adapters/argon2-hasher.ts");
      return createPasswordHasher().hash(password);
    },
    createKey: async (transaction, key, now) => {
      const { createKey } = await import("@tollgate/platform/keys/create-key.ts");
      return createKey(transaction, key, { kind: "operator" }, now);
    },
    rotateSigningKey: async (...args) => {
      const { rotateSigningKey } = await import("@tollgate/platform/adapters/database-signing-keys.ts");
      return rotateSigningKey(...args);
    },
    openModelCreation: async (options) => {
      const { openModelCreation } = await import("./open-model-creation.ts");
      return openModelCreation(options);
    },
  },
  server: {
    embeddedFolder,
    readEmbeddedConnection,
    startEmbeddedPostgres,
    trustAuthorities,
    readServingCertificate: ({ TOLLGATE_TLS_CERT, TOLLGATE_TLS_KEY }) =>
      readServingCertificate({ TOLLGATE_TLS_CERT, TOLLGATE_TLS_KEY }),
    developmentDefaults: (env) => devSettings(detectProviders(env), { masterKey: `sk-${"x".repeat(32)}` }),
  },
};
