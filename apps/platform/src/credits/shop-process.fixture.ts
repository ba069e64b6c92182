import { connect, type DatabaseRole } from "@tollgate/db/connect.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { createStripeBilling } from "../adapters/stripe-billing.ts";
import { startTestPlatform } from "../platform.fixture.ts";

// Runs a platform in a separate process that the test kills. Prints its URL.
const [, , name = "", connectionString = "", stripeUrl = ""] = process.argv;
const openPool = (role: DatabaseRole, poolSize: number) =>
  connect({ connectionString, role, poolSize, applicationName: "to be killed" });
const platform = await startTestPlatform(
  {
    name,
    connectionString,
    openPool,
    connect: (role) => openPool(role, 2),
    drop: async () => {},
  },
  {
    services: {
      billing: createStripeBilling({
        secretKey: new Secret("sk_test_killed"),
        apiBase: stripeUrl,
        webhookSecrets: () => [],
        now: () => new Date(),
      }),
    },
  },
);
console.log(platform.url);
