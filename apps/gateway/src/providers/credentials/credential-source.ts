import { Failure } from "@tollgate/contracts/failures.ts";
import type { CredentialSource, TargetSettings, Transport } from "../../call/provider.ts";
import { redactKeysAndUrls } from "../redact-keys-and-urls.ts";
import { type Attach, CredentialTransport, type IsRejection } from "./credential-transport.ts";
import { describeLibrary, type LibraryName } from "./libraries.ts";
import { type Obtained, RenewedCredential } from "./renewed-credential.ts";

/** Time that a source has to return a credential. It leaves room for the libraries' own retries. */
const OBTAIN_LIMIT_MS = 30_000;

/** A source of credentials in a vendor's library. */
export interface LibrarySource<Value> extends CredentialSource {
  readonly library: LibraryName;
  /** Identifies the credentials. Deployments with the same identity and the same URL share them within a process. */
  readonly identity: string;
  obtain(): Promise<Obtained<Value>>;
}

/**
 * Creates a source. `obtain` is called for the first credential and each renewal, and may load the library. Errors and a
 * source that doesn't respond in time become a `Failure`.
 */
export function librarySource<Value>(
  library: LibraryName,
  options: readonly (string | null)[],
  obtain: () => Promise<Obtained<Value>>,
): LibrarySource<Value> {
  return {
    library,
    ...describeLibrary(library),
    identity: JSON.stringify([library, ...options]),
    obtain: () => withinLimit(library, obtain),
  };
}

/**
 * Sends requests with the credentials of a source. If the library isn't installed, every call fails and the failure says
 * how to install it.
 */
export function sourceLayer<Value>(
  source: LibrarySource<Value>,
  target: TargetSettings,
  attach: Attach<Value>,
  isRejection: IsRejection,
): { readonly identity: string; over(connections: Transport): Transport } {
  if (source.installedVersion === null) {
    const modelName = target.fileModelName ?? target.upstreamModel;
    return {
      // The failure names the model, so deployments don't share the transport.
      identity: JSON.stringify([source.identity, modelName]),
      over: (connections) => new MissingLibraryTransport(connections, source, modelName),
    };
  }
  return {
    identity: source.identity,
    over: (connections) => {
      const credential = new RenewedCredential(() => source.obtain());
      // Load the library and get the first credential before the first call. Calls report a failure.
      credential.next().catch(() => {});
      return new CredentialTransport(connections, credential, attach, isRejection);
    },
  };
}

class MissingLibraryTransport implements Transport {
  readonly #connections: Transport;
  readonly #source: CredentialSource;
  readonly #modelName: string;

  constructor(connections: Transport, source: CredentialSource, modelName: string) {
    this.#connections = connections;
    this.#source = source;
    this.#modelName = modelName;
  }

  send(): never {
    const { vendor, package: name, installCommand } = this.#source;
    const message = `Model '${this.#modelName}' needs ${vendor} credentials, but the package ${name} is not installed on this server.`;
    throw new Failure("credentials_unavailable", message, {
      fix: `The operator can run '${installCommand}' in the server's working directory and restart the server.`,
      detail: { isCredential: true },
    });
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}

async function withinLimit<Value>(
  library: LibraryName,
  obtain: () => Promise<Obtained<Value>>,
): Promise<Obtained<Value>> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`no credential within ${OBTAIN_LIMIT_MS / 1_000} s`)),
    OBTAIN_LIMIT_MS,
  );
  try {
    return await Promise.race([obtain(), late.promise]);
  } catch (error) {
    const problem = redactKeysAndUrls(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
    const message = `The gateway could not get ${describeLibrary(library).vendor} credentials for this model.`;
    const fix = "The operator can run 'tollgate doctor --only cloud-credentials', which prints the reason.";
    throw new Failure("credentials_unavailable", message, { fix, detail: { problem } });
  } finally {
    clearTimeout(timer);
  }
}
