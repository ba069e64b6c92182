import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeUpstream, startFakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { choosePort } from "@tollgate/testkit/processes/choose-port.ts";
import { removeAtExit } from "@tollgate/testkit/processes/clean-up.ts";
import { startServe } from "@tollgate/testkit/processes/start-instance.ts";
import { type Engines, startEngines } from "../../chaos/stage/engines.ts";
import { canaries } from "./canaries.ts";
import { tellTales } from "./tell-tales.ts";

/** A production-like instance with its own engines. All of its secrets are canaries. */
export interface Installation {
  readonly folder: string;
  readonly url: string;
  readonly engines: Engines;
  /** Connection string of a user who can read every row of every table. */
  readonly administratorUrl: string;
  readonly upstream: FakeUpstream;
  /** The only file that may contain secrets. */
  readonly settingsFile: string;
  /** Stops the product gracefully and leaves the engines running. */
  stopProduct(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts everything in its own folder, with the most verbose logs. */
export async function startInstallation(): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-secrets-"));
  removeAtExit(folder);
  const [engines, upstream] = await Promise.all([startEngines(folder, () => {}), startFakeUpstream()]);
  upstream.behaves(tellTales);
  const port = await choosePort();
  const url = `http://127.0.0.1:${port}`;
  const product = await startServe({
    folder: join(folder, "product"),
    settings: describeSettings(upstream.origin, await choosePort()),
    databaseUrl: engines.databaseUrl,
    port,
    env: {
      REDIS_URL: engines.redisUrl,
      NATS_URL: engines.natsUrl,
      CANARY_PROVIDER_KEY: canaries["provider key from the environment"],
      TOLLGATE_SECRET_KEY: canaries["secret of the installation"],
      TOLLGATE_GATEWAY_URL: url,
      TOLLGATE_DB_WAIT: "60",
      TOLLGATE_LOG_LEVEL: "trace",
    },
    // The log is searched for secrets, too.
  });
  return {
    folder,
    url,
    engines,
    administratorUrl: engines.databaseUrl.replace("//tollgate@", "//postgres@"),
    upstream,
    settingsFile: product.settingsFile,
    stopProduct: async () => {
      await product.stop();
    },
    stop: async () => {
      await product.stop();
      const { postgres, redis, log } = engines;
      await Promise.all([upstream.close(), postgres.stop("SIGINT"), ...[redis, ...log].map((each) => each.stop())]);
    },
  };
}

function describeSettings(origin: string, closedPort: number): string {
  const deployment = (group: string, model: string, base: string, apiKey: string, more: object = {}) => ({
    model_name: group,
    litellm_params: { model, api_base: base, api_key: apiKey, ...more },
  });
  const known = canaries["provider key with a known beginning"];
  const prices = { input_cost_per_token: 1e-7, output_cost_per_token: 4e-7 };
  return JSON.stringify({
    model_list: [
      deployment("gpt", "openai/gpt-4o-mini", `${origin}/v1`, known),
      deployment("claude", "anthropic/claude-sonnet-4-5", origin, canaries["provider key of Anthropic"]),
      deployment("flash", "gemini/gemini-2.5-flash", `${origin}/v1beta`, canaries["provider key of Google"]),
      deployment(
        "plain",
        "openai_compatible/plain",
        `${origin}/v1`,
        canaries["provider key of no known shape"],
        prices,
      ),
      deployment("groq", "openai_compatible/groq", `${origin}/v1`, "os.environ/CANARY_PROVIDER_KEY", prices),
      deployment("own", "openai/gpt-4o-mini", `${origin}/v1`, known, {
        configurable_clientside_auth_params: ["api_key"],
      }),
      deployment("away", "openai_compatible/away", `http://127.0.0.1:${closedPort}/v1`, known, prices),
      deployment("instruct", "openai/gpt-3.5-turbo-instruct", `${origin}/v1`, known),
      deployment("vectors", "openai/text-embedding-3-small", `${origin}/v1`, known),
      deployment("moderator", "openai/omni-moderation-latest", `${origin}/v1`, known),
      deployment("voice", "openai/tts-1", `${origin}/v1`, known),
      deployment("listener", "openai/whisper-1", `${origin}/v1`, known),
      deployment("painter", "openai/dall-e-3", `${origin}/v1`, known),
      deployment("sorter", "cohere/rerank-v3.5", origin, known),
    ],
    general_settings: { master_key: canaries["master key"] },
    router_settings: { num_retries: 0, disable_cooldowns: true },
    billing: { provider: "fake", stripe: { webhookSecrets: [canaries["secret of the payment provider"]] } },
    auth: { adminTotp: "optional" },
    signUp: { mode: "open", verifyEmail: false, trustUnverifiedEmails: true },
    limits: {
      requestsPerMinute: 100_000,
      unauthenticatedRequestsPerMinute: 100_000,
      signUpsPerHour: 1_000,
      loginsPerMinute: 1_000,
    },
  });
}
