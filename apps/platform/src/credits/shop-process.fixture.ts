import { connect, type DatabaseRole } from "@tollgate/db/connect.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { createStripeBilling } from "../adapters/stripe-billing.ts";
import { startTestPlatform } from "../platform.fixture.ts";

// Runs a platform in a separate process that the test kills. Prints its URL.
const [, , name = "", connectionString = "", stripeUrl = ""] = process.argv;
const platform = await startTestPlatform(
  {
    name,
    connectionString,
    connect: (role: DatabaseRole) => connect({ connectionString, role, poolSize: 2, applicationName: "to be killed" }),
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
