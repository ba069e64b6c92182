import { GatewayClient } from "@tollgate/sdk/gateway/gateway-client.ts";
import type { SendOptions } from "@tollgate/sdk/http/send-request.ts";
import { PlatformClient } from "@tollgate/sdk/platform/platform-client.ts";
import { signInError } from "./cli-error.ts";
import type { Io } from "./io.ts";
import { logRequests } from "./log-requests.ts";
import type { Output } from "./output/output.ts";
import { Progress, whileWaiting } from "./output/progress.ts";
import type { ParsedArguments } from "./parsed-arguments.ts";
import { confirmChange, type Plan } from "./prompts/confirm-change.ts";
import { findOrganizationId } from "./resolve-organization.ts";
import { isSamePlace, readCredential } from "./settings/credentials.ts";
import { currentToken } from "./settings/current-token.ts";
import type { Settings } from "./settings/settings.ts";

/** Flags for every list command. */
interface ListFlags {
  readonly limit: number | undefined;
  readonly page: number | undefined;
  readonly "page-size": number | undefined;
  readonly all: boolean;
}

interface ContextParts {
  readonly io: Io;
  readonly output: Output;
  readonly settings: Settings;
  readonly parsed: ParsedArguments;
  readonly version: string;
}

/** Context of a command. The clients are created on first use. */
export class CommandContext {
  readonly io: Io;
  readonly output: Output;
  readonly settings: Settings;
  readonly version: string;
  readonly #flags: ParsedArguments["flags"];
  #platform: PlatformClient | null = null;
  #gateway: GatewayClient | null = null;

  constructor({ io, output, settings, parsed, version }: ContextParts) {
    this.io = io;
    this.output = output;
    this.settings = settings;
    this.version = version;
    this.#flags = parsed.flags;
  }

  /** Platform URL. */
  get url(): string {
    return (this.settings.values.url.value as string).replace(/\/+$/, "");
  }

  /** Gateway URL, without `/v1`. */
  get baseUrl(): string {
    return (this.settings.values["base-url"].value ?? this.url).replace(/\/+$/, "").replace(/\/v1$/, "");
  }

  /** Management API client with the user's credentials and the configured organization. */
  get platform(): PlatformClient {
    this.#platform ??= new PlatformClient({
      platformUrl: this.url,
      token: () => currentToken(this),
      organizationId: () => findOrganizationId(this),
      ...this.sendOptions,
    });
    return this.#platform;
  }

  /** Returns a management API client without an organization. If the token is null, requests are unauthenticated. */
  platformAs(token: string | null): PlatformClient {
    return new PlatformClient({ platformUrl: this.url, token, ...this.sendOptions });
  }

  /** Inference API client with the key from the environment or from the sign-in. */
  get gateway(): GatewayClient {
    // Model calls have no timeout unless the user sets one.
    const { timeoutMs, ...others } = this.sendOptions;
    const isTimeoutSet = this.settings.values.timeout.kind !== "default";
    this.#gateway ??= new GatewayClient({
      baseUrl: this.baseUrl,
      apiKey: () => this.apiKey(),
      ...others,
      ...(isTimeoutSet && timeoutMs !== undefined && { timeoutMs }),
    });
    return this.#gateway;
  }

  /**
   * Returns the inference key: the key from the environment, which is never sent to a URL that comes from a project
   * file, or the key that was stored at sign-in, which is sent only to the URL that it was created for.
   */
  apiKey(): string {
    const key = this.io.env.TOLLGATE_API_KEY ?? "";
    if (key !== "") {
      this.#refuseForeignAddress("base-url", "TOLLGATE_API_KEY");
      return key;
    }
    const stored = this.storedApiKey();
    if (stored === null) {
      throw signInError(
        "No API key is set.",
        "tollgate login --create-key, or export TOLLGATE_API_KEY=$(tollgate keys create NAME -q)",
      );
    }
    return stored;
  }

  /** Returns the profile's stored inference key; null if there is none for this gateway URL. */
  storedApiKey(): string | null {
    const stored = readCredential(this.io.env, this.settings.profile)?.apiKey ?? null;
    return stored !== null && isSamePlace(stored.baseUrl, this.baseUrl) ? stored.secret : null;
  }

  /** Returns the management token from the environment, for automation; null if it isn't set. */
  environmentToken(): string | null {
    const token = this.io.env.TOLLGATE_TOKEN ?? "";
    if (token === "") return null;
    this.#refuseForeignAddress("url", "TOLLGATE_TOKEN");
    return token;
  }

  /** Timeout and request logging (`-v`, `--debug`) for clients that a command creates itself. */
  get sendOptions(): SendOptions {
    const seconds = Number(this.settings.values.timeout.value);
    const isDebug = this.#flags.debug === true;
    return {
      timeoutMs: seconds * 1000,
      ...((isDebug || this.#flags.verbose === true) && logRequests(this.io, isDebug)),
    };
  }

  /** Paging flags for a list command. */
  get listFlags(): ListFlags {
    return this.#flags as unknown as ListFlags;
  }

  /** Shows a spinner while work is in progress. */
  waiting<Result>(text: string, work: Promise<Result>): Promise<Result> {
    return whileWaiting(this.io, text, this.output.isQuiet, work);
  }

  /** Shows progress through a known amount of work. */
  progress(text: string, total: number): Progress {
    return new Progress(this.io, text, total, this.output.isQuiet);
  }

  /** Reports whether to apply a change: `if (!(await context.confirms({ summary, confirm }))) return;`. */
  confirms(plan: Plan): Promise<boolean> {
    return confirmChange(this.io, this.output, plan, {
      yes: this.#flags.yes === true,
      "dry-run": this.#flags["dry-run"] === true,
    });
  }

  #refuseForeignAddress(name: "url" | "base-url", variable: string): void {
    const own = this.settings.values[name];
    const { kind, origin, value } = name === "base-url" && own.value === null ? this.settings.values.url : own;
    if (kind !== "project file" || value === null) return;
    throw signInError(
      `${origin} sets the URL ${value}. ${variable} is not sent to a URL that comes from a shared project file.`,
      `If you trust this URL, set ${name === "url" ? "TOLLGATE_URL" : "TOLLGATE_BASE_URL"}=${value}.`,
    );
  }
}
