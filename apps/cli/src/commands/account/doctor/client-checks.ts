import { GatewayClient } from "@tollgate/sdk/gateway/gateway-client.ts";
import { ApiError } from "@tollgate/sdk/http/api-error.ts";
import { CliError } from "../../../cli-error.ts";
import type { CommandContext } from "../../../context.ts";

/** One line of the report. Every check that didn't pass includes a fix. */
export interface ClientFinding {
  readonly name: string;
  readonly state: "passed" | "warning" | "failed";
  readonly text: string;
  readonly fix: string | null;
}

type Outcome = Omit<ClientFinding, "name">;
type Check = (context: CommandContext) => Promise<Outcome>;

const passed = (text: string): Outcome => ({ state: "passed", text, fix: null });
const warned = (text: string, fix: string): Outcome => ({ state: "warning", text, fix });
const failed = (text: string, fix: string): Outcome => ({ state: "failed", text, fix });

/** Clock skew above which tokens and signatures may be rejected. */
const MAX_SKEW_MS = 30_000;

/** The checks, in the order in which the report lists them. */
export const clientChecks: Readonly<Record<string, Check>> = {
  version: async ({ version }) => passed(`tollgate ${version}, Node ${process.versions.node}`),
  configuration: async ({ settings }) => {
    const { value, origin } = settings.values.url;
    return passed(`profile ${settings.profile}; ${value} (${origin})`);
  },
  proxy: async ({ io, url }) => checkProxy(io.env, url),
  platform: (context) =>
    attempt(async () => {
      const startedAt = performance.now();
      await context.platformAs(null).call("getPlatformReadiness");
      return passed(`${context.url} is ready, ${(performance.now() - startedAt).toFixed(0)} ms`);
    }, "Check that the server is running and the URL is correct: tollgate config show --origin"),
  clock: (context) =>
    attempt(async () => {
      const { headers } = await context.platformAs(null).raw("getPlatformHealth");
      const skewMs = Math.abs(Date.now() - Date.parse(headers.get("date") ?? ""));
      if (Number.isNaN(skewMs))
        return warned("the platform does not send a Date header", "Check the proxy in front of the platform.");
      // The Date header has a resolution of one second.
      if (skewMs > MAX_SKEW_MS)
        return failed(`${(skewMs / 1000).toFixed(0)} s different from the platform`, "Set this computer's clock.");
      return passed("in sync with the platform");
    }, "See the previous check."),
  token: (context) =>
    attempt(async () => {
      const { user } = await context.platform.call("getMe");
      return passed(`signed in as ${user.email}`);
    }, "tollgate login"),
  gateway: (context) =>
    attempt(async () => {
      const gateway = new GatewayClient({ baseUrl: context.baseUrl, ...context.sendOptions });
      await gateway.request("GET", "/health/readiness");
      return passed(`${context.baseUrl} is ready`);
    }, "Check the gateway URL: tollgate config set base-url URL"),
  key: (context) => checkKey(context),
};

function checkProxy(env: NodeJS.ProcessEnv, url: string): Outcome {
  const names = ["HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy", "ALL_PROXY"].filter((name) => env[name]);
  if (names.length === 0) return passed("none set");
  if (env.NODE_USE_ENV_PROXY) return passed(`${names.join(", ")} in use`);
  return warned(
    `${names.join(", ")} set, but not used by the CLI`,
    `If ${url} is behind the proxy, set NODE_USE_ENV_PROXY=1.`,
  );
}

/** Tries each supported key header because a server may accept only some of these headers. */
async function checkKey(context: CommandContext): Promise<Outcome> {
  if (!context.io.env.TOLLGATE_API_KEY && context.storedApiKey() === null) {
    return warned(
      "TOLLGATE_API_KEY is not set, and no key is stored",
      "export TOLLGATE_API_KEY=$(tollgate keys create NAME -q)",
    );
  }
  return attempt(async () => {
    const apiKey = context.apiKey();
    const taken: string[] = [];
    let refusal: ApiError | null = null;
    for (const keyHeader of ["x-gw-api-key", "authorization"]) {
      const gateway = new GatewayClient({ baseUrl: context.baseUrl, apiKey, keyHeader, ...context.sendOptions });
      try {
        await gateway.listModels();
        taken.push(keyHeader);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status === 0) throw error;
        refusal = error;
      }
    }
    if (taken.length > 0)
      return passed(`accepted in the ${taken.join(" and ")} header${taken.length === 1 ? "" : "s"}`);
    return failed(`refused: ${refusal?.message ?? ""}`, "Use another key: tollgate keys list, tollgate keys create");
  }, "tollgate keys list");
}

async function attempt(check: () => Promise<Outcome>, fix: string): Promise<Outcome> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof CliError) return failed(error.message, error.fix ?? fix);
    if (error instanceof ApiError) return failed(error.message, error.fix ?? fix);
    throw error;
  }
}
